"""`jackfield credential`: list, show, kinds, create, change, test, delete. Secrets never stand among arguments."""

from __future__ import annotations

import json
import sys

import click

from jackfield.api.cli import Columns, CommandGroup
from jackfield.api.daemon_commands import (
    DaemonCall,
    completed,
    completed_whole,
    confirmed,
    daemon_command,
    segment,
)
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

PATH = "/credentials"
LONGEST = 1 << 20
"""Characters of standard input that are read."""
COLUMNS: Columns = {"NAME": "name", "KIND": "kind", "UPDATED": "updatedAt", "ID": "id"}
KINDS = "/credential-kinds"
complete_kind = completed_whole(KINDS, key="kind", about="title")
credential_argument = click.argument("credential", shell_complete=completed(PATH))


@click.group(cls=CommandGroup)
def credential() -> None:
    """Credentials of workflows: list, show, create, change, test, delete."""


@credential.command("list")
@daemon_command
def list_credentials(call: DaemonCall) -> None:
    """List the credentials without their values."""
    call.table(COLUMNS, call.daemon.rows(PATH), "There is no credential.")


@credential.command()
@click.argument("kind", required=False, shell_complete=complete_kind)
@daemon_command
def kinds(call: DaemonCall, kind: str | None) -> None:
    """List the kinds of credentials, or the fields of KIND."""
    if kind is None:
        rows = call.ask("GET", KINDS)["data"]
        call.table({"KIND": "kind", "TITLE": "title"}, rows, "There is no kind of credential.")
        return
    found = call.ask("GET", f"{KINDS}/{segment(kind)}")
    columns = {"FIELD": "name", "TYPE": "type", "SECRET": "secret", "REQUIRED": "required", "MEANING": "description"}
    call.table(columns, found["fields"], "It has no field.")


@credential.command()
@credential_argument
@daemon_command
def show(call: DaemonCall, credential: str) -> None:
    """Show CREDENTIAL, an id or a name, without its secrets."""
    call.fields(call.ask("GET", _path(call, credential)))


@credential.command()
@click.argument("kind", shell_complete=complete_kind)
@click.argument("name")
@daemon_command
def create(call: DaemonCall, kind: str, name: str) -> None:
    """Create a credential of KIND named NAME. You are asked for its fields; a program gives them as a JSON object on
    standard input."""
    body = {"name": name, "kind": kind, "values": _values(call, kind)}
    found = call.ask("POST", PATH, body=body)
    call.say(f"The credential {name} was created: {found['id']}.", found)


@credential.command()
@credential_argument
@click.option("--name", help="Its new name.")
@click.option("--values", is_flag=True, help="New values: a JSON object on standard input.")
@daemon_command
def change(call: DaemonCall, credential: str, name: str | None, values: bool) -> None:
    """Change CREDENTIAL, an id or a name."""
    body: dict[str, Json] = {"name": name} if name else {}
    if values:
        body["values"] = _standard_input()
    if not body:
        raise InvalidInput("Give --name or --values.")
    call.say(f"The credential {credential} was changed.", call.ask("PATCH", _path(call, credential), body=body))


@credential.command()
@credential_argument
@click.option("--address", help="The URL to ask, for kinds that do not have their own address.")
@daemon_command
def test(call: DaemonCall, credential: str, address: str | None) -> None:
    """Try CREDENTIAL, an id or a name, at its service. Exit code 1 when it does not work."""
    found = call.ask("POST", f"{_path(call, credential)}/test", body={"url": address} if address else {})
    call.say(found["message"], found)
    if not found["valid"]:
        sys.exit(1)


@credential.command()
@credential_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, credential: str, yes: bool) -> None:
    """Delete CREDENTIAL, an id or a name."""
    found = call.identify(PATH, credential, "credential")
    confirmed(f"Delete the credential {credential}?", yes=yes)
    call.ask("DELETE", f"{PATH}/{segment(found)}")
    call.say(f"The credential {credential} was deleted.", {"id": found, "deleted": True})


def _path(call: DaemonCall, named: str) -> str:
    return f"{PATH}/{segment(call.identify(PATH, named, 'credential'))}"


def _values(call: DaemonCall, kind: str) -> dict[str, Json]:
    """Of a person field by field, else of standard input."""
    if not sys.stdin.isatty():
        return _standard_input()
    fields = call.ask("GET", f"{KINDS}/{segment(kind)}")["fields"]
    given = {field["name"]: _asked(field) for field in fields}
    return {name: value for name, value in given.items() if value != ""}


def _asked(field: dict[str, Json]) -> str:
    required = "" if field["required"] else " (may be empty)"
    found: str = click.prompt(
        f"{field['title']}{required}",
        default=None if field["required"] else str(field["default"]),
        hide_input=bool(field["secret"]),
        show_default=not field["secret"],
        err=True,
    )
    return found


def _standard_input() -> dict[str, Json]:
    text = sys.stdin.read(LONGEST + 1)
    try:
        found = json.loads(text) if len(text) <= LONGEST else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InvalidInput('Give the values on standard input as a JSON object, such as {"token": "..."}.')
    return found
