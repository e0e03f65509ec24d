"""Which live workflows are offered as tools, as the store has them now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import JackfieldError
from jackfield.api.json_values import Json
from jackfield.api.profile_tools import ToolScope
from jackfield.api.records import record
from jackfield.api.storage import Webhook
from jackfield.api.workflow_tools import tool_offer
from jackfield.api.workflows import Node, Workflow
from jackfield_mcp.offers.starting import schema_at, start_of
from jackfield_mcp.offers.trigger import KIND, name_of
from jackfield_mcp.settings import McpSettings


@record
class OfferedWorkflow:
    """One that is live. node: where its calls start."""

    name: str
    description: str
    schema: Mapping[str, Json]
    workflow: Workflow
    node: Node


class OfferedWorkflows:
    """Reads the rows that live workflows have registered, and the workflows themselves from the reader's cache."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._most = context.settings(McpSettings).offered_tools
        self._told = 0

    async def names(self) -> Sequence[str]:
        """At most `mcp.offered_tools`, by name. Raises `StoreUnavailable`."""
        return [row.path[1:] for row in await self._rows()]

    async def all(self) -> Sequence[OfferedWorkflow]:
        """The same with what they are; one that cannot be read is left out."""
        found = [await self._read(row) for row in await self._rows()]
        return [one for one in found if one is not None]

    async def find(self, name: str) -> OfferedWorkflow | None:
        rows = [row for row in await self._context.store.webhooks_by_path("/" + name, kind=KIND) if row.active]
        return await self._read(rows[0]) if rows else None

    async def _rows(self) -> Sequence[Webhook]:
        page = await self._context.store.webhooks(offset=0, limit=self._most, active=True, workflow_id=None, kind=KIND)
        if page.total > max(self._most, self._told):  # each request looks
            self._told = page.total
            self._context.log.warning(
                "%d workflows are offered as tools; agents get the %d newest (mcp.offered_tools).",
                page.total,
                self._most,
            )
        return sorted(page.rows, key=lambda row: row.path)

    async def _read(self, row: Webhook) -> OfferedWorkflow | None:
        """None: it has changed since, or cannot be read."""
        try:
            workflow = await self._context.port(WorkflowReader).load(row.workflow_id)
        except JackfieldError as exc:
            self._context.log.warning("The tool %s cannot be offered: %s", row.path[1:], exc.message)
            return None
        offer = tool_offer(workflow.settings.raw)
        node = None if offer is None else start_of(workflow, offer)
        if offer is None or node is None or name_of(workflow, offer) != row.path[1:]:
            return None
        told = offer.description or f"Runs the workflow {workflow.name}."
        return OfferedWorkflow(row.path[1:], told, offer.schema or schema_at(node), workflow, node)


def reached(names: Sequence[str], scope: ToolScope) -> Sequence[str]:
    """Those of the offered tools that a run with this scope reaches."""
    return [name for name in names if name not in scope.without] if scope.offered else []
