"""Strategies and conditions of other plugins: the ones that the plan names are loaded here, alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import pluggy

from jackfield.api.hooks import PROJECT
from jackfield.api.object_references import load
from jackfield.api.plugin import OutsideContext
from jackfield_proxy.child.process.log import say
from jackfield_proxy.plan import PluginSource
from jackfield_proxy.routing.kinds import BUILT_IN, RoutingKinds

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.plugin import Plugin

_HOOKS = ("jackfield_proxy_strategies", "jackfield_proxy_conditions")
_MOST_COMPLAINTS = 100
"""Different ones that are written to the log."""


def kinds_of(sources: Sequence[PluginSource]) -> RoutingKinds:
    """Ours first, then theirs. A plugin that cannot be loaded is named in the log; what it gives is not known."""
    given: tuple[list[Any], list[Any]] = list(BUILT_IN.strategies.values()), list(BUILT_IN.conditions.values())
    for source in sources:
        try:
            found = _given(source)
        except (Exception, SystemExit) as exc:
            say(f"the plugin {source.name} cannot be used for routing: {type(exc).__name__}: {exc}")
        else:
            given[0].extend(found[0])
            given[1].extend(found[1])
    return RoutingKinds.of(*given, _Once())


def _given(source: PluginSource) -> tuple[list[Any], list[Any]]:
    """Any: told apart by hook, checked by name."""
    if source.root and source.root not in sys.path:
        sys.path.append(source.root)
    offered = cast("type[Plugin]", load(source.entry))
    plugin = offered(cast("PluginContext", OutsideContext(source.name)))
    manager = pluggy.PluginManager(PROJECT)
    manager.register(plugin, source.name)
    found: list[list[Any]] = []
    for hook, attribute in zip(_HOOKS, ("name", "type"), strict=True):
        caller = getattr(manager.hook, hook, None)
        implementations = caller.get_hookimpls() if caller is not None else []
        things = [thing for one in implementations for thing in one.function()]
        for thing in things:
            getattr(thing, attribute)
        found.append(things)
    return found[0], found[1]


class _Once:
    """Says each complaint once."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, text: str) -> None:
        if text not in self._said and len(self._said) < _MOST_COMPLAINTS:
            self._said.add(text)
            say(text)
