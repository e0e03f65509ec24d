"""Strategies and conditions that other plugins give, as the daemon knows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from jackfield.api.context import PluginContext
from jackfield.api.extensions import Given
from jackfield.api.jsontext import Json
from jackfield.api.proxy import PROXY_CONDITIONS, PROXY_STRATEGIES
from jackfield_proxy.plan import PluginSource, Rule
from jackfield_proxy.routing.conditions import nested
from jackfield_proxy.routing.kinds import BUILT_IN, GRAMMAR, RoutingKinds

_OWN = "jackfield_proxy:ProxyPlugin"
GivenT = TypeVar("GivenT")


def kinds_of(context: PluginContext) -> RoutingKinds:
    """For rules that are tried in the daemon."""
    strategies = [given.value for given in context.given(PROXY_STRATEGIES).values()]
    conditions = [given.value for given in context.given(PROXY_CONDITIONS).values()]
    return RoutingKinds.of(
        [*BUILT_IN.strategies.values(), *strategies],
        [*BUILT_IN.conditions.values(), *conditions],
        context.log.warning,
    )


def kinds_view(context: PluginContext) -> dict[str, Json]:
    """Every strategy and condition that a rule may name, and the plugin that gives it."""
    own = [name.name for name in BUILT_IN.strategies.values()]
    types = [*BUILT_IN.conditions, *GRAMMAR]
    strategies = {
        **dict.fromkeys(own),
        **{one.value.name: one.plugin for one in _added(context.given(PROXY_STRATEGIES))},
    }
    conditions = {
        **dict.fromkeys(types),
        **{one.value.type: one.plugin for one in _added(context.given(PROXY_CONDITIONS))},
    }
    return {"strategies": _named_by(strategies), "conditions": _named_by(conditions)}


def _added(given: Mapping[str, Given[GivenT]]) -> list[Given[GivenT]]:
    return [one for one in given.values() if one.entry != _OWN]


def _named_by(found: Mapping[str, str | None]) -> list[Json]:
    return [{"name": name, "plugin": plugin} for name, plugin in found.items()]


def sources(context: PluginContext, strategy: str, rules: Sequence[Rule]) -> tuple[PluginSource, ...]:
    """The plugins whose strategy or conditions a plan names, each once; ours is there anyway."""
    found = {given.plugin: given for given in _named(context, strategy, rules) if given.entry != _OWN}
    return tuple(PluginSource(given.plugin, given.entry, _root(given.entry)) for given in found.values())


def _named(context: PluginContext, strategy: str, rules: Sequence[Rule]) -> Iterator[Given[Any]]:
    """Any: of either kind."""
    if (given := context.given(PROXY_STRATEGIES).get(strategy.lower())) is not None:
        yield given
    types = {str(part.get("type")) for rule in rules for part in nested(rule.condition)}
    for kind in sorted(types):
        if (condition := context.given(PROXY_CONDITIONS).get(kind)) is not None:
            yield condition


def _root(entry: str) -> str:
    """The directory that the plugin's package or module was found in; empty: not known."""
    top = entry.partition(":")[0].partition(".")[0]
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None)
    if file is None:
        return ""
    return str(Path(file).parents[1] if hasattr(module, "__path__") else Path(file).parent)
