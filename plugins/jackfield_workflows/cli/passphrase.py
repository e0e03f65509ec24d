"""Where a command takes a passphrase from: a file, the environment, or whoever types. Never an argument, which every
process list shows. And the seal that it makes of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield_workflows.documents.passphrases import PassphraseSeal

VARIABLE = "JACKFIELD_EXPORT_PASSPHRASE"
SHORTEST = 12
"""Characters of a new one."""
_LARGEST = 4096


def new_passphrase(file: Path | None) -> str:
    """For an export. Raises `JackfieldError`."""
    found = _given(file) or _typed(confirm=True)
    if len(found) < SHORTEST:
        raise InvalidInput(f"The passphrase must have at least {SHORTEST} characters.")
    return found


def known_passphrase(file: Path | None) -> str:
    """For an import. Raises `JackfieldError`."""
    return _given(file) or _typed(confirm=False)


def passphrase_seal(context: PluginContext, passphrase: str) -> PassphraseSeal:
    """Its library is loaded for those who have a passphrase."""
    made = cast("type[PassphraseSeal]", load("jackfield_workflows.documents.passphrases:PassphraseSeal"))
    return made(context, passphrase)


def _given(file: Path | None) -> str:
    if file is None:
        return os.environ.get(VARIABLE, "")
    try:
        with file.open(encoding="utf-8") as opened:
            line = opened.readline(_LARGEST).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "it is no UTF-8 text"
        raise JackfieldError(f"The passphrase cannot be read from {file}: {reason}.") from None
    if not line:
        raise InvalidInput(f"The first line of {file} is empty; write the passphrase there.")
    return line


def _typed(*, confirm: bool) -> str:
    if not sys.stdin.isatty():
        raise InvalidInput(
            f"The secrets need a passphrase: give --passphrase-file, set {VARIABLE}, or run this in a terminal."
        )
    typed: str = click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
    return typed
