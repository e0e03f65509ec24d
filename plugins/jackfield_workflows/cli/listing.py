"""`jackfield workflow list`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from jackfield.api.cli import echo_remark
from jackfield.api.jsontext import Json
from jackfield_workflows.cli.access import SavedWorkflows
from jackfield_workflows.cli.progress import printable
from jackfield_workflows.cli.reaching import CommandTarget, pretty, reach


def list_workflows(target: CommandTarget, tags: Sequence[str], *, as_json: bool) -> None:
    """tags: those with all of them. Raises `JackfieldError`."""

    async def work(found: SavedWorkflows) -> list[Mapping[str, Json]]:
        return [row for row in await found.rows() if _names(row).issuperset(tags)]

    rows = reach(target, work)
    if as_json:
        click.echo(pretty(rows))
        return
    for row in rows:
        live = "active" if row["active"] else "-"
        click.echo(f"{row['id']}  {live:<6}  {row['nodeCount']!s:>4} nodes  {printable(str(row['name']))}")
    if not rows:
        echo_remark("There is no workflow.")


def _names(row: Mapping[str, Json]) -> set[str]:
    """Of its tags."""
    tags = row["tags"]
    return {str(tag["name"]) for tag in tags if isinstance(tag, dict)} if isinstance(tags, list) else set()
