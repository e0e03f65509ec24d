"""Strategies and conditions that other plugins give, as the daemon knows them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jackfield.api.context import PluginContext
from jackfield.api.proxy import Given
from jackfield_proxy.plan import PluginSource, Rule
from jackfield_proxy.routing.conditions import parts
from jackfield_proxy.routing.kinds import BUILT_IN, Kinds

_OWN = "jackfield_proxy"


def kinds_of(context: PluginContext) -> Kinds:
    """For rules that are tried in the daemon."""
    strategies = [given.value for given in context.proxy_strategies.values()]
    conditions = [given.value for given in context.proxy_conditions.values()]
    return Kinds.of(
        [*BUILT_IN.strategies.values(), *strategies],
        [*BUILT_IN.conditions.values(), *conditions],
        context.log.warning,
    )


def sources(context: PluginContext, strategy: str, rules: Sequence[Rule]) -> tuple[PluginSource, ...]:
    """The plugins whose strategy or conditions a plan names, each once; ours is there anyway."""
    found = {given.plugin: given for given in _named(context, strategy, rules) if given.entry != _OWN}
    return tuple(PluginSource(given.plugin, given.entry, _root(given.entry)) for given in found.values())


def _named(context: PluginContext, strategy: str, rules: Sequence[Rule]) -> Iterator[Given[Any]]:
    """Any: of either kind."""
    if (given := context.proxy_strategies.get(strategy.lower())) is not None:
        yield given
    types = {str(part.get("type")) for rule in rules for part in parts(rule.condition)}
    for kind in sorted(types):
        if (condition := context.proxy_conditions.get(kind)) is not None:
            yield condition


def _root(entry: str) -> str:
    """The directory that the plugin's package or module was found in; empty: not known."""
    top = entry.partition(":")[0].partition(".")[0]
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None)
    if file is None:
        return ""
    return str(Path(file).parents[1] if hasattr(module, "__path__") else Path(file).parent)
