"""The items that an evaluation trigger gives in a run by hand: the first row of its data table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.data_tables import SingleRows
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.registrations import Registration
from jackfield.api.triggers import NodeTrigger, WorkflowChange
from jackfield.api.workflows import Items, Node, Problem, Workflow
from jackfield_evaluations.nodes.kinds import TRIGGER

MOST_ROWS = 1000
"""Of a dataset, as in n8n."""


class EvaluationStart(NodeTrigger):
    """A `Trigger` that registers nothing: runs of evaluations start its nodes."""

    kind = "evaluation"
    nodes = frozenset({TRIGGER})

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def registrations(self, workflow: Workflow) -> Sequence[Registration]:
        return []

    async def activation_problems(self, workflow: Workflow) -> Sequence[Problem]:
        return []

    async def follow(self, change: WorkflowChange) -> None:
        """Nothing is served."""

    def idle(self, node: Node) -> str:
        return "It starts in runs of evaluations alone."

    async def by_hand(self, workflow: Workflow, node: Node, execution_id: str) -> Items | None:
        return [{"json": await first_row(self._context, node)}]


def table_of(node: Node, default: str) -> str:
    """The id of the table that the node names. default: the source of a node that names none. Raises `InvalidInput`."""
    if node.parameters.get("source", default) != "dataTable":
        raise InvalidInput(
            f"The node '{node.name}' reads Google Sheets, which evaluations do not read; choose a data table."
        )
    chosen = node.parameters.get("dataTableId")
    value = chosen.get("value") if isinstance(chosen, dict) else chosen
    if not isinstance(value, str) or not value:
        raise InvalidInput(f"The node '{node.name}' names no data table; choose one.")
    return value


def default_source(node: Node, since: float) -> str:
    """since: the version from which data tables are the default."""
    return "dataTable" if node.version is None or node.version >= since else "googleSheets"


async def first_row(context: PluginContext, node: Node) -> dict[str, Json]:
    """As n8n's node gives it. Raises `InvalidInput`, `NotFound`."""
    parameters = node.parameters
    table_id = table_of(node, default_source(node, 4.7))
    conditions = _conditions(parameters) if parameters.get("filterRows") else []
    any_of = parameters.get("matchType", "anyCondition") == "anyCondition"
    row, count = await context.port(SingleRows).first(table_id, conditions, any_of=any_of)
    if row is None:
        raise InvalidInput("No row found")
    most = parameters.get("maxRows", 10) if parameters.get("limitRows") else MOST_ROWS
    limit = most if isinstance(most, int) else MOST_ROWS
    return {**row, "row_number": 0, "row_id": row["id"], "_rowsLeft": max(0, min(count - 1, limit - 1))}


def _conditions(parameters: Mapping[str, Json]) -> list[tuple[str, str, Json]]:
    filters = parameters.get("filters")
    rows = filters.get("conditions") if isinstance(filters, dict) else None
    return [
        (str(each.get("keyName", "id")), str(each.get("condition", "eq")), each.get("keyValue", ""))
        for each in (rows if isinstance(rows, list) else [])
        if isinstance(each, dict)
    ]
