"""Commands that plugins add to `jackfield`."""

from __future__ import annotations

from copy import copy

import click

from jackfield.api.object_references import load

from .checks.precedence import NameTaken
from .plugins import PluginHost

KERNEL_COMMANDS = ("serve", "config", "plugins", "doctor", "keys", "store", "version")


def commands_of(host: PluginHost) -> dict[str, click.Command]:
    """Name -> command. Of two with one name the first counts, and Jackfield's own come first: which configuration there
    is turns out with the command alone, so it cannot choose. Groups of one name become one group. A command that cannot
    be loaded is its plugin's failure."""
    found: dict[str, click.Command] = {}
    owners = dict.fromkeys(KERNEL_COMMANDS, "the kernel")
    for name, offered in host.classes.items():
        for reference in offered.commands:
            try:
                command = load(reference)
                if not isinstance(command, click.Command) or not command.name:
                    raise TypeError(f"{reference} is no click command with a name")
                _add(found, command, name, owners)
            except BaseException as exc:
                host.failed(name, exc, f"cannot give the command {reference}")
    return found


def _add(found: dict[str, click.Command], command: click.Command, plugin: str, owners: dict[str, str]) -> None:
    name = str(command.name)
    known = found.get(name)
    if isinstance(known, click.Group) and isinstance(command, click.Group):
        for below in command.commands:
            if below in known.commands:
                raise NameTaken(f"command:{name} {below} exists already; give yours another name")
        merged = copy(known)  # the group itself belongs to its module
        merged.commands = {**known.commands, **command.commands}
        found[name] = merged
    elif (owner := owners.setdefault(name, plugin)) == plugin:
        found[name] = command
    else:
        raise NameTaken(f"command:{name} is given by {owner}; give yours another name")
