"""The trigger by itself."""

from __future__ import annotations

from jackfield.api.nodes import NodeType
from jackfield.api.triggers import Trigger
from jackfield.api.workflows import Node
from jackfield.testing.pytest_plugin import MakeContext
from jackfield_bell_trigger.node import BellNode
from jackfield_bell_trigger.trigger import BellTrigger


def bell(**parameters: str) -> Node:
    return Node("n-1", "Bell", "jackfield.bell", "bell", None, dict(parameters))


def test_a_door_takes_calls_and_a_code_guards_it(jackfield_context: MakeContext) -> None:
    trigger = BellTrigger(jackfield_context())
    as_trigger: Trigger = trigger
    assert as_trigger.kind == "bell"
    assert trigger.reception(bell(door="front"))["path"] == "front"
    assert "authentication" not in trigger.reception(bell(door="front"))
    guarded = trigger.reception(bell(door="front", code="4711"))
    assert guarded["authConfig"] == {"headerName": "X-Bell-Code", "headerValue": "4711"}


def test_its_calls_come_in_at_two_addresses(jackfield_context: MakeContext) -> None:
    assert [mount.segment for mount in BellTrigger(jackfield_context()).mounts()] == ["bell", "bell-test"]


def test_the_node_fits() -> None:
    node: NodeType = BellNode()
    assert node.parameters(None).model_validate({"door": "front"}).model_dump()["code"] == ""
