"""Extension points: a hook that gives things of one kind, each under its own name.

Jackfield's points stand beside the Protocols that they are about. A plugin declares its own in
`Plugin.extension_points`; other plugins then implement the hook, and any plugin reads what was given with
`context.extensions(POINT)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from .records import record

ThingT = TypeVar("ThingT")
PointT_co = TypeVar("PointT_co", covariant=True)


@record
class ExtensionPoint(Generic[PointT_co]):
    """`hook`: the method that a plugin implements; it returns a sequence of things.

    `protocol`: their Protocol, every member of which the host checks. `check`: what it checks beyond that, one clause
    per mistake, such as `its name is empty`. `key`: the attribute by which a thing is known, a text or several. Each
    name counts once. `folds`: whether case does not tell names apart. Then a thing is known by its name in lower case.
    """

    hook: str
    protocol: Callable[..., PointT_co]
    """A class. Not `type[...]`, for which mypy refuses a Protocol."""
    key: str = "name"
    folds: bool = False
    check: Callable[[Any], Iterable[str]] | None = None
    """Any: what was given has the Protocol's members, of whatever type."""

    def names_of(self, thing: object) -> Sequence[str]:
        """The names under which a thing is known; most have one."""
        found = getattr(thing, self.key)
        names = [str(name) for name in found] if isinstance(found, list | tuple) else [str(found)]
        return [name.lower() for name in names] if self.folds else names


@record
class Given(Generic[ThingT]):
    """A plugin's contribution.

    `entry`: the place of the plugin's class. `distribution`: the stranger's that brings the plugin; empty for
    Jackfield's own.
    """

    plugin: str
    entry: str
    value: ThingT
    distribution: str = ""


class PluginReports(Protocol):
    """A port of the kernel: who calls another plugin's things tells here of those that failed."""

    def report(self, plugin: str, mistake: str) -> None:
        """The plugin counts as failed from now on, and `/api/plugins` and the log have the mistake, one clause.

        It reports the same mistake once. Never raises.
        """

    def plugin_of_node(self, kind: str) -> str | None:
        """The plugin whose node type of this kind counts."""
