"""Strategies, and the choice among rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from proxy_lab import rule

from jackfield.api.records import replace
from jackfield_proxy.plan import ProxyLimits, ProxyPlan, Target
from jackfield_proxy.routing.choosing import choose
from jackfield_proxy.routing.health import TargetRecords
from jackfield_proxy.routing.request_attributes import RequestAttributes

THREE = (rule("low", "a/1", 1), rule("high", "b/2", 9), rule("middle", "c/3", 5))
LIMITS = ProxyLimits(breaker_failures=2, breaker_open=30.0, retry_after_limit=60.0)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def targets(
    strategy: str, health: TargetRecords | None = None, attributes: RequestAttributes | None = None, **more: Any
) -> list[str]:
    plan = ProxyPlan("p", "t", "own", strategy=strategy, **{"rules": THREE, **more})
    return [
        one.target.text
        for one in choose(plan, attributes or RequestAttributes(model="asked"), health or TargetRecords(Clock()))
    ]


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("Conditional", ["b/2"]),
        ("Simple", ["b/2"]),
        ("Fallback", ["b/2", "c/3", "a/1"]),
        ("LeastBusy", ["b/2", "c/3", "a/1"]),
        ("LowestLatency", ["b/2", "c/3", "a/1"]),
        ("unheard-of", ["b/2"]),
    ],
)
def test_order_of_idle_targets(strategy: str, expected: list[str]) -> None:
    assert targets(strategy) == expected


@pytest.mark.parametrize(
    "strategy",
    ["Conditional", "Simple", "Weighted", "RoundRobin", "LeastBusy", "LowestLatency", "LowestCost", "Fallback"],
)
def test_a_fallback_never_comes_first(strategy: str) -> None:
    """Although it is idle, the fastest, the cheapest and has the highest priority."""
    reserve = replace(rule("reserve", "z/9", 99), fallback=True, price=0.0, weight=1000.0)
    later = replace(rule("later", "y/8", 98), fallback=True)
    health = TargetRecords(Clock(), lambda: 0.99)
    for one in THREE:
        health.began(one.target)
        health.answered(one.target, 5.0)
    for _ in range(4):
        found = targets(strategy, health, rules=(reserve, later, *(replace(one, price=1.0) for one in THREE)))
        assert found[-2:] == ["z/9", "y/8"]
        assert found[0] not in ("z/9", "y/8")
    assert targets(strategy, health, rules=(reserve,)) == ["z/9"], "nothing else fits"


def test_only_rules_that_fit_are_tried() -> None:
    rules = (rule("picture", "a/1", 9, type="image"), rule("rest", "b/2"))
    assert targets("Fallback", rules=rules) == ["b/2"]
    assert targets("Simple", rules=rules) == ["a/1"], "Simple does not look at conditions"


def test_without_a_rule_the_profiles_provider_gets_the_asked_model() -> None:
    assert targets("Conditional", rules=()) == ["own/asked"]
    assert targets("Fallback", rules=(rule("x", "a/1", type="image"),)) == ["own/asked"]


def test_an_alias_comes_before_every_rule() -> None:
    assert targets("Fallback", aliases={"asked": Target("z", "deep/model")}) == ["z/deep/model"]


def test_round_robin_takes_turns() -> None:
    health = TargetRecords(Clock())
    assert [targets("RoundRobin", health)[0] for _ in range(6)] == ["b/2", "c/3", "a/1"] * 2


def test_weighted_draws_by_weight() -> None:
    rules = (replace(rule("one", "a/1"), weight=3.0), replace(rule("two", "b/2"), weight=1.0),
             replace(rule("never", "c/3"), weight=0.0))  # fmt: skip
    draws = iter([n / 100 for n in range(100)])
    health = TargetRecords(Clock(), lambda: next(draws))
    assert Counter(targets("Weighted", health, rules=rules)[0] for _ in range(100)) == {"a/1": 75, "b/2": 25}


def test_weights_of_nothing_keep_the_order() -> None:
    rules = tuple(replace(one, weight=0.0) for one in THREE)
    assert targets("Weighted", rules=rules) == ["b/2", "c/3", "a/1"]


def test_least_busy_and_lowest_latency() -> None:
    health = TargetRecords(Clock())
    health.began(Target("b", "2"))
    assert targets("LeastBusy", health)[-1] == "b/2"
    health.answered(Target("b", "2"), 2.0)
    health.answered(Target("c", "3"), 1.0)
    assert targets("LowestLatency", health) == ["a/1", "c/3", "b/2"], "what was not measured yet is tried first"


def test_lowest_cost_puts_unknown_prices_last() -> None:
    rules = (
        rule("unknown", "a/1", 9),
        replace(rule("dear", "b/2"), price=5.0),
        replace(rule("cheap", "c/3"), price=1.0),
    )
    assert targets("LowestCost", rules=rules) == ["c/3", "b/2", "a/1"]


def test_breaker_opens_after_failures_in_a_row_and_one_success_closes_it() -> None:
    clock, target = Clock(), Target("a", "1")
    health = TargetRecords(clock)
    health.failed(target, LIMITS)
    assert health.open_for(target) == 0
    health.failed(target, LIMITS)
    assert health.open_for(target) == 30
    clock.now += 30
    assert health.open_for(target) == 0
    health.failed(target, LIMITS)
    assert health.open_for(target) == 30, "after the pause one failure is enough"
    health.answered(target, 0.1)
    assert health.open_for(target) == 0


def test_retry_after_is_a_pause_within_its_limit() -> None:
    health, target = TargetRecords(Clock()), Target("a", "1")
    health.failed(target, LIMITS, retry_after=7.0)
    assert health.open_for(target) == 7
    health.failed(target, replace(LIMITS, breaker_failures=99), retry_after=9000.0)
    assert health.open_for(target) == 60


def test_memory_of_targets_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_proxy.routing.health.MOST", 10)
    health = TargetRecords(Clock())
    health.began(Target("kept", "x"))
    for number in range(100):
        health.answered(Target("a", str(number)), 1.0)
        health.turn((str(number),))
    assert health.busy(Target("kept", "x")) == 1
    assert len(health._records) <= 11
    assert len(health._turns) == 10


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-sonnet-5", "b/sonnet-5"),
        ("claude-haiku-4", "c/small"),
        ("claude-opus-5", "a/exact"),
        ("gpt-5", "d/gpt-5"),
    ],
)
def test_a_name_comes_before_globs_and_the_glob_that_says_more_before_others(model: str, expected: str) -> None:
    aliases = {
        "*": Target("d", "*"),
        "claude-*": Target("b", "*"),
        "claude-haiku*": Target("c", "small"),
        "claude-opus-5": Target("a", "exact"),
    }
    found = choose(ProxyPlan("p", "t", "own", aliases=aliases), RequestAttributes(model=model), TargetRecords(Clock()))
    assert [one.target.text for one in found] == [expected]
