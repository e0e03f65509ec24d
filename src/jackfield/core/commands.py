"""Commands that plugins add to `jackfield`."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING

import click

from jackfield.api.object_references import load

from .checks.precedence import NameTaken

if TYPE_CHECKING:
    from .plugins import PluginHost

KERNEL_COMMANDS = ("serve", "config", "plugins", "doctor", "keys", "store", "version")


def commands_of(host: PluginHost) -> dict[str, click.Command]:
    """Name -> command.

    Of two with one name the first counts, and Jackfield's own come first. The command alone decides which configuration
    there is, so the configuration cannot choose. Groups of one name become one group. A command that cannot be loaded
    is its plugin's failure.
    """
    found: dict[str, click.Command] = {}
    owners = dict.fromkeys(KERNEL_COMMANDS, "the kernel")
    for name, offered in host.classes.items():
        for reference in offered.commands:
            try:
                _add(found, _loaded(reference), name, owners)
            except BaseException as exc:
                host.failed(name, exc, f"cannot give the command {reference}")
    return found


def places_of(host: PluginHost) -> dict[str, list[str]]:
    """Name of a command -> the references of which `joined` makes it. For plugins without a mistake."""
    found: dict[str, list[str]] = {}
    for offered in host.classes.values():
        for reference in offered.commands:
            found.setdefault(str(_loaded(reference).name), []).append(reference)
    return found


def joined(references: Iterable[str]) -> click.Command:
    """The command that stands at these places. Raises ImportError, TypeError, `NameTaken`."""
    found: dict[str, click.Command] = {}
    for reference in references:
        command = _loaded(reference)
        _add(found, command, "", {str(command.name): ""})
    (command,) = found.values()
    return command


def _loaded(reference: str) -> click.Command:
    command = load(reference)
    if not isinstance(command, click.Command) or not command.name:
        raise TypeError(f"{reference} is no click command with a name")
    return command


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
