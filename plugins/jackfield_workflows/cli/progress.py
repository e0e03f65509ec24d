"""The progress of a run that the user sees while it goes, and its result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from jackfield.api.jsontext import Json
from jackfield.api.records import record

WIDTH = 32
"""Characters of a node's name in a line."""
SHOWN_ITEMS = 20
SHOWN_TEXT = 2000
"""Characters of one item in the readable result."""


@record
class CommandOutcome:
    """How a run ended. status: success, failed, cancelled. data: the items of the last node."""

    status: str
    data: Sequence[Any] = ()  # items, which are JSON
    error: Mapping[str, Json] | None = None
    execution_id: str | None = None

    @property
    def exit_code(self) -> int:
        return 0 if self.status == "success" else 1


CANCELLED = CommandOutcome("cancelled")


class RunPrinter:
    """One line on standard error for each node run that ended, unless `quiet`."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def say(self, text: str) -> None:
        if not self._quiet:
            click.echo(text, err=True)

    def node(self, name: str, milliseconds: float, items: int, error: str | None = None) -> None:
        """A node run ended. items: of all its outputs."""
        mark = click.style("ok    ", fg="green") if error is None else click.style("failed", fg="red")
        what = f"{items} item{'' if items == 1 else 's'}" if error is None else printable(error)
        self.say(f"{mark} {printable(name)[:WIDTH]:<{WIDTH}} {milliseconds:8.0f} ms  {what}")

    def waiting(self, name: str) -> None:
        self.say(f"waits  {printable(name)[:WIDTH]}")


def printable(text: str) -> str:
    """Without what would drive the terminal: names and messages come from documents of others."""
    return "".join(char if char.isprintable() else " " for char in text)


def show(ended: CommandOutcome, *, as_json: bool) -> None:
    """The result on standard output: with `as_json` one JSON object, else items that can be read."""
    if as_json:
        body: dict[str, Any] = {"status": ended.status, "data": list(ended.data)}  # JSON
        if ended.execution_id is not None:
            body["executionId"] = ended.execution_id
        if ended.error is not None:
            body["error"] = dict(ended.error)
        click.echo(json.dumps(body, ensure_ascii=False, default=str))
        return
    if ended.error is not None:
        node = f" in {printable(str(ended.error['node']))}" if ended.error.get("node") else ""
        click.echo(f"The workflow {ended.status}{node}: {printable(str(ended.error.get('message', '')))}", err=True)
    elif ended.status != "success":
        click.echo(f"The workflow was {ended.status}.", err=True)
    for item in list(ended.data)[:SHOWN_ITEMS]:
        click.echo(_shown(item))
    if len(ended.data) > SHOWN_ITEMS:
        click.echo(f"({len(ended.data) - SHOWN_ITEMS} more items; --json shows all)", err=True)


def _shown(item: Any) -> str:  # an item, which is JSON
    body = item.get("json", item) if isinstance(item, dict) else item
    text = "\n".join(map(printable, json.dumps(body, ensure_ascii=False, indent=2, default=str).split("\n")))
    files = item.get("binary") if isinstance(item, dict) else None
    named = f"\nfiles: {printable(', '.join(map(str, files)))}" if isinstance(files, dict) and files else ""
    cut = text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + " ... (--json shows all)"
    return cut + named
