"""A draft's changes as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from jackfield.api.cli import harmless

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "renamed": "~", "moved": "~"}
_LONGEST = 200


def show_changes(draft: Mapping[str, Any]) -> None:  # as GET /api/v1/drafts/{id} answers
    """Each change with its id, as accept and reject take it."""
    changes = draft["changes"]
    if not changes:
        click.echo("The draft changes nothing.")
    for change in changes:
        click.echo(harmless("\n".join(change_lines(change))))


def change_lines(change: Mapping[str, Any]) -> Iterator[str]:  # as above
    conflict = "  (changed in the workflow, too)" if change["conflict"] else ""
    former = f" (was {change['formerName']})" if change.get("formerName") else ""
    kind = f" [{change['after']['type']}]" if change["kind"] == "node" and change["how"] == "added" else ""
    yield f"{_SIGNS[change['how']]} {change['kind']} {change['label']}{kind}{former}{conflict}   {change['id']}"
    if change["kind"] == "setting":
        yield f"    {_short(change['before'])} -> {_short(change['after'])}"
    for part in change.get("parts") or ():
        yield f"    {part['path']}: {_short(part['before'])} -> {_short(part['after'])}"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
