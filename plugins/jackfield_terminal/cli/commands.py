"""`jackfield terminal`: sessions of the running daemon, from another terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option, echo_json, echo_table, json_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import completed_of
from jackfield.api.errors import JackfieldError
from jackfield.api.object_references import load

_COLUMNS = ("ID", "PROFILE", "STATE", "PID", "SIZE", "CLIENTS", "CREATED")


session_argument = click.argument(
    "session_id", shell_complete=completed_of("/api/terminal/sessions", key="id", about="profile_alias")
)


@click.group("terminal", cls=CommandGroup, help="Agents in terminals of the running daemon.")
def terminal() -> None:
    pass


def _client(cli: Cli, config_dir: Path | None) -> DaemonClient:
    return DaemonClient(cli.config_dir(config_dir))


@terminal.command("list", help="Every session.")
@json_option
@config_dir_option
@click.pass_obj
def list_sessions(cli: Cli, config_dir: Path | None, as_json: bool) -> None:
    found = _client(cli, config_dir).ask("GET", "/api/terminal/sessions").data
    if as_json:
        echo_json(found)
        return
    rows = [
        [
            session["id"],
            session["profile_alias"] or "(shell)",
            session["state"] + (f" {session['exit_code']}" if "exit_code" in session else ""),
            str(session["pid"]),
            f"{session['cols']}x{session['rows']}",
            str(session["client_count"]),
            session["created_at"],
        ]
        for session in found
    ]
    echo_table(_COLUMNS, rows, empty="There is no session.")


_OPTIONS = (
    click.option("--directory", default=None, help="Working directory (default: the profile's; of a shell, the home)."),
    click.option("--detached", is_flag=True, help="Print the session's id instead of attaching."),
    click.option("--record", is_flag=True, help="Record the session."),
    click.option(
        "--persist/--no-persist",
        default=None,
        help="Whether it survives the daemon (default: yes where it can, unless the profile says no).",
    ),
    json_option,
    config_dir_option,
    click.pass_obj,
)


def start_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every start of a session."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@terminal.command("new", help="Start a profile's agent in a terminal, and attach to it.")
@click.argument("alias", shell_complete=completed_of("/api/profiles", key="alias", about="agent_id"))
@click.argument("args", nargs=-1)
@start_options
def new(
    cli: Cli,
    config_dir: Path | None,
    alias: str,
    args: tuple[str, ...],
    directory: str | None,
    detached: bool,
    record: bool,
    persist: bool | None,
    as_json: bool,
) -> None:
    wanted = StartWanted("/api/terminal/sessions", detached, as_json)
    given = {"profile_alias": alias, "args": list(args), **_given(directory, record, persist)}
    _start(_client(cli, config_dir), wanted, given)


@terminal.command("shell", help="Start a shell in a terminal, without an agent, and attach to it.")
@click.option("--shell", "program", default=None, help="A path that /etc/shells has (default: your own shell).")
@click.option("--sandbox", type=click.Choice(["off", "standard", "strict"]), default="off", show_default=True)
@start_options
def shell(
    cli: Cli,
    config_dir: Path | None,
    program: str | None,
    sandbox: str,
    directory: str | None,
    detached: bool,
    record: bool,
    persist: bool | None,
    as_json: bool,
) -> None:
    wanted = StartWanted("/api/terminal/shell", detached, as_json)
    chosen = {} if program is None else {"shell": program}
    _start(_client(cli, config_dir), wanted, {"sandbox": sandbox, **chosen, **_given(directory, record, persist)})


@dataclass(frozen=True)
class StartWanted:
    """path: of the API. detached: the session's id is printed, and nobody attaches."""

    path: str
    detached: bool
    as_json: bool


def _given(directory: str | None, record: bool, persist: bool | None) -> dict[str, object]:
    asked = {
        "record": record or None,
        "persist": "where_possible" if persist is None else persist,
        "working_dir": None if directory is None else str(Path(directory).absolute()),
    }
    return {name: value for name, value in asked.items() if value is not None}


def _start(client: DaemonClient, wanted: StartWanted, given: Mapping[str, object]) -> None:
    if wanted.as_json and not wanted.detached:
        raise click.UsageError("--json goes with --detached.")
    if not wanted.detached:
        _require_terminal()
    size = shutil.get_terminal_size()
    made = client.ask("POST", wanted.path, body={**given, "cols": size.columns, "rows": size.lines}).data
    if wanted.as_json:
        echo_json(made)
    elif wanted.detached:
        click.echo(made["session_id"])
    else:
        _attach(client, str(made["session_id"]), read_only=False)


@terminal.command("attach", help="Take over a session. Ctrl-] leaves it.")
@session_argument
@click.option("--read-only", is_flag=True, help="Look, and type nothing.")
@config_dir_option
@click.pass_obj
def attach(cli: Cli, config_dir: Path | None, session_id: str, read_only: bool) -> None:
    _require_terminal()
    client = _client(cli, config_dir)
    _attach(client, _whole(client, session_id), read_only=read_only)


@terminal.command("kill", help="End a session: hang up, terminate, kill.")
@session_argument
@json_option
@config_dir_option
@click.pass_obj
def kill(cli: Cli, config_dir: Path | None, session_id: str, as_json: bool) -> None:
    client = _client(cli, config_dir)
    whole = _whole(client, session_id)
    client.ask("DELETE", f"/api/terminal/sessions/{whole}")
    if as_json:
        echo_json({"id": whole, "killed": True})
    else:
        click.echo(f"The session {whole} was ended.")


@terminal.command("play", help="Play a recording: a file, or the one of a session.")
@click.argument("recording")
@click.option("--speed", type=click.FloatRange(0.01, 1000), default=1.0, show_default=True, help="2: twice as fast.")
@click.option("--idle", type=click.FloatRange(0), default=None, help="Longest pause, in seconds of the recording.")
@config_dir_option
@click.pass_obj
def play_recording(cli: Cli, config_dir: Path | None, recording: str, speed: float, idle: float | None) -> None:
    play = cast("Callable[..., None]", load("jackfield_terminal.cli.playing:play_here"))
    play(cli.config_dir(config_dir), recording, speed=speed, idle=idle)


def _whole(client: DaemonClient, start: str) -> str:
    """The id that begins like this, when there is one alone."""
    found = [session["id"] for session in client.ask("GET", "/api/terminal/sessions").data]
    fitting = [name for name in found if name.startswith(start)]
    if len(fitting) != 1:
        raise JackfieldError(f"{len(fitting)} sessions have an id that begins with {start}; see `terminal list`.")
    return str(fitting[0])


def _require_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise JackfieldError("Attaching needs a terminal; use --detached, and `POST .../input` to type.")


def _attach(client: DaemonClient, session_id: str, *, read_only: bool) -> None:
    attach = cast("Callable[..., int | None]", load("jackfield_terminal.cli.attaching:attach_here"))
    code = attach(client, session_id, read_only=read_only)
    if code is None:
        click.echo(f"\r\nDetached; `jackfield terminal attach {session_id[:8]}` comes back.")
        return
    sys.exit(code)
