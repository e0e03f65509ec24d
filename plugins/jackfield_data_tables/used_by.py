"""Which workflows name a data table."""

from __future__ import annotations

from collections.abc import Iterator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.storage import WorkflowFilter
from jackfield.api.storage.tables import DataTable
from jackfield.api.workflows import Document

MOST_READ = 500
"""Workflows with such a node whose documents one answer reads, the newest change first."""
_WORD = "datatable"
_CHOSEN = "dataTableId"


async def users_of(context: PluginContext, table: DataTable) -> dict[str, Json]:
    """Workflows with a node that names the table by its id or its name, as it is now. The table that an expression
    names is not known before it runs."""
    page = await context.store.workflows(WorkflowFilter(words=_WORD), offset=0, limit=MOST_READ)
    found: list[Json] = []
    for row in page.rows:
        stored = await context.store.workflow(row.id)
        nodes: list[Json] = list(_nodes(stored.document, table)) if stored is not None else []
        if nodes:
            found.append({"id": row.id, "name": row.name, "active": row.active, "nodes": nodes})
    return {"data": found, "truncated": page.total > len(page.rows)}


def _nodes(document: Document, table: DataTable) -> Iterator[str]:
    """Their names."""
    nodes = document.get("nodes")
    for node in nodes if isinstance(nodes, list) else []:
        parameters = node.get("parameters") if isinstance(node, dict) else None
        if isinstance(parameters, dict) and _names(parameters.get(_CHOSEN), table):
            yield str(node["name"] if isinstance(node, dict) and "name" in node else "")


def _names(chosen: Json, table: DataTable) -> bool:
    if not isinstance(chosen, dict):
        return chosen == table.id
    wanted = table.name if chosen.get("mode") == "name" else table.id
    return chosen.get("value") == wanted
