"""`jackfield tag`: list, create, rename, delete."""

from __future__ import annotations

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, confirmed, daemon_command, segment

tag_argument = click.argument("tag", metavar="NAME|ID", shell_complete=completed("/tags"))


@click.group(cls=CommandGroup)
def tag() -> None:
    """Tags of workflows: list, create, rename, delete."""


@tag.command("list")
@daemon_command
def list_tags(call: DaemonCall) -> None:
    """List the tags."""
    call.table({"NAME": "name", "ID": "id"}, call.daemon.rows("/tags"), "There is no tag.")


@tag.command()
@click.argument("name")
@daemon_command
def create(call: DaemonCall, name: str) -> None:
    """Create the tag NAME."""
    found = call.ask("POST", "/tags", body={"name": name})
    call.say(f"The tag {found['name']} was created.", found)


@tag.command()
@tag_argument
@click.argument("name")
@daemon_command
def rename(call: DaemonCall, tag: str, name: str) -> None:
    """Give a tag another NAME; its workflows keep it."""
    ident = call.identify("/tags", tag, "tag")
    found = call.ask("PUT", f"/tags/{segment(ident)}", body={"name": name})
    call.say(f"The tag is called {found['name']}.", found)


@tag.command()
@tag_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, tag: str, yes: bool) -> None:
    """Delete a tag; its workflows stay."""
    ident = call.identify("/tags", tag, "tag")
    confirmed(f"Delete the tag {tag}?", yes=yes)
    call.ask("DELETE", f"/tags/{segment(ident)}")
    call.say(f"The tag {tag} was deleted.", {"id": ident, "deleted": True})
