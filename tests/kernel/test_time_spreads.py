"""Histograms of times, and the names that they tell apart."""

from __future__ import annotations

from jackfield.api.diagnosis import Metric
from jackfield.api.time_spreads import BoundedSpreads, TimeSpread
from jackfield.core.checks.metric_values import SampleCheck


def found(metrics: list[Metric]) -> dict[str, float]:
    return {f"{each.part} {each.labels.get('le', '')}".strip(): each.value for each in metrics}


def test_each_bucket_counts_those_below_it_too() -> None:
    spread = TimeSpread((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7):
        spread.add(seconds)
    told = list(spread.metrics("some_seconds", "Some.", {"kind": "a"}))
    assert found(told) == {"bucket 0.1": 2, "bucket 1.0": 3, "bucket +Inf": 4, "sum": 7.65, "count": 4}
    assert spread.count == 4
    check = SampleCheck()
    assert [problem for each in told for problem in check(each)] == []


def test_nothing_is_told_of_nothing() -> None:
    assert list(TimeSpread((1.0,)).metrics("some_seconds", "Some.", {})) == []


def test_further_names_are_one_and_known_ones_stay_apart() -> None:
    spreads = BoundedSpreads((1.0,), 2)
    for name in ("a", "b", "c", "d", "a", "c"):
        spreads.add(name, "x", "y", 0.5)
    spreads.add("a", "z", "y", 0.5)
    counts = {(name, first): spread.count for name, first, _, spread in spreads}
    assert counts == {("a", "x"): 2, ("b", "x"): 1, ("other", "x"): 3, ("a", "z"): 1}


def test_no_names_are_told_apart_where_none_may_be() -> None:
    spreads = BoundedSpreads((1.0,), 0)
    spreads.add("a", "x", "y", 0.5)
    assert [name for name, *_ in spreads] == ["other"]
