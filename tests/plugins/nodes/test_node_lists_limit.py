"""Limit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items


def numbers(count: int) -> Items:
    return items(*({"n": number} for number in range(count)))


KEPT: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [0]),
    ({"maxItems": 2}, [0, 1]),
    ({"maxItems": 2, "keep": "lastItems"}, [2, 3]),
    ({"maxItems": 9}, [0, 1, 2, 3]),
    ({"maxItems": 9, "keep": "lastItems"}, [0, 1, 2, 3]),
    ({"maxItems": 0, "keep": "lastItems"}, []),
    ({"maxItems": -1}, [0, 1, 2]),
    ({"maxItems": -1, "keep": "lastItems"}, []),
]


@pytest.mark.parametrize(("parameters", "kept"), KEPT)
async def test_the_first_or_the_last_stay_in_their_order(
    bench: Bench, parameters: dict[str, Any], kept: list[int]
) -> None:
    (made,) = await bench.outputs(bench.run("limit", 1, parameters, numbers(4)))
    assert [(item["json"]["n"], item["pairedItem"]) for item in made] == [(place, {"item": place}) for place in kept]


@pytest.mark.parametrize("parameters", [{"maxItems": "many"}, {"keep": "some"}])
async def test_a_wrong_parameter_is_named(bench: Bench, parameters: dict[str, Any]) -> None:
    with pytest.raises(NodeError, match=next(iter(parameters))):
        await bench.outputs(bench.run("limit", 1, parameters))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(count=st.integers(0, 30), limit=st.integers(0, 40), keep=st.sampled_from(["firstItems", "lastItems"]))
async def test_as_many_stay_as_may(bench: Bench, count: int, limit: int, keep: str) -> None:
    (made,) = await bench.outputs(bench.run("limit", 1, {"maxItems": limit, "keep": keep}, numbers(count)))
    places = [item["pairedItem"]["item"] for item in made]
    assert len(places) == min(count, limit)
    whole = list(range(count))
    assert places == (whole[: len(places)] if keep == "firstItems" else whole[count - len(places) :])
