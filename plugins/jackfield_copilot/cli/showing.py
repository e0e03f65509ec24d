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
        for line in change_lines(change):
            click.echo(plain(line))


def one_line(change: Mapping[str, Any]) -> str:  # as above
    return plain(next(change_lines(change)))


def plain(line: str) -> str:
    """One line on a terminal, whatever names an agent has given: they neither steer it nor make their own lines."""
    return harmless(" ".join(line.splitlines()))


def change_lines(change: Mapping[str, Any]) -> Iterator[str]:  # as above
    conflict = "  (changed in the workflow, too)" if change["conflict"] else ""
    former = f" (was {change['formerName']})" if change.get("formerName") else ""
    kind = f" [{change['after']['type']}]" if change["kind"] == "node" and change["how"] == "added" else ""
    yield f"{_SIGNS[change['how']]} {change['kind']} {change['label']}{kind}{former}{conflict}   {change['id']}"
    if change["kind"] == "setting":
        yield f"    {shortened(change['before'])} -> {shortened(change['after'])}"
    for part in change.get("parts") or ():
        yield f"    {part['path']}: {shortened(part['before'])} -> {shortened(part['after'])}"


def shortened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
