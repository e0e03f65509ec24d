"""`jackfield hooks`: what an agent runs at its events, of profiles of the running daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option, echo_json, echo_table, json_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import segment
from jackfield.api.dry_runs import changes, dry_run_option, echo_dry_run
from jackfield.api.errors import InvalidInput
from jackfield_profiles.commands.aliases import PATH, alias_argument


@click.group(cls=CommandGroup)
def hooks() -> None:
    """Hooks of profiles: add, list, remove, import, export. Times are in seconds."""


def _ask(cli: Cli, config_dir: Path | None, method: str, alias: str, below: str = "", body: object = None) -> Any:
    """Any: JSON of an answer."""
    path = f"{PATH}/{segment(alias)}/hooks{below}"
    return DaemonClient(cli.config_dir(config_dir)).ask(method, path, body=body).data


@hooks.command("list")
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def list_hooks(cli: Cli, config_dir: Path | None, alias: str, as_json: bool) -> None:
    """List the hooks of ALIAS; a hook is named by its event and place."""
    _tell(_ask(cli, config_dir, "GET", alias), as_json)


@hooks.command()
@alias_argument
@click.argument("event")
@click.argument("matcher")
@click.argument("command")
@click.option("--timeout", type=click.IntRange(1, 3600), help="Seconds (default: the agent's own).")
@json_option
@config_dir_option
@click.pass_obj
def add(
    cli: Cli,
    config_dir: Path | None,
    alias: str,
    event: str,
    matcher: str,
    command: str,
    timeout: int | None,
    as_json: bool,
) -> None:
    """Add COMMAND for EVENT, such as PreToolUse. MATCHER: names of tools joined by |, or *.

    The command gets the event as JSON on its standard input.
    """
    body: dict[str, object] = {"event": event, "matcher": matcher, "command": command}
    _tell(_ask(cli, config_dir, "POST", alias, body=body | ({"timeout": timeout} if timeout else {})), as_json)


@hooks.command()
@alias_argument
@click.argument("event")
@click.argument("place", type=click.IntRange(0))
@json_option
@config_dir_option
@click.pass_obj
def remove(cli: Cli, config_dir: Path | None, alias: str, event: str, place: int, as_json: bool) -> None:
    """Remove the hook of EVENT at PLACE, counted from 0."""
    _tell(_ask(cli, config_dir, "DELETE", alias, f"/{segment(event)}/{place}"), as_json)


@hooks.command("import")
@alias_argument
@click.argument("file", type=click.File("rb"))
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def import_hooks(cli: Cli, config_dir: Path | None, alias: str, file: BinaryIO, dry_run: bool, as_json: bool) -> None:
    """Replace all hooks of ALIAS by those of the JSON FILE; - is standard input."""
    try:
        body = json.loads(file.read())
    except ValueError:
        raise InvalidInput("The file is not valid JSON.") from None
    if dry_run:
        after = _ask(cli, config_dir, "POST", alias, "/check", body)
        echo_dry_run({"alias": alias}, [*changes(_ask(cli, config_dir, "GET", alias), after)], [], as_json)
        return
    _tell(_ask(cli, config_dir, "POST", alias, "/import", body), as_json)


@hooks.command()
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def export(cli: Cli, config_dir: Path | None, alias: str, as_json: bool) -> None:
    """Print all hooks of ALIAS as JSON, for `hooks import`. With or without --json it is the same JSON."""
    del as_json  # of the errors alone
    echo_json(_ask(cli, config_dir, "GET", alias, "/export"))


def _tell(found: Any, as_json: bool) -> None:  # JSON of an answer
    if as_json:
        echo_json(found)
        return
    rows = [
        [event, str(place), entry["matcher"], _action(action), str(action.get("timeout") or "-")]
        for event, entries in found.items()
        for place, entry in enumerate(entries)
        for action in entry["hooks"]
    ]
    echo_table(("EVENT", "PLACE", "MATCHER", "ACTION", "TIMEOUT"), rows, empty="There is no hook.")


def _action(action: dict[str, Any]) -> str:  # JSON of an answer
    return str(action.get("command") or action.get("url") or action.get("prompt") or action["type"])
