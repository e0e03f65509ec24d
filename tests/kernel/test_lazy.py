"""Stand-ins: nothing is loaded before it is needed, and nothing of the type is lost."""

from __future__ import annotations

from jackfield.api.lazy import LazyNode, entry_node, supplying_node

from jackfield.api.nodes import AttachedNode, NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Items, Node, Workflow


class Plain:
    kind = "plain"
    versions = (1.0,)
    description = NodeDescription("Plain", "Nothing.", "flow")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return NodeParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        return [[]]


class Entry(Plain):
    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items | None:
        return items


class Supplying(Plain):
    async def supply(self, node: AttachedNode, item: int) -> object:
        return item


def test_a_stand_in_loads_its_type_once_and_when_it_is_used() -> None:
    loads: list[str] = []

    def load() -> Plain:
        loads.append("plain")
        return Plain()

    lazy = LazyNode("plain", load)
    assert (lazy.kind, loads) == ("plain", [])
    assert (lazy.versions, lazy.effect, lazy.description.display_name) == ((1.0,), False, "Plain")
    assert loads == ["plain"]


def test_what_a_type_has_beside_the_protocol_its_stand_in_has_as_well() -> None:
    for make, enters, supplies in ((Plain, False, False), (Entry, True, False), (Supplying, False, True)):
        lazy = LazyNode("kind", make)
        assert (entry_node(lazy) is not None, supplying_node(lazy) is not None) == (enters, supplies)
    assert entry_node(None) is None
