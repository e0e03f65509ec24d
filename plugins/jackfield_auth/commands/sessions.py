"""`jackfield sessions`: sessions of browsers, one's own or a user's."""

from __future__ import annotations

from typing import cast

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, confirmed, daemon_command, segment
from jackfield_auth.commands.user_paths import user_path

user_option = click.option(
    "--user",
    metavar="NAME",
    default="",
    shell_complete=completed("/users", key="username", about="role"),
    help="A user's sessions, as an administrator; default: your own.",
)


@click.group("sessions", cls=CommandGroup)
def sessions() -> None:
    """Sessions of browsers: list them, end them."""


@sessions.command("list")
@user_option
@daemon_command
def list_sessions(call: DaemonCall, user: str) -> None:
    """List sessions: id, when they were used last, address, proofs, device."""
    rows = call.ask("GET", _path(call, user))["data"]
    shown = [{**row, "proofs": ", ".join(row["how"])} for row in rows]
    columns = {"ID": "id", "LAST SEEN": "lastSeenAt", "ADDRESS": "address", "PROOFS": "proofs", "DEVICE": "device"}
    call.table(columns, shown, "There is no session.")


@sessions.command()
@click.argument("session")
@user_option
@daemon_command
def end(call: DaemonCall, session: str, user: str) -> None:
    """End the session of this id."""
    call.ask("DELETE", f"{_path(call, user)}/{segment(session)}")
    call.say(f"The session {session} has ended.", {"id": session, "ended": True})


@sessions.command("end-all")
@user_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def end_all(call: DaemonCall, user: str, yes: bool) -> None:
    """End all sessions, and all tokens, but this command's own."""
    path = _path(call, user)
    confirmed(f"End all sessions and tokens of {user or 'yours'}?", yes=yes)
    ended = cast("int", call.ask("DELETE", path)["ended"])
    call.say(f"Ended sessions: {ended}.", {"ended": ended})


def _path(call: DaemonCall, user: str) -> str:
    return f"{user_path(call, user)}/sessions" if user else "/auth/sessions"
