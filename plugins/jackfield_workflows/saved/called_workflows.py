"""The scopes of the saved workflows that a node runs and that are not live.

The person who took a workflow live had the scopes of its nodes, and lets others call it. One that is not live was
stored by somebody who may have them, for whoever has them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged, InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.scopes import UNREAD, document_scopes
from jackfield.api.workflows import Node, local_type
from jackfield_workflows.activation.references import runs_workflow
from jackfield_workflows.documents.values import reference

_MOST = 200
"""Workflows that one node leads to; beyond, it is taken to need every scope."""


class CalledWorkflows:
    """Follows a node to the saved workflows that it runs, and to those that they run."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def scopes(self, node: Node, own: str | None) -> frozenset[str]:
        """own: the id of the node's own workflow, whose nodes are looked at anyway. Both scopes that nobody can read
        where an expression names the workflow. Raises `StoreUnavailable`."""
        try:
            named = list(_named(node.kind, node.parameters))
            return await self._of_saved(named, {own}) if named else frozenset()
        except RecursionError:
            return UNREAD

    async def _of_saved(self, named: list[str | None], seen: set[str | None]) -> frozenset[str]:
        catalog, needed = self._context.port(NodeCatalog), frozenset[str]()
        while named:
            ident = named.pop()
            if ident is None or len(seen) > _MOST:
                return UNREAD
            if ident in seen:
                continue
            seen.add(ident)
            document = await self._draft(ident)
            needed |= document_scopes(document, catalog)
            named += _in_document(document)
        return needed

    async def _draft(self, ident: str) -> Json:
        """None for a workflow that is live, absent or unreadable."""
        try:
            found = await self._context.store.workflow(ident)
        except DataDamaged:
            return None
        return None if found is None or found.active else dict(found.document)


def _named(kind: str, parameters: Mapping[str, Json]) -> Iterator[str | None]:
    """The ids of the saved workflows that a node of this kind runs, itself or in a workflow that a parameter holds.
    None for one that only an expression tells."""
    if not runs_workflow(kind):
        return
    source = parameters.get("source", "database")
    if source == "parameter":
        yield from _in_document(parameters.get("workflowJson"))
    elif source == "database" and (ident := reference(parameters.get("workflowId"))):
        yield None if ident.startswith("=") else ident


def _in_document(document: Json) -> Iterator[str | None]:
    if isinstance(document, str):
        try:
            document = loads(document.encode())
        except (InvalidInput, UnicodeEncodeError):
            return
    nodes = document.get("nodes") if isinstance(document, dict) else None
    for raw in nodes if isinstance(nodes, list) else ():
        kind = raw.get("type") if isinstance(raw, dict) else None
        parameters = raw.get("parameters") if isinstance(raw, dict) else None
        if isinstance(kind, str) and isinstance(parameters, dict):
            yield from _named(local_type(kind), parameters)
