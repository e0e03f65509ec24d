"""Commands that ask the running daemon: their options, their output, how they find what a person names."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

import click
from click.shell_completion import CompletionItem

from .cli import (
    Cli,
    CommandOutput,
    config_dir_option,
    echo_warning,
    json_option,
)
from .daemon import DaemonClient, daemon_elsewhere
from .errors import InvalidInput, JackfieldError, NotFound
from .management import ManagementClient
from .similar_names import did_you_mean

if TYPE_CHECKING:
    from .json_values import Json

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
MOST_COMPLETIONS = 100
MOST_ROWS = 1000
"""Rows of a list that are looked at for a completion."""
COMPLETION_S = 5.0
"""Seconds for the daemon to answer somebody who types."""

endpoint_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(  # click takes every command
    "--url",
    envvar="JACKFIELD_DAEMON_ENDPOINT",
    help="The running daemon: scheme, host and port (default: as its configuration directory says).",
)
api_key_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(  # as above
    "--api-key",
    envvar="JACKFIELD_API_KEY",
    help="Key for the running daemon, whose owner needs none; better given as JACKFIELD_API_KEY, "
    "which no process list shows.",
)


class DaemonCall(CommandOutput):
    """One command's daemon and its output. as_json: whether the output is for programs."""

    def __init__(self, daemon: ManagementClient, *, as_json: bool) -> None:
        super().__init__(as_json=as_json)
        self.daemon = daemon
        self.ask = daemon.ask

    def identify(self, path: str, named: str, thing: str) -> str:
        """`identified` among the rows of a list."""
        return identified(list(self.daemon.rows(path)), named, thing)


def identified(rows: Sequence[Mapping[str, Json]], named: str, thing: str) -> str:
    """The id of what a person names by its id, or by the whole of its name. Raises `NotFound` with similar names,
    `InvalidInput` where several have the name."""
    if any(row["id"] == named for row in rows):
        return named
    same = [str(row["id"]) for row in rows if row["name"] == named]
    if len(same) == 1:
        return same[0]
    if same:
        raise InvalidInput(f"Several {thing}s are named {named}; give one of the ids {', '.join(same)}.")
    raise NotFound(
        f"There is no {thing} with the id or name {named}{did_you_mean(named, [str(row['name']) for row in rows])}"
    )


def daemon_command(command: Callable[..., None]) -> Callable[..., None]:  # its own options follow the call
    """A command of the running daemon: adds `--config-dir`, `--url`, `--api-key` and `--json`, and gives it a
    `DaemonCall` before its own arguments."""

    def called(
        cli: Cli,
        /,
        config_dir: Path | None,
        url: str | None,
        api_key: str | None,
        as_json: bool,
        **own: Any,  # click gives what the command's options say
    ) -> None:
        with ManagementClient(cli.config_dir(config_dir), endpoint=url, api_key=api_key) as daemon:
            command(DaemonCall(daemon, as_json=as_json), **own)

    functools.update_wrapper(called, command)
    found = config_dir_option(endpoint_option(api_key_option(json_option(click.pass_obj(called)))))
    return cast("Callable[..., None]", found)


def read_or_ask(
    cli: Cli,
    config_dir: Path | None,
    path: str,
    here: Callable[[], tuple[Any, Sequence[str]]],  # as the path answers
    *,
    query: Mapping[str, str] | None = None,
) -> Any:  # as above
    """`here`, data and warnings of the directory; or the answer of the daemon elsewhere that the environment names.

    `path`: of the daemon's own API, such as `/api/profiles`. Warnings are said.
    """
    daemon = daemon_elsewhere(cli.config_dir(config_dir))
    if daemon is None:
        found, warnings = here()
    else:
        answer = daemon.ask("GET", path, query=query)
        found, warnings = answer.data, answer.warnings
    for warning in warnings:
        echo_warning(warning)
    return found


def completed(path: str, *, key: str = "name", about: str = "") -> Complete:
    """Completes the names of what the running daemon lists below `/api/v1`. about: the key of a word about each, for
    shells that show it. Without a daemon there are none."""

    def read(cli: Cli, params: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
        with _daemon(cli, params) as daemon:
            return list(itertools.islice(daemon.rows(path), MOST_ROWS))

    return completed_from(read, key, about)


def completed_whole(path: str, *, key: str, about: str = "") -> Complete:
    """The same of a list that has no pages."""

    def read(cli: Cli, params: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
        with _daemon(cli, params) as daemon:
            return cast("list[Mapping[str, Any]]", daemon.ask("GET", path)["data"])

    return completed_from(read, key, about)


def _daemon(cli: Cli, params: Mapping[str, Any]) -> ManagementClient:
    config_dir = cli.config_dir(params.get("config_dir"))
    return ManagementClient(config_dir, endpoint=params.get("url"), api_key=params.get("api_key"))


def completed_of(path: str, *, key: str, about: str = "") -> Complete:
    """The same of a list of the daemon's own API, such as `/api/profiles`."""

    def read(cli: Cli, params: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
        found = DaemonClient(cli.config_dir(params.get("config_dir"))).ask("GET", path, timeout=COMPLETION_S).data
        return cast("list[Mapping[str, Any]]", found)

    return completed_from(read, key, about)


def completed_from(
    read: Callable[[Cli, Mapping[str, Any]], Iterable[Mapping[str, Any]]],  # Any: options, and rows of JSON
    key: str,
    about: str = "",
) -> Complete:
    """The same of the rows that `read` finds for the options which stand before the word. Raises nothing."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        cli: Cli | None = ctx.find_root().obj
        if cli is None:
            return []
        given = ctx.params.get(parameter.name or "") if parameter.nargs == -1 else ()
        try:
            rows = {str(row[key]): row.get(about) for row in read(cli, ctx.params)}
        except (JackfieldError, KeyError, TypeError):
            return []
        fitting = [name for name in rows if name.startswith(incomplete) and name not in (given or ())]
        return [CompletionItem(name, help=rows[name]) for name in fitting[:MOST_COMPLETIONS]]

    return complete


def segment(text: str) -> str:
    """Text as one segment of a path."""
    return quote(text, safe="")


def confirmed(question: str, *, yes: bool) -> None:
    """Ask before something is lost, unless yes. Raises `click.Abort` for no."""
    if not yes:
        click.confirm(question, abort=True, err=True)
