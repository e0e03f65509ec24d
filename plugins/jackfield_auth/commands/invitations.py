"""`jackfield invitations`: links that make a user, or set another password."""

from __future__ import annotations

from typing import Any

import click

from jackfield.api.auth import ROLES
from jackfield.api.cli import CommandGroup, echo_remark, echo_warning
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield_auth.commands.user_paths import user_path

PATH = "/invitations"


@click.group("invitations", cls=CommandGroup)
def invitations() -> None:
    """Invitations and links for another password: list, create, reset, revoke."""


@invitations.command("list")
@daemon_command
def list_links(call: DaemonCall) -> None:
    """List the open links: id, kind, when they end, whom they are for."""
    rows = call.ask("GET", PATH)["data"]
    columns = {"ID": "id", "KIND": "purpose", "ROLE": "role", "ENDS": "expiresAt", "FOR": "label"}
    call.table(columns, [{"role": "", **row} for row in rows], "There is no open link.")


@invitations.command()
@click.option("--role", type=click.Choice(ROLES), required=True, help="Of the user that the link makes.")
@click.option("--for", "label", default="", metavar="TEXT", help="Tells invitations apart, such as an address.")
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="ID",
    shell_complete=completed("/projects"),
    help="A project that the user becomes an editor of; may be given again.",
)
@click.option("--expires-in", type=click.IntRange(60, 366 * 86400), metavar="SECONDS", help="Default: the setting's.")
@daemon_command
def create(call: DaemonCall, role: str, label: str, projects: tuple[str, ...], expires_in: int | None) -> None:
    """Invite somebody: prints the link, which is shown this once and works once."""
    body: dict[str, Any] = {"role": role, "label": label, "projects": [{"id": project} for project in projects]}
    if expires_in is not None:
        body["expiresIn"] = expires_in
    made = call.ask("POST", PATH, body=body)
    if made["mailed"]:
        echo_remark(f"The invitation was mailed to {made['label']}.")
    elif made.get("mailProblem"):
        echo_warning(f"The invitation was not mailed: {made['mailProblem']} Send the link yourself.")
    call.say(made["address"], made)


@invitations.command()
@click.argument("name", shell_complete=completed("/users", key="username", about="role"))
@daemon_command
def reset(call: DaemonCall, name: str) -> None:
    """Make a link with which the user NAME sets another password, and print it."""
    made = call.ask("POST", f"{user_path(call, name)}/reset-link")
    call.say(made["address"], made)


@invitations.command()
@click.argument("link")
@daemon_command
def revoke(call: DaemonCall, link: str) -> None:
    """Take the link of this id back."""
    call.ask("DELETE", f"{PATH}/{segment(link)}")
    call.say(f"The link {link} works no more.", {"id": link, "revoked": True})
