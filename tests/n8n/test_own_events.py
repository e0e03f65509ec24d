"""Triggers that the daemon itself starts, beside n8n's own nodes: the same items, but for their time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jackfield.api.workflows import Node, Workflow, WorkflowSettings
from jackfield.testing.context import FakeContext
from jackfield_triggers.kinds import LIFECYCLE_NODES
from jackfield_triggers.lifecycle.nodes import event_item, event_name, node

from . import installing
from .test_subscriptions import given, of_n8n
from .trigger_cases import TriggerCase

EVENTS = ("activate", "update", "init", "manual")
CHOSEN = ["update", "init", "activate"]


@pytest.fixture(scope="module")
def theirs() -> dict[tuple[str, str], list[Any]]:
    """Kind and event -> items of n8n's node."""
    cases = [(kind, event) for kind in LIFECYCLE_NODES for event in EVENTS]
    asked = []
    for kind, event in cases:
        case = TriggerCase(kind, {"events": CHOSEN if kind == "n8nTrigger" else ["update", "activate"]})
        asked.append(given(case, "trigger", activation=None if event == "manual" else event))
    try:
        found = of_n8n(asked)
    except installing.NotThere as exc:
        pytest.skip(str(exc))
    assert not any("error" in one for one in found), found
    return {case: one["items"] for case, one in zip(cases, found, strict=True)}


def timeless(items: Any) -> list[Any]:
    return [{name: value for name, value in item["json"].items() if name != "timestamp"} for item in items]


@pytest.mark.parametrize("event", EVENTS[:3])
@pytest.mark.parametrize("kind", LIFECYCLE_NODES)
def test_items_are_those_of_n8n(kind: str, event: str, theirs: dict[tuple[str, str], list[Any]]) -> None:
    name = event_name(kind, event)
    ours = [event_item(name, 0, "w")] if name else []
    assert timeless(ours) == timeless(theirs[kind, event])
    if name:
        assert list(ours[0]["json"]) == list(theirs[kind, event][0]["json"])


@pytest.mark.parametrize("kind", LIFECYCLE_NODES)
def test_a_run_by_hand_gets_what_it_gets_in_n8n(
    kind: str, theirs: dict[tuple[str, str], list[Any]], tmp_path: Path
) -> None:
    made = Node("n", "N", kind, kind, 1, {})
    workflow = Workflow("w", "W", 1, False, {"N": made}, {}, WorkflowSettings(), {}, {})
    assert timeless(node(FakeContext(tmp_path), kind).entry(made, workflow, None)) == timeless(theirs[kind, "manual"])
