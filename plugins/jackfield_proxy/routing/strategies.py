"""Strategies: in which order the rules that fit are tried. The first is the choice; the others serve when it fails.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from jackfield.api.proxy import Rule, TargetHealth
from jackfield.api.records import record

Fitting: TypeAlias = "Sequence[Rule]"
"""Rules whose condition holds, the highest priority first; never empty."""
Ordering: TypeAlias = "Callable[[Fitting, TargetHealth], Sequence[Rule]]"


def _first(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    return fitting[:1]


def _every(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    return fitting


def _weighted(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    """Drawn by weight; rules of weight 0 only when there is no other."""
    total = sum(rule.weight for rule in fitting)
    if total <= 0:
        return fitting
    drawn = health.random() * total
    for rule in fitting:
        drawn -= rule.weight
        if drawn < 0:
            return _led_by(rule, fitting)
    return fitting


def _round_robin(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    turn = health.turn(tuple(rule.name for rule in fitting)) % len(fitting)
    return [*fitting[turn:], *fitting[:turn]]


def _least_busy(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    return sorted(fitting, key=lambda rule: health.busy(rule.target))


def _lowest_latency(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    """One that was not measured yet is tried first."""
    return sorted(fitting, key=lambda rule: health.latency(rule.target))


def _lowest_cost(fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
    """One whose price is not known comes last."""
    return sorted(fitting, key=lambda rule: float("inf") if rule.price is None else rule.price)


def _led_by(rule: Rule, fitting: Fitting) -> Sequence[Rule]:
    return [rule, *(other for other in fitting if other is not rule)]


@record
class BuiltInStrategy:
    """`jackfield.api.proxy.RoutingStrategy`."""

    name: str
    ordering: Ordering
    conditions: bool = True
    prices: bool = False

    def order(self, fitting: Fitting, health: TargetHealth) -> Sequence[Rule]:
        return self.ordering(fitting, health)


CONDITIONAL = BuiltInStrategy("Conditional", _first)
STRATEGIES = (
    BuiltInStrategy("Simple", _first, conditions=False),
    CONDITIONAL,
    BuiltInStrategy("Weighted", _weighted),
    BuiltInStrategy("RoundRobin", _round_robin),
    BuiltInStrategy("LeastBusy", _least_busy),
    BuiltInStrategy("LowestLatency", _lowest_latency),
    BuiltInStrategy("LowestCost", _lowest_cost, prices=True),
    BuiltInStrategy("Fallback", _every),
)
