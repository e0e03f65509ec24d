"""The scopes that a workflow asks of whoever stores, activates or starts it: those that its node types name.

A live workflow runs with the rights of whoever stored it, so that its callers need none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, cast

from ..auth import AGENTS_WRITE, MACHINE_WRITE
from ..errors import InvalidInput
from ..jsontext import Json, loads
from ..workflows import Node, local_type
from .types import NodeCatalog, NodeType

UNREAD = frozenset({AGENTS_WRITE, MACHINE_WRITE})
"""The scopes that a workflow may need and that nobody can read before it runs."""


class ScopedNode(Protocol):
    """The methods of a node type beside `NodeType` when the scopes that its nodes need depend on their parameters."""

    def scopes(self, node: Node) -> Collection[str]:
        """Names of `jackfield.api.auth.SCOPES` that a node with these raw parameters needs, beside those of the
        description."""


def scoped_node(node_type: NodeType) -> ScopedNode | None:
    """The same as a `ScopedNode`, when it is one."""
    return cast("ScopedNode", node_type) if hasattr(node_type, "scopes") else None


def node_scopes(node: Node, catalog: NodeCatalog) -> frozenset[str]:
    """The scopes that a node needs; none for a type that is not installed, which runs nothing."""
    found = catalog.find(node.kind)
    if found is None:
        return frozenset()
    more = scoped_node(found)
    return frozenset(found.description.scopes) | frozenset(more.scopes(node) if more else ())


def document_scopes(document: Json, catalog: NodeCatalog) -> frozenset[str]:
    """The scopes that the nodes of a workflow need which a parameter holds, as an object or as JSON text.

    A workflow that only an expression can give may need anything: `UNREAD`.
    """
    try:
        return _of_document(document, catalog)
    except RecursionError:
        return UNREAD


def _of_document(document: Json, catalog: NodeCatalog) -> frozenset[str]:
    if isinstance(document, str):
        if document.startswith("="):
            return UNREAD
        try:
            document = loads(document.encode())
        except InvalidInput:
            return frozenset()  # the node fails
    nodes = document.get("nodes") if isinstance(document, dict) else None
    if not isinstance(nodes, list):
        return UNREAD if isinstance(nodes, str) else frozenset()
    return _together(_of_raw(raw, catalog) for raw in nodes)


def _of_raw(raw: Json, catalog: NodeCatalog) -> frozenset[str]:
    kind = raw.get("type") if isinstance(raw, dict) else raw
    if not isinstance(raw, dict) or not isinstance(kind, str):
        return UNREAD if isinstance(kind, str) else frozenset()
    parameters = raw.get("parameters", {})
    if kind.startswith("=") or isinstance(parameters, str):
        return UNREAD
    given = parameters if isinstance(parameters, dict) else {}
    return node_scopes(Node("", "", kind, local_type(kind), None, given), catalog)


def _together(found: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*found)
