"""The effect of a change: two documents side by side, for commands with `--dry-run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import click

from . import jsontext
from .cli import echo_json, echo_warning, harmless
from .jsontext import Json

CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say


def dry_run_option(command: CommandT) -> CommandT:
    """`--dry-run`, as the parameter `dry_run`."""
    made = click.option("--dry-run", is_flag=True, help="Change nothing; say exactly what would change.")
    return made(command)


def changes(before: Json, after: Json, path: str = "") -> Iterator[dict[str, Json]]:
    """Where two documents differ: `path` with points between its names, `before` and `after`, without the one that is
    not there. Lists differ as wholes."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in (*before, *(name for name in after if name not in before)):
            below = f"{path}.{name}" if path else name
            if name not in after:
                yield {"path": below, "before": before[name]}
            elif name not in before:
                yield {"path": below, "after": after[name]}
            else:
                yield from changes(before[name], after[name], below)
    elif before != after:
        yield {"path": path, "before": before, "after": after}


def echo_dry_run(about: Mapping[str, Json], found: list[dict[str, Json]], warnings: list[str], as_json: bool) -> None:
    """about: what the change is of, such as `{"alias": "work"}`."""
    if as_json:
        echo_json({**about, "dryRun": True, "changes": list[Json](found), "warnings": list[Json](warnings)})
        return
    for warning in warnings:
        echo_warning(warning)
    for one in found:
        click.echo(f"{harmless(str(one['path']))}:")
        for name, sign in (("before", "-"), ("after", "+")):
            if name in one:
                click.echo(f"  {sign} {harmless(jsontext.dumps(one[name]).decode())}")
    click.echo("Nothing was changed." if found else "Nothing would change.")
