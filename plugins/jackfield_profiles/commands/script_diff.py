"""`jackfield scripts test --diff`: what a script's files would change in a profile's home. Nothing is written, and no
key is shown."""

from __future__ import annotations

import asyncio
import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield_profiles.commands.script_work import Trial, trial
from jackfield_profiles.generated.scripts import run_script
from jackfield_profiles.generated.writing import FileChange, planned_changes
from jackfield_profiles.mcp_servers import HIDDEN, secrets_of
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.wiring.environment import hidden

_SECRET_LINE = re.compile(
    r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|AUTHORIZATION)(.*?[:=]\s*)(\"[^\"]*\"|'[^']*'|\S+)", re.IGNORECASE
)


async def changed(context: PluginContext, file: Path, alias: str) -> dict[str, Json]:
    """`files`: of each its path, status, whether the current one is set aside, and a unified diff."""
    found = await trial(context, alias)
    generated = await run_script(context, file, found.ctx)
    settings, home = context.settings(RunSettings), found.profile.home
    changes = await asyncio.to_thread(planned_changes, home, generated.files, found.placeholders, settings)
    return {"home": str(home), "files": [_view(change, _secrets(found)) for change in changes]}


def _secrets(found: Trial) -> tuple[str, ...]:
    """Keys, and all that stands in `env` and `headers` of MCP servers; as they are, and as JSON has them."""
    values = [
        value
        for server in found.servers.values()
        for part in HIDDEN
        if isinstance(server, dict) and isinstance(given := server.get(part), dict)
        for value in given.values()
    ]
    texts = [str(value) for value in (*found.placeholders.values(), *values, *secrets_of(found.servers)) if value]
    return (*texts, *(json.dumps(text)[1:-1] for text in texts))


def _view(change: FileChange, secrets: tuple[str, ...]) -> dict[str, Json]:
    status = (
        "unchanged" if change.old == change.new
        else "created" if change.old is None
        else "removed" if change.new is None
        else "changed"
    )  # fmt: skip
    return {"path": change.path, "status": status, "aside": change.aside, "diff": _diff(change, secrets)}


def _diff(change: FileChange, secrets: tuple[str, ...]) -> list[Json]:
    """Changed lines alone: those around them are the user's."""
    old, new = (_lines(content, secrets) for content in (change.old, change.new))
    return [*difflib.unified_diff(old, new, change.path, change.path, lineterm="", n=0)]


def _lines(content: bytes | None, secrets: tuple[str, ...]) -> list[str]:
    text = hidden((content or b"").decode("utf-8", "replace"), secrets)
    return [_SECRET_LINE.sub(r"\1\2***", line) for line in text.splitlines()]


def printed_changes(found: Mapping[str, Json]) -> list[str]:
    """For a person."""
    lines: list[str] = []
    files = found["files"]
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict):
            aside = "; the present one is kept beside it" if file["aside"] else ""
            lines.append(f"{file['path']}: {file['status']}{aside}")
            diff = file["diff"]
            lines += [f"  {line}" for line in diff] if isinstance(diff, list) else []
    return lines or ["The script writes no file for this profile."]
