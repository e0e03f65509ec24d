"""From a plan and the attributes of a request to the targets that are tried, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from jackfield.api.proxy import TargetHealth
from jackfield.api.records import record
from jackfield_proxy.plan import ProxyPlan, Rule, Target
from jackfield_proxy.routing.aliases import aliased
from jackfield_proxy.routing.conditions import names_path, nested, scripts_in
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


Choices: TypeAlias = "Sequence[Rule] | Candidate"
"""The targets that a request may go to, before a strategy says in which order: the rules that fit, or the only
candidate.
"""


def choose(
    plan: ProxyPlan, attributes: RequestAttributes, health: TargetHealth, kinds: RoutingKinds = BUILT_IN
) -> Sequence[Candidate]:
    """At least one."""
    return ordered(plan, open_to(plan, attributes, kinds), health, kinds)


def open_to(plan: ProxyPlan, attributes: RequestAttributes, kinds: RoutingKinds = BUILT_IN) -> Choices:
    """An alias comes before every rule."""
    if plan.aliases and (found := aliased(plan.aliases, attributes.model)) is not None:
        return Candidate(found[1], None, f"the model alias {found[0]}")
    rules = fitting(plan, attributes, kinds)
    if not rules:
        own = Target(plan.provider, attributes.model)
        return Candidate(own, None, "no rule fits: the profile's provider with the model that was asked for")
    return rules


def ordered(plan: ProxyPlan, choices: Choices, health: TargetHealth, kinds: RoutingKinds) -> Sequence[Candidate]:
    """The strategy chooses among the rules that are no fallback; those follow in their own order. Where all are
    fallbacks it chooses among them. It may take a turn of `health`: once for what is sent, see `TurnlessHealth`."""
    if isinstance(choices, Candidate):
        return [choices]
    first = [rule for rule in choices if not rule.fallback]
    rules = kinds.ordered(kinds.strategy(plan.strategy), first or choices, health)
    if first:
        rules = [*rules, *(rule for rule in choices if rule.fallback)]
    return [Candidate(rule.target, rule.name, _reason(plan, rule), rule.fallback) for rule in rules]


def fitting(plan: ProxyPlan, attributes: RequestAttributes, kinds: RoutingKinds = BUILT_IN) -> Sequence[Rule]:
    """The highest priority first, and as stored among equals. Rules choose models of conversations; for embeddings,
    files and the like those alone count that name a path."""
    every = not kinds.strategy(plan.strategy).conditions
    known = plan.rules if attributes.converses else [rule for rule in plan.rules if names_path(rule.condition)]
    found = [rule for rule in known if every or kinds.holds(rule.condition, attributes)]
    return sorted(found, key=lambda rule: -rule.priority)


def conditions_met(plan: ProxyPlan, attributes: RequestAttributes, kinds: RoutingKinds = BUILT_IN) -> Sequence[bool]:
    """Whether each condition of the rules holds, and each within it: with a request's exact length this decides which
    rules fit."""
    return [kinds.holds(one, attributes) for rule in plan.rules for one in nested(rule.condition)]


def scripts_of(plan: ProxyPlan) -> frozenset[str]:
    """Every script that its rules need."""
    return frozenset(path for rule in plan.rules for path in scripts_in(rule.condition))


def _reason(plan: ProxyPlan, rule: Rule) -> str:
    return f"the rule {rule.name} (priority {rule.priority}, {rule.condition.get('type')}) under {plan.strategy}"
