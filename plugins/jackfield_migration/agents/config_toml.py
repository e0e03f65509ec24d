"""Keys of config.toml that another tool has too. A value that is set here stays."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from jackfield.api.files import read_private, write_private
from jackfield.api.workflows import Problem
from jackfield_migration.agents.setting_shapes import fits
from jackfield_migration.agents.wanted import WantedSetting
from jackfield_migration.report import Result, Status


async def bring_settings(config_dir: Path, wanted: Sequence[WantedSetting], *, dry_run: bool) -> list[Result]:
    """They count from the daemon's next start. Raises `ConfigurationError`."""
    if not wanted:
        return []
    return await asyncio.to_thread(_brought, config_dir / "config.toml", wanted, dry_run=dry_run)


def _brought(file: Path, wanted: Sequence[WantedSetting], *, dry_run: bool) -> list[Result]:
    content = read_private(file) or b""
    try:
        document = tomlkit.parse(content.decode())
    except (TOMLKitError, UnicodeDecodeError):
        problem = Problem("config.toml", "it is not TOML; correct it")
        return [_result(one, "failed", [problem]) for one in wanted]
    found = [_set(document, one) for one in wanted]
    if not dry_run and any(result.status == "created" for result in found):
        write_private(file, tomlkit.dumps(document).encode())
    return found


def _set(document: tomlkit.TOMLDocument, wanted: WantedSetting) -> Result:
    if not fits(wanted):
        told = (
            "its value has a form that Jackfield does not take; see the documentation of config.toml, and set it there"
        )
        return _result(wanted, "refused", [Problem(wanted.key, told)])
    table = cast("dict[str, object]", document)  # tomlkit's tables are dictionaries
    for name in wanted.table.split("."):
        table = cast("dict[str, object]", table.setdefault(name, tomlkit.table()))
    if wanted.key not in table:
        table[wanted.key] = wanted.value
        return _result(wanted, "created", [])
    if table[wanted.key] == wanted.value:
        return _result(wanted, "unchanged", [])
    return _result(wanted, "matched", [Problem(wanted.key, "it has another value here, which stays", "warning")])


def _result(wanted: WantedSetting, status: Status, problems: Sequence[Problem]) -> Result:
    name = f"{wanted.table}.{wanted.key}"
    return Result("setting", name, name, wanted.origin, status, name, problems=problems)
