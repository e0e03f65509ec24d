"""Commands that plugins add to `jackfield`."""

from __future__ import annotations

import click

from jackfield.api.places import load

from .checks.precedence import Precedence, Taken
from .plugins import PluginHost


def commands_of(host: PluginHost) -> dict[str, click.Command]:
    """Name -> command. Of two with one name Jackfield's own counts; groups of one name become one group. A command that
    cannot be loaded is its plugin's failure."""
    found: dict[str, click.Command] = {}
    precedence = Precedence({}, lambda plugin: host.plugins[plugin].is_own)
    for name, offered in host.classes.items():
        for place in offered.commands:
            try:
                command = load(place)
                if not isinstance(command, click.Command) or not command.name:
                    raise TypeError(f"{place} is no click command with a name")
                _add(found, command, name, precedence)
            except Taken as exc:
                host.report(name, str(exc))
            except Exception as exc:
                host.failed(name, exc, f"cannot give the command {place}")
    return found


def _add(found: dict[str, click.Command], command: click.Command, plugin: str, precedence: Precedence) -> None:
    name = str(command.name)
    known = found.get(name)
    if isinstance(known, click.Group) and isinstance(command, click.Group):
        for below in command.commands.values():
            if below.name in known.commands:
                raise Taken(f"the command {name} {below.name} exists already; give yours another name")
            known.add_command(below)
    elif precedence.claim(plugin, f"command:{name}"):
        found[name] = command
