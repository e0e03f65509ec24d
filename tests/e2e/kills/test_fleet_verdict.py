"""The checker of three daemons sees what ran again without a reason, and a node that a history has twice."""

from __future__ import annotations

from typing import Any

from ...chaos.fleet_verdict import ONCE, duplicates, reruns
from ...chaos.ledger import Effect

EFFECTS = [Effect(step, "c", execution, 1.0) for execution in ("a", "b") for step in ("first", "second")]


def history(**counts: int) -> dict[str, Any]:
    return {"id": "a", "status": "success", "nodes": {name: [{}] * counts.get(name, 1) for name in ONCE}}


def test_an_effect_may_happen_again_once_per_fault() -> None:
    again = [*EFFECTS, EFFECTS[0]]
    assert reruns(EFFECTS, {}) == (0, [])
    assert reruns(again, {"a": 1}) == (1, [])
    assert reruns(again, {"b": 1}) == (1, ["a"])
    assert reruns([*again, EFFECTS[1]], {"a": 1}) == (2, ["a"])


def test_a_history_has_each_node_once() -> None:
    assert duplicates([history()]) == []
    assert duplicates([history(first=2)]) == ["a"]
    assert duplicates([history(End=0)]) == ["a"]
    assert duplicates([history(End=0) | {"status": "failed"}]) == []
