"""Item Lists: the former node for what Split Out, Aggregate, Limit, Sort, Remove Duplicates and Summarize do now. Each
operation is theirs.

Up to version 2 names of fields are rows of a list, and splitting out what is no list is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Self, TypeAlias

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeResult, NodeRun, NodeType, Parameters
from jackfield.api.nodes.running import ModelNode
from jackfield_nodes.lists.aggregate import Aggregate, AggregateNode
from jackfield_nodes.lists.limit import LimitNode, LimitParameters
from jackfield_nodes.lists.remove_duplicates import RemoveDuplicates, RemoveDuplicatesNode
from jackfield_nodes.lists.sort import Sort, SortNode
from jackfield_nodes.lists.split_out import SplitOut, split_items
from jackfield_nodes.lists.summarize import Summarize1, SummarizeNode

Operation: TypeAlias = Literal[
    "aggregateItems", "concatenateItems", "limit", "removeDuplicates", "sort", "splitOutItems", "summarize"
]

FORMS: Mapping[str, type[Parameters]] = {
    "aggregateItems": Aggregate,
    "concatenateItems": Aggregate,
    "limit": LimitParameters,
    "removeDuplicates": RemoveDuplicates,
    "sort": Sort,
    "splitOutItems": SplitOut,
    "summarize": Summarize1,
}
"""Operation -> its parameters."""

NAME_LISTS = ("fieldsToInclude", "fieldsToExclude", "fieldsToCompare")


def modernised(raw: Mapping[object, object]) -> dict[object, object]:
    """Rows of names as plain lists of names."""
    made = dict(raw)
    for key in NAME_LISTS:
        rows = raw.get(key)
        if isinstance(rows, dict):
            fields = rows.get("fields")
            listed = fields if isinstance(fields, list) else []
            made[key] = [row.get("fieldName") for row in listed if isinstance(row, dict)]
    return made


class ItemLists(Parameters):
    """Validates to an instance of the operation's own parameters."""

    operation: Operation = Field("splitOutItems", description="What to do; its parameters are those of its own node.")

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        operation = raw.get("operation", "splitOutItems") if isinstance(raw, dict) else None
        form = FORMS.get(operation) if isinstance(operation, str) else None
        if form is None or not isinstance(raw, dict):
            return handler(raw)
        return form.model_validate(modernised(raw))  # type: ignore[return-value]


class ItemListsNode(ModelNode):
    """Pure, as are the nodes it hands over to."""

    kind = "itemLists"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 3, 3.1)
    description = NodeDescription("Item Lists", "Splits, joins, sorts, limits and summarises items.", "transform")
    model = ItemLists

    _nodes: Mapping[type[Parameters], NodeType] = {
        Aggregate: AggregateNode(),
        LimitParameters: LimitNode(),
        RemoveDuplicates: RemoveDuplicatesNode(),
        Sort: SortNode(),
        Summarize1: SummarizeNode(),
    }

    async def execute(self, run: NodeRun) -> NodeResult:
        given = await run.resolve_first()
        if not isinstance(given, SplitOut):
            return await self._nodes[type(given)].execute(run)
        version = run.node.version
        return [await split_items(run, await run.resolve(), strict=version is not None and version < 3)]


def node(context: PluginContext) -> ItemListsNode:
    return ItemListsNode()
