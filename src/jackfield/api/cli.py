"""The parts that commands of a plugin use. A command gets the `Cli` with `@click.pass_obj`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import click

from .object_references import load
from .records import record
from .similar_names import similar

if TYPE_CHECKING:
    from .context import PluginContext
    from .json_values import Json

T = TypeVar("T")
Columns = Mapping[str, str]
"""Title -> key of a row; dots lead into it."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Also those that turn the order of what follows them."""
CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say

config_dir_option: Callable[[CommandT], CommandT] = click.option(
    "--config-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Configuration directory (default: JACKFIELD_CONFIG_DIR, else the user's).",
)
json_option: Callable[[CommandT], CommandT] = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON; errors are JSON on standard error."
)


@record
class CommandAct:
    """How the audit log names a command that works on the store itself. subject: the parameter that says on what."""

    act: str
    subject: str = ""


def audited(act: str, *, subject: str = "") -> Callable[[click.Command], click.Command]:
    """The outermost decorator of a command that changes or reveals something: `Cli.run` records it. Where a daemon does
    the work, the daemon records it."""

    def mark(command: click.Command) -> click.Command:
        command.jackfield_act = CommandAct(act, subject)  # type: ignore[attr-defined]  # click keeps it for us
        return command

    return mark


class Advancing(Protocol):
    """A display of progress, step by step."""

    def update(self, n_steps: int) -> None: ...


class CommandGroup(click.Group):
    """A group that names similar commands when it is given one that it does not have."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as exc:
            near = similar(args[0], self.list_commands(ctx))
            if not near or ctx.resilient_parsing:
                raise
            raise click.UsageError(f"{exc.message} Did you mean {' or '.join(near)}?", ctx) from None


class Cli(Protocol):
    """The command line's way to the daemon's parts, without serving."""

    def config_dir(self, given: Path | None) -> Path:
        """The configuration directory: of the option, JACKFIELD_CONFIG_DIR, else the user's."""

    def run(self, plugin: str, work: Callable[[PluginContext], Awaitable[T]], *, config_dir: Path | None) -> T:
        """Load settings and plugins, open the store, call `work` with that plugin's context, close everything.

        A `JackfieldError` becomes a message on standard error and exit code 1. Works beside a running daemon. Raises
        `Elsewhere` when `JACKFIELD_DAEMON_ENDPOINT` names another daemon than that of the directory.
        """

    def run_in(self, directory: Path, plugin: str, work: Callable[[PluginContext], Awaitable[T]]) -> T:
        """The same on a directory that the command's arguments name, whatever daemon the environment names."""


def work_at(reference: str, *arguments: object) -> Callable[[PluginContext], Awaitable[Any]]:
    """Work for `Cli.run` that stands in another module, which is imported when the command runs: a coroutine function
    of the plugin's context and these arguments. Any: each has its type."""

    async def work(context: PluginContext) -> Any:
        found = cast("Callable[..., Awaitable[Any]]", load(reference))
        return await found(context, *arguments)

    return work


def echo_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, empty: str, right: Sequence[str] = ()) -> None:
    """Print rows under their columns.

    In a terminal long cells are folded to its width; elsewhere every row is one line of whatever length. `empty`: said
    by `echo_remark` in place of a table without rows. `right`: columns of figures.
    """
    if not rows:
        echo_remark(empty)
        return
    print_table = cast("Callable[..., None]", load("jackfield.api.rich_table:print_table"))
    print_table(columns, [[harmless(cell) for cell in row] for row in rows], right)


def echo_fields(fields: Mapping[str, Json]) -> None:
    """Print names and values, one under the other, for a person."""
    width = max(map(len, fields), default=0)
    for name, value in fields.items():
        for line in harmless(cell(value)).split("\n"):
            click.echo(f"{name:<{width}}  {line}")
            name = ""


class CommandOutput:
    """Where a command prints what it has found. as_json: for programs, as JSON; else for a person."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def table(self, columns: Columns, rows: Iterable[Mapping[str, Json]], empty: str) -> None:
        """Print rows. empty: said on standard error when there is none."""
        found = list(rows)
        if self.as_json:
            echo_json(found)
        else:
            cells = [[cell(_at(row, key)) for key in columns.values()] for row in found]
            echo_table(tuple(columns), cells, empty=empty)

    def fields(self, found: Mapping[str, Json], names: Columns | None = None) -> None:
        """Print one thing. names: of a person's view; default: all."""
        if self.as_json:
            echo_json(found)
        else:
            echo_fields({title: _at(found, key) for title, key in names.items()} if names else found)

    def say(self, text: str, found: object) -> None:
        """Print what was done: a sentence, or `found` as JSON."""
        if self.as_json:
            echo_json(found)
        else:
            click.echo(text)


def _at(row: Mapping[str, Json], key: str) -> Json:
    found: Json = dict(row)
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def echo_remark(text: str) -> None:
    """Say something to a person on standard error, where it is no row for the next program of a pipe."""
    click.echo(harmless(text), err=True)


def harmless(text: str) -> str:
    """Without characters that a terminal would obey: names come from logs, files and other machines."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def progress_bar(length: int, label: str, *, quiet: bool = False) -> AbstractContextManager[Advancing]:
    """A bar on standard error, where a person sees it: not when that is no terminal. quiet: nobody wants it."""
    return click.progressbar(length=length, label=label, file=sys.stderr, hidden=quiet or not sys.stderr.isatty())


def cell(value: Json) -> str:
    """A value for a person: `yes`, `no`, `-` for nothing."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {cell(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None or value == "" else str(value)


def echo_json(value: object) -> None:
    """Print a value as JSON, for programs (`--json`)."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def echo_warning(text: str) -> None:
    """Say on standard error what is wrong although the command goes on; with `--json` as one line of JSON."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("as_json"):
        click.echo(json.dumps({"warning": text}, ensure_ascii=False), err=True)
    else:
        click.echo(f"jackfield: {harmless(text)}", err=True)


def echo_error(code: str, message: str, details: Mapping[str, object] | None = None, *, as_json: bool) -> None:
    """Say on standard error why a command failed, in the one form that all commands have.

    `code`: as the API has it. `details`: place -> what is wrong there. With `as_json` one line of JSON.
    """
    if as_json:
        error = {"code": code, "message": message} | ({"details": dict(details)} if details else {})
        click.echo(json.dumps({"error": error}, ensure_ascii=False, default=str), err=True)
        return
    lines = "".join(f"\n  {path}: {text}" for path, text in (details or {}).items())
    click.echo(f"jackfield: {harmless(message + lines)}", err=True)
