"""Prices of rules' targets, for the strategy `LowestCost`: from the registry's list, else from the shipped one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.records import replace
from jackfield_proxy.plan import Rule, Target

OWN, SHIPPED = "litellm-pricing.json", "litellm.json"
_COSTS = ("input_cost_per_token", "output_cost_per_token")


async def priced(context: PluginContext, rules: Sequence[Rule]) -> list[Rule]:
    """Each with its price where it is known. What cannot be read counts as not known."""
    listed = await asyncio.to_thread(_listed, context)
    return [replace(rule, price=_price(listed, rule.target)) for rule in rules]


def _listed(context: PluginContext) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for path in reversed(_places(context)):
        try:
            value = orjson.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        found |= value if isinstance(value, dict) else {}
    return found


def _places(context: PluginContext) -> Sequence[Path]:
    """The registry's before shipped ones."""
    own = context.service.config_dir / "registry" / OWN
    return [own, *(folder / SHIPPED for folder in context.layers.directories("pricing"))]


def _price(listed: Mapping[str, object], target: Target) -> float | None:
    for name in (target.text, target.model, target.model.rpartition("/")[2]):
        entry = listed.get(name)
        if isinstance(entry, dict):
            costs = [entry.get(cost) for cost in _COSTS]
            if all(isinstance(cost, int | float) for cost in costs):
                return float(sum(cost for cost in costs if isinstance(cost, int | float)))
    return None
