"""`jackfield projects`: list, create, rename, delete, members, add, remove, move, share, unshare, close, open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, confirmed, daemon_command, identified, segment
from jackfield.api.jsontext import Json

ROLES = ("viewer", "editor", "admin")
KINDS = ("workflow", "credential", "variable", "data-table", "profile", "virtual-key")
project_argument = click.argument("project", shell_complete=completed("/projects"))
kind_argument = click.argument("kind", type=click.Choice(KINDS))


@click.group("projects", cls=CommandGroup)
def projects() -> None:
    """Projects: list them, make them, name their members, move and share what belongs to them."""


@projects.command("list")
@daemon_command
def list_projects(call: DaemonCall) -> None:
    """List your projects."""
    found = call.ask("GET", "/projects")["data"]
    call.table({"ID": "id", "NAME": "name", "KIND": "kind", "ROLE": "role"}, found, "There is no project.")


@projects.command()
@click.argument("name")
@daemon_command
def create(call: DaemonCall, name: str) -> None:
    """Create a team project NAME."""
    made = call.ask("POST", "/projects", body={"name": name})
    call.say(f"The project {made['name']} was created with the id {made['id']}.", made)


@projects.command()
@project_argument
@click.argument("name")
@daemon_command
def rename(call: DaemonCall, project: str, name: str) -> None:
    """Give the PROJECT, by its name or id, another NAME."""
    made = call.ask("PATCH", _path(call, project), body={"name": name})
    call.say(f"The project is called {made['name']} now.", made)


@projects.command()
@project_argument
@click.option("--move-to", metavar="PROJECT", help="The project that gets what belongs to it.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, project: str, move_to: str | None, yes: bool) -> None:
    """Delete the PROJECT, which has nothing any more, or gives it to another one."""
    path = _path(call, project)
    query = {} if move_to is None else {"movingTo": _ident(call, move_to)}
    confirmed(f"Delete the project {project}?", yes=yes)
    call.ask("DELETE", path, query=query)
    call.say(f"The project {project} was deleted.", {"id": path.rpartition("/")[2], "deleted": True})


@projects.command()
@project_argument
@daemon_command
def members(call: DaemonCall, project: str) -> None:
    """List the members of the PROJECT."""
    found = call.ask("GET", f"{_path(call, project)}/members")["data"]
    call.table({"USER": "username", "ROLE": "role", "ID": "userId"}, found, "The project has no members.")


@projects.command()
@project_argument
@click.argument("user")
@click.option("--role", type=click.Choice(ROLES), default="editor", show_default=True)
@daemon_command
def add(call: DaemonCall, project: str, user: str, role: str) -> None:
    """Make the USER, by name or id, a member of the PROJECT, or give the member another role."""
    path = f"{_path(call, project)}/members/{segment(user)}"
    made = call.ask("PUT", path, body={"role": f"project:{role}"})
    call.say(f"{made['username']} is {role} of the project.", made)


@projects.command()
@project_argument
@click.argument("user")
@daemon_command
def remove(call: DaemonCall, project: str, user: str) -> None:
    """Take the USER out of the PROJECT."""
    call.ask("DELETE", f"{_path(call, project)}/members/{segment(user)}")
    call.say(f"{user} is no member of the project any more.", {"user": user, "removed": True})


@projects.command()
@kind_argument
@click.argument("resource_id", metavar="ID")
@project_argument
@daemon_command
def move(call: DaemonCall, kind: str, resource_id: str, project: str) -> None:
    """Move the workflow, credential, variable, data table, profile (by its alias) or virtual key of this ID to the
    PROJECT."""
    target = _ident(call, project)
    made = call.ask("PUT", f"/placements/{kind}/{segment(resource_id)}", body={"projectId": target})
    call.say(f"The {kind} belongs to the project {project} now.", made)


@projects.command()
@kind_argument
@click.argument("resource_id", metavar="ID")
@click.argument("target", metavar="PROJECT|USER-ID")
@daemon_command
def share(call: DaemonCall, kind: str, resource_id: str, target: str) -> None:
    """Let another project, or a user, use the workflow, credential or other of this ID."""
    made = call.ask("PUT", _share(call, kind, resource_id, target))
    call.say(f"The {kind} is shared with {target} now.", made)


@projects.command()
@kind_argument
@click.argument("resource_id", metavar="ID")
@click.argument("target", metavar="PROJECT|USER-ID")
@daemon_command
def unshare(call: DaemonCall, kind: str, resource_id: str, target: str) -> None:
    """Share something no more."""
    call.ask("DELETE", _share(call, kind, resource_id, target))
    call.say(f"The {kind} is not shared with {target} any more.", {"id": resource_id, "shared": False})


@projects.command("open")
@daemon_command
def open_shared(call: DaemonCall) -> None:
    """Let every user into the shared project, as at the beginning."""
    made = call.ask("PATCH", "/projects/jackfield", body={"isOpen": True})
    call.say("Every user is a member of the shared project now.", made)


@projects.command()
@daemon_command
def close(call: DaemonCall) -> None:
    """Keep the shared project for administrators and the members that you add."""
    made = call.ask("PATCH", "/projects/jackfield", body={"isOpen": False})
    call.say("Only members that were added are in the shared project now.", made)


def _share(call: DaemonCall, kind: str, resource_id: str, target: str) -> str:
    """`target` may be the id of a user, whose personal project is in no list of others."""
    found = _listed(call)
    ident = identified(found, target, "project") if any(row["name"] == target for row in found) else target
    return f"/placements/{kind}/{segment(resource_id)}/shares/{segment(ident)}"


def _path(call: DaemonCall, project: str) -> str:
    return f"/projects/{segment(_ident(call, project))}"


def _ident(call: DaemonCall, project: str) -> str:
    return identified(_listed(call), project, "project")


def _listed(call: DaemonCall) -> Sequence[Mapping[str, Json]]:
    """All at once: the list has no pages, as `DaemonCall.identify` would ask for."""
    found: Sequence[Mapping[str, Json]] = call.ask("GET", "/projects")["data"]
    return found
