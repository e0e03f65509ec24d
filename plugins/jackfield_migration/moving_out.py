"""`jackfield export --n8n`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from jackfield.api.cli import harmless
from jackfield.api.daemon_commands import DaemonCall, identified, segment
from jackfield.api.errors import JackfieldError

PATH = "/workflows"


def move_out(call: DaemonCall, named: Sequence[str], output: Path | None, source: str) -> None:
    """named: none is all. Raises `JackfieldError`."""
    rows = list(call.daemon.rows(PATH))
    ids = [identified(rows, each, "workflow") for each in named] or [str(row["id"]) for row in rows]
    found = [call.ask("GET", f"{PATH}/{segment(each)}/n8n", query={"source": source}) for each in ids]
    for each in found:
        for warning in each["warnings"]:
            click.echo(harmless(f"{each['workflow']['name']}: {warning}"), err=True)
    _put([each["workflow"] for each in found], output, as_list=not named)


def _put(documents: Sequence[Mapping[str, Any]], output: Path | None, *, as_list: bool) -> None:
    body = list(documents) if as_list or len(documents) != 1 else documents[0]
    if output is None:
        click.echo(_pretty(body))
    elif output.is_dir():
        for document in documents:
            _write(output / _file_name(document), document)
    else:
        _write(output, body)


def _write(path: Path, body: object) -> None:
    try:
        path.write_bytes((_pretty(body) + "\n").encode("utf-8", "replace"))  # half a character is no text
    except OSError as exc:
        raise JackfieldError(f"{path} cannot be written: {exc.strerror}.") from None
    click.echo(str(path), err=True)


def _pretty(body: object) -> str:
    return json.dumps(body, ensure_ascii=False, indent=2)


def _file_name(document: Mapping[str, Any]) -> str:
    """A name that any file system takes; the id makes it the only one."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", str(document["name"])).strip("-").lower()[:60]
    return f"{plain or 'workflow'}-{re.sub(r'[^A-Za-z0-9-]', '-', str(document['id']))}.json"
