"""Node types that are only offered: made when they are used first, and then everything that the type has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jackfield.api.nodes import (
    AttachedNode,
    NodeDescription,
    NodeOffer,
    NodeOutline,
    NodeParameters,
    NodeResult,
    NodeRun,
    entry_node,
    supplying_node,
)
from jackfield.api.workflows import Items, Node, Workflow
from jackfield.core.catalog import Catalog


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


MADE: list[str] = []


def make(name: str) -> Plain:
    MADE.append(name)
    return Plain()


def broken() -> object:
    raise RuntimeError("boom")


@pytest.fixture
def failed() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def catalog(failed: list[tuple[str, str]]) -> Catalog:
    return Catalog(lambda kind, error: failed.append((kind, str(error))))


def test_an_offer_is_made_once_and_when_it_is_used(catalog: Catalog) -> None:
    MADE.clear()
    catalog.add(NodeOffer("plain", f"{__name__}:make", ("first",)))
    assert MADE == []
    assert catalog.find("plain") is catalog.find("plain")
    assert [node.kind for node in catalog.all()] == ["plain"]
    assert MADE == ["first"]


def told(kind: str) -> NodeOutline:
    outline = Plain()
    outline.kind = kind
    return outline


def refused() -> NodeOutline:
    raise RuntimeError("boom")


def test_a_list_makes_what_has_no_outline_and_nothing_else(catalog: Catalog) -> None:
    MADE.clear()
    catalog.add(NodeOffer("plain", f"{__name__}:make", ("listed",), outline=lambda: told("plain")))
    assert [(one.kind, one.description.display_name) for one in catalog.outlines()] == [("plain", "Plain")]
    assert MADE == []
    assert catalog.find("plain") is not None
    assert list(catalog.outlines()) == [catalog.find("plain")]


@pytest.mark.parametrize("outline", [None, lambda: None, lambda: told("other"), refused])
def test_an_outline_that_tells_nothing_of_the_type_is_not_used(
    catalog: Catalog, failed: list[tuple[str, str]], outline: Callable[[], NodeOutline | None] | None
) -> None:
    MADE.clear()
    catalog.add(NodeOffer("plain", f"{__name__}:make", ("unlisted",), outline=outline))
    assert [one.kind for one in catalog.outlines()] == ["plain"]
    assert (MADE, failed) == (["unlisted"], [])


def test_a_kind_with_tool_behind_it_is_the_same_type(catalog: Catalog) -> None:
    catalog.add(NodeOffer("plain", f"{__name__}:Plain"))
    assert catalog.find("plainTool") is catalog.find("plain")
    assert catalog.find("other") is None


@pytest.mark.parametrize(
    ("place", "mistake"),
    [("broken", "boom"), ("Gone", "has no Gone"), ("NodeOffer", ""), ("NodeDescription", "")],
)
def test_an_offer_that_cannot_be_kept_is_reported_once(
    catalog: Catalog, failed: list[tuple[str, str]], place: str, mistake: str
) -> None:
    catalog.add(NodeOffer("plain", f"{__name__}:{place}"))
    assert catalog.find("plain") is None
    assert catalog.all() == []
    ((kind, told),) = failed
    assert kind == "plain"
    assert mistake in told


def test_an_offer_of_another_kind_is_refused(catalog: Catalog, failed: list[tuple[str, str]]) -> None:
    catalog.add(NodeOffer("other", f"{__name__}:Plain"))
    assert catalog.find("other") is None
    assert "gives the node type plain" in failed[0][1]


def test_entry_and_supplying_nodes_are_told_apart() -> None:
    for make_one, enters, supplies in ((Plain, False, False), (Entry, True, False), (Supplying, False, True)):
        node = make_one()
        assert (entry_node(node) is not None, supplying_node(node) is not None) == (enters, supplies)
    assert entry_node(None) is None
