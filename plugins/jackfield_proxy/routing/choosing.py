"""From a plan and the attributes of a request to the targets that are tried, in order."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.records import record
from jackfield_proxy.plan import ProxyPlan, Rule, Target
from jackfield_proxy.routing.aliases import aliased
from jackfield_proxy.routing.conditions import names_path, scripts_in
from jackfield_proxy.routing.health import Health
from jackfield_proxy.routing.kinds import BUILT_IN, RoutingKinds
from jackfield_proxy.routing.request_attributes import RequestAttributes


@record
class Candidate:
    """rule: its name; None: an alias or the profile's own provider. reason: a sentence for a person. fallback: as the
    rule's."""

    target: Target
    rule: str | None = None
    reason: str = ""
    fallback: bool = False


def choose(
    plan: ProxyPlan, attributes: RequestAttributes, health: Health, kinds: RoutingKinds = BUILT_IN
) -> Sequence[Candidate]:
    """At least one. An alias comes before every rule."""
    if plan.aliases and (found := aliased(plan.aliases, attributes.model)) is not None:
        return [Candidate(found[1], None, f"the model alias {found[0]}")]
    rules = fitting(plan, attributes, kinds)
    if not rules:
        own = Target(plan.provider, attributes.model)
        return [Candidate(own, None, "no rule fits: the profile's provider with the model that was asked for")]
    ordered = _ordered(plan, rules, health, kinds)
    return [Candidate(rule.target, rule.name, _reason(plan, rule), rule.fallback) for rule in ordered]


def _ordered(plan: ProxyPlan, fitting: Sequence[Rule], health: Health, kinds: RoutingKinds) -> Sequence[Rule]:
    """The strategy chooses among the rules that are no fallback; those follow in their own order. Where all are
    fallbacks it chooses among them."""
    first = [rule for rule in fitting if not rule.fallback]
    chosen = kinds.ordered(kinds.strategy(plan.strategy), first or fitting, health)
    return [*chosen, *(rule for rule in fitting if rule.fallback)] if first else chosen


def fitting(plan: ProxyPlan, attributes: RequestAttributes, kinds: RoutingKinds = BUILT_IN) -> Sequence[Rule]:
    """The highest priority first, and as stored among equals. Rules choose models of conversations; for embeddings,
    files and the like those alone count that name a path."""
    every = not kinds.strategy(plan.strategy).conditions
    known = plan.rules if attributes.converses else [rule for rule in plan.rules if names_path(rule.condition)]
    found = [rule for rule in known if every or kinds.holds(rule.condition, attributes)]
    return sorted(found, key=lambda rule: -rule.priority)


def scripts_of(plan: ProxyPlan) -> frozenset[str]:
    """Every script that its rules need."""
    return frozenset(path for rule in plan.rules for path in scripts_in(rule.condition))


def _reason(plan: ProxyPlan, rule: Rule) -> str:
    return f"the rule {rule.name} (priority {rule.priority}, {rule.condition.get('type')}) under {plan.strategy}"
