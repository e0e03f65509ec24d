"""`jackfield community-nodes`: list, show, add, update, remove."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import click

from jackfield.api.cli import CommandGroup, echo_json, echo_warning
from jackfield.api.daemon_commands import DaemonCall, completed_whole, confirmed, daemon_command
from jackfield.api.errors import NotFound

PATH = "/community-nodes"
_PATIENCE = 7200.0
"""Seconds: the most that `community_nodes.install_timeout` may be, which is what ends it."""
_NAMES = completed_whole(PATH, key="name", about="version")
_INTEGRITY = click.option("--integrity", default="", help="Hash that the package's archive must have: sha512-...")
_WARNING = (
    "The package's code, and that of all that it needs, is its publishers'. It runs in a sandbox, and gets the items "
    "and credentials of the nodes that use it."
)


def split_name(text: str) -> tuple[str, str]:
    """`@acme/n8n-nodes-acme@1.2.0`: the name and the version, which may be missing."""
    name, _, version = text[1:].partition("@")
    return text[:1] + name, version


@click.group("community-nodes", cls=CommandGroup)
def community_nodes() -> None:
    """Nodes from npm packages that others publish: list, show, add, update, remove."""


@community_nodes.command("list")
@daemon_command
def list_packages(call: DaemonCall) -> None:
    """List the packages of the daemon's host."""
    found = call.ask("GET", PATH)
    if call.as_json:
        echo_json(found)
        return
    rows = [{**row, "count": len(row["nodes"])} for row in found["data"]]
    columns = {"NAME": "name", "VERSION": "version", "NODES": "count", "LICENSE": "license", "ADDED": "installedAt"}
    call.table(columns, rows, "There is no community package.")


@community_nodes.command()
@click.argument("name", shell_complete=_NAMES)
@daemon_command
def show(call: DaemonCall, name: str) -> None:
    """Show the package NAME with its nodes, its credentials and the hashes of all that it brought."""
    found = _found(call, name)
    if call.as_json:
        echo_json(found)
        return
    call.fields(
        found, {"name": "name", "version": "version", "hash": "integrity", "license": "license", "added": "installedAt"}
    )
    call.table({"NODE": "kind", "TITLE": "title", "CANNOT RUN": "missing"}, found["nodes"], "It has no node.")
    call.table(
        {"DEPENDENCY": "name", "VERSION": "version", "HASH": "integrity"}, found["dependencies"], "It needs no other."
    )


@community_nodes.command()
@click.argument("package", metavar="NAME[@VERSION]")
@_INTEGRITY
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def add(call: DaemonCall, package: str, integrity: str, yes: bool) -> None:
    """Add the npm package NAME, such as n8n-nodes-acme or @acme/n8n-nodes-acme@1.2.0."""
    name, version = split_name(package)
    if not yes:
        echo_warning(_WARNING)
    confirmed(f"Add the package {package}?", yes=yes)
    made = call.ask("POST", PATH, body={"name": name, "version": version, "integrity": integrity}, timeout=_PATIENCE)
    _say(call, made, "was added")


@community_nodes.command()
@click.argument("package", metavar="NAME[@VERSION]", shell_complete=_NAMES)
@_INTEGRITY
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def update(call: DaemonCall, package: str, integrity: str, yes: bool) -> None:
    """Bring the package NAME to a version, or to the newest."""
    name, version = split_name(package)
    confirmed(f"Bring the package {name} to {version or 'its newest version'}?", yes=yes)
    made = call.ask("PUT", _path(name), body={"version": version, "integrity": integrity}, timeout=_PATIENCE)
    _say(call, made, "is here now")


@community_nodes.command()
@click.argument("name", shell_complete=_NAMES)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def remove(call: DaemonCall, name: str, yes: bool) -> None:
    """Remove the package NAME; workflows keep its nodes, which no longer run."""
    confirmed(f"Remove the package {name}?", yes=yes)
    call.ask("DELETE", _path(name))
    call.say(f"The package {name} was removed.", {"name": name, "removed": True})


def _say(call: DaemonCall, made: Mapping[str, Any], done: str) -> None:  # Any: JSON of the daemon
    names = ", ".join(node["kind"] for node in made["nodes"])
    call.say(f"The package {made['name']} {made['version']} {done}: {names}. Its hash is {made['integrity']}.", made)
    for problem in made["problems"]:
        echo_warning(f"A part of it cannot be used: {problem}")


def _path(name: str) -> str:
    return f"{PATH}/{quote(name, safe='@/')}"


def _found(call: DaemonCall, name: str) -> Any:  # JSON of the daemon
    for row in call.ask("GET", PATH)["data"]:
        if row["name"] == name:
            return row
    raise NotFound(f"No community package has the name {name} here.")
