"""`jackfield variable`: list, set, delete."""

from __future__ import annotations

import sys

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed_whole, confirmed, daemon_command, segment
from jackfield.api.errors import InvalidInput, NotFound

LONGEST = 1 << 20
"""More of standard input is not read, in characters."""
key_argument = click.argument("key", shell_complete=completed_whole("/variables", key="key"))


@click.group(cls=CommandGroup)
def variable() -> None:
    """Variables, which expressions read as $vars: list, set, delete."""


@variable.command("list")
@daemon_command
def list_variables(call: DaemonCall) -> None:
    """List the variables with their values."""
    call.table({"KEY": "key", "VALUE": "value"}, call.ask("GET", "/variables")["data"], "There is no variable.")


@variable.command("set")
@key_argument
@click.argument("value")
@daemon_command
def set_variable(call: DaemonCall, key: str, value: str) -> None:
    """Give the variable KEY a VALUE; - reads it from standard input. Put secrets into credentials instead."""
    text = sys.stdin.read(LONGEST + 1).rstrip("\n") if value == "-" else value
    if len(text) > LONGEST:
        raise InvalidInput(f"The value of a variable has at most {LONGEST} characters.")
    present = _found(call, key)
    if present is None:
        found = call.ask("POST", "/variables", body={"key": key, "value": text})
    else:
        found = call.ask("PATCH", f"/variables/{segment(present)}", body={"value": text})
    call.say(f"The variable {key} was set.", found)


@variable.command()
@key_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, key: str, yes: bool) -> None:
    """Delete the variable KEY."""
    present = _found(call, key)
    if present is None:
        raise NotFound(f"There is no variable {key}.")
    confirmed(f"Delete the variable {key}?", yes=yes)
    call.ask("DELETE", f"/variables/{segment(present)}")
    call.say(f"The variable {key} was deleted.", {"key": key, "deleted": True})


def _found(call: DaemonCall, key: str) -> str | None:
    """The id of the variable with this key."""
    rows = call.ask("GET", "/variables")["data"]
    return next((str(row["id"]) for row in rows if row["key"] == key), None)
