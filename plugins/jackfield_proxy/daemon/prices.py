"""The cost of targets and requests, by the price list of the usage."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.records import replace
from jackfield.api.telemetry import Tokens, Usage, UsageEntry
from jackfield_proxy.plan import Rule, Target


async def priced(context: PluginContext, rules: Sequence[Rule]) -> list[Rule]:
    """Each with its price where it is known."""
    return [replace(rule, price=await price_of(context, rule.target)) for rule in rules]


async def price_of(context: PluginContext, target: Target) -> float | None:
    """US dollars for a token in and one out; None: not known."""
    return await cost_of(context, target, Tokens(1, 1))


async def cost_of(context: PluginContext, target: Target, tokens: Tokens) -> float | None:
    """US dollars; None: not known."""
    found = await context.port(Usage).cost_of(
        UsageEntry(
            agent="",
            answer="",
            session_id="",
            time_ms=0,
            model=target.model,
            tokens=tokens,
            provider=target.provider,
        )
    )
    return None if found is None else found.total


async def dearest(context: PluginContext, targets: Sequence[Target], tokens: Tokens) -> float:
    """US dollars, of the one that costs most; 0 where no price is known."""
    return max([await cost_of(context, target, tokens) or 0.0 for target in targets], default=0.0)
