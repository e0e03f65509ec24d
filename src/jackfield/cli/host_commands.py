"""`jackfield hosts`: the daemons that share a store."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from jackfield.api.cli import CommandGroup, cell, config_dir_option, echo_json, echo_table, json_option
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import completed_of, segment
from jackfield.api.jsontext import Json

from .runtime import Runtime

_PATH = "/api/hosts"


@click.group(cls=CommandGroup)
def hosts() -> None:
    """The daemons that share a store: list, drain, resume."""


@hosts.command("list")
@json_option
@config_dir_option
@click.pass_obj
def list_hosts(runtime: Runtime, config_dir: Path | None, as_json: bool) -> None:
    """List the hosts: roles, labels, slots in use, version and state."""
    rows = DaemonClient(runtime.config_dir(config_dir)).ask("GET", _PATH).data
    if as_json:
        echo_json(rows)
        return
    columns = ["NAME", "STATE", "ROLES", "LABELS", "SLOTS", "VERSION", "ADDRESS"]
    echo_table(columns, [_cells(row) for row in rows], empty="There is no host.")


def _cells(row: Mapping[str, Json]) -> list[str]:
    slots = row["slots"]
    used = [f"{role} {_share(found)}" for role, found in slots.items()] if isinstance(slots, dict) else []
    texts = (row["roles"], row["labels"])
    roles, labels = (", ".join(map(str, found)) if isinstance(found, list) else "" for found in texts)
    told = (row["name"], row["state"], roles, labels, ", ".join(used), row["version"], row["address"])
    return [cell(text) for text in told]


def _share(found: Json) -> str:
    return f"{found['used']}/{found['total']}" if isinstance(found, dict) else ""


@hosts.command()
@click.argument("name", shell_complete=completed_of(_PATH, key="name", about="state"))
@json_option
@config_dir_option
@click.pass_obj
def drain(runtime: Runtime, name: str, config_dir: Path | None, as_json: bool) -> None:
    """Let the host NAME take no new work. Its executions go on to their end; those that have not begun go to others."""
    _wish(runtime, config_dir, name, "drain", as_json=as_json)


@hosts.command()
@click.argument("name", shell_complete=completed_of(_PATH, key="name", about="state"))
@json_option
@config_dir_option
@click.pass_obj
def resume(runtime: Runtime, name: str, config_dir: Path | None, as_json: bool) -> None:
    """Let the host NAME take work again."""
    _wish(runtime, config_dir, name, "resume", as_json=as_json)


def _wish(runtime: Runtime, config_dir: Path | None, name: str, wish: str, *, as_json: bool) -> None:
    client = DaemonClient(runtime.config_dir(config_dir))
    found = client.ask("POST", f"{_PATH}/{segment(name)}/{wish}").data
    told = f"The host {name} is being drained." if wish == "drain" else f"The host {name} takes work again."
    echo_json(found) if as_json else click.echo(told)
