"""`jackfield git`: status, diff, push, pull, key."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from jackfield.api.cli import Columns, CommandGroup, echo_remark
from jackfield.api.daemon_commands import DaemonCall, daemon_command
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

PATH = "/git"
COLUMNS: Columns = {"CHANGED": "side", "FILE": "path", "NAME": "title", "GONE": "gone"}


@click.group(cls=CommandGroup)
def git() -> None:
    """Source control of workflows, profiles and evaluations: status, diff, push, pull, key."""


@git.command()
@daemon_command
def status(call: DaemonCall) -> None:
    """List what differs between the daemon and its branch, and on which side it has changed."""
    found = call.ask("GET", PATH)
    call.table(COLUMNS, found["changes"], "Nothing differs.")
    if found.get("protected"):
        echo_remark(f"The branch {found['branch']} is protected: changes reach it by a pull request.")


@git.command()
@click.argument("path")
@daemon_command
def diff(call: DaemonCall, path: str) -> None:
    """Show how the file PATH differs, from the repository to the daemon."""
    found = call.ask("GET", f"{PATH}/diff", query={"path": path})
    call.say(found["diff"] or "Nothing differs.", found)


@git.command()
@click.argument("paths", nargs=-1)
@click.option("-m", "--message", required=True, help="Of the commit.")
@click.option("--force", is_flag=True, help="Also what has changed in the repository meanwhile; that is lost.")
@daemon_command
def push(call: DaemonCall, paths: Sequence[str], message: str, force: bool) -> None:
    """Commit and push what has changed in the daemon: the files PATHS, or everything."""
    body: dict[str, Json] = {"message": message, "paths": list(paths), "force": force}
    found = call.ask("POST", f"{PATH}/push", body=body)
    call.say(f"The branch {found['branch']} is at {str(found['commit'])[:12]}.", found)


@git.command()
@click.option("--ours", multiple=True, metavar="PATH", help="Keep the daemon's; may be given again and again.")
@click.option("--theirs", multiple=True, metavar="PATH", help="Take the repository's; may be given again and again.")
@click.option("--all-ours", is_flag=True, help="Keep the daemon's of all others.")
@click.option("--force", is_flag=True, help="Take the repository's of all others.")
@daemon_command
def pull(call: DaemonCall, ours: Sequence[str], theirs: Sequence[str], all_ours: bool, force: bool) -> None:
    """Bring to the daemon what has changed in the branch. Exit code 1 when a file could not be brought."""
    if all_ours and force:
        raise InvalidInput("Give --all-ours or --force, not both.")
    others = "ours" if all_ours else "theirs" if force else "refuse"
    body: dict[str, Json] = {"ours": list(ours), "theirs": list(theirs), "others": others}
    found = call.ask("POST", f"{PATH}/pull", body=body)
    rows = [{"path": row["path"], "state": row["message"] or "is here"} for row in found["files"]]
    call.table({"FILE": "path", "STATE": "state"}, rows, "Nothing has changed there.")
    if not found["complete"]:
        sys.exit(1)


@git.command()
@daemon_command
def key(call: DaemonCall) -> None:
    """Show the daemon's public key for ssh; it is made when there is none."""
    found = call.ask("POST", f"{PATH}/key")
    call.say(found["publicKey"], found)
