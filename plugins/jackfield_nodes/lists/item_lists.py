"""Item Lists: the former node for what Split Out, Aggregate, Limit, Sort, Remove Duplicates and Summarize do now. Each
operation is theirs.

Up to version 2 names of fields are rows of a list, and splitting out what is no list is an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self, TypeAlias

from pydantic import Field, JsonValue, ModelWrapValidatorHandler, model_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeResult, NodeRun, NodeType, Parameters
from jackfield.api.nodes.fields import fields_of, only_when
from jackfield.api.nodes.forms import FieldGroup, NodeField
from jackfield.api.nodes.items import without_pair
from jackfield.api.nodes.running import ModelNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_nodes.lists.aggregate import Aggregate, aggregated
from jackfield_nodes.lists.duplicates import Strictness
from jackfield_nodes.lists.form import LISTS
from jackfield_nodes.lists.limit import LimitNode, LimitParameters
from jackfield_nodes.lists.remove_duplicates import RemoveDuplicates, RemoveDuplicatesNode
from jackfield_nodes.lists.sort import Sort, SortNode
from jackfield_nodes.lists.split_out import Allowed, SplitOut, split_items
from jackfield_nodes.lists.summarize import (
    EarlierListsSummarize,
    FirstListsSummarize,
    ListsSummarize,
    StrictListsSummarize,
    Summarize,
    SummarizeNode,
)
from jackfield_nodes.values.threads import worked

Operation: TypeAlias = Literal[
    "aggregateItems", "concatenateItems", "limit", "removeDuplicates", "sort", "splitOutItems", "summarize"
]


class ListsDuplicates(RemoveDuplicates):
    """From version 3.1 on: values of any types may differ."""

    strictness: ClassVar[Strictness] = Strictness(nulls=False, one_type=False, by_type=True)


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
    """Version 3.1. Validates to an instance of the operation's own parameters."""

    operation: Operation = Field(
        "splitOutItems", description="The work that the node does; its parameters are those of the node for it."
    )

    ui_fields: ClassVar[UiFields] = LISTS
    summaries: ClassVar[type[Parameters]] = ListsSummarize
    duplicates: ClassVar[type[Parameters]] = ListsDuplicates

    @classmethod
    def forms(cls) -> Mapping[str, type[Parameters]]:
        """Operation -> its parameters."""
        return {
            "aggregateItems": Aggregate,
            "concatenateItems": Aggregate,
            "limit": LimitParameters,
            "removeDuplicates": cls.duplicates,
            "sort": Sort,
            "splitOutItems": SplitOut,
            "summarize": cls.summaries,
        }

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        form = cls.forms().get(str(parameters.get("operation", "splitOutItems")))
        return {} if form is None else form.obstacles(parameters)

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        operation = raw.get("operation", "splitOutItems") if isinstance(raw, dict) else None
        form = cls.forms().get(operation) if isinstance(operation, str) else None
        if form is None or not isinstance(raw, dict):
            return handler(raw)
        return form.model_validate(modernised(raw))  # type: ignore[return-value]


class ThirdLists(ItemLists):
    """Version 3."""

    duplicates: ClassVar[type[Parameters]] = RemoveDuplicates


class SecondLists(ThirdLists):
    """Versions 2.1 and 2.2."""

    summaries: ClassVar[type[Parameters]] = EarlierListsSummarize


class StrictLists(SecondLists):
    """Version 2."""

    summaries: ClassVar[type[Parameters]] = StrictListsSummarize


class FirstLists(StrictLists):
    """Version 1."""

    summaries: ClassVar[type[Parameters]] = FirstListsSummarize


ROWS_UNTIL = 3
"""Before this version the names of fields are rows."""
_NAME_ROWS = FieldGroup(
    name="fields", label="Field", fields=[NodeField(name="fieldName", control="text", label="Field name")]
)


def lists_form(model: type[ItemLists], *, rows: bool) -> list[NodeField]:
    """The forms of all operations. rows: names of fields are rows of a list."""
    operations: dict[type[Parameters], list[JsonValue]] = {}
    for operation, parameters in model.forms().items():
        operations.setdefault(parameters, []).append(operation)
    found = fields_of(model)
    for parameters, named in operations.items():
        fields = fields_of(parameters)
        found += only_when([_as_rows(one) for one in fields] if rows else fields, {"operation": named})
    return found


def _as_rows(field: NodeField) -> NodeField:
    if field.name not in NAME_LISTS:
        return field
    update = {"control": "fixedCollection", "groups": [_NAME_ROWS], "multiple": True, "default": None, "help": ""}
    return field.model_copy(update=update)


FORMS: Sequence[tuple[float, type[ItemLists]]] = (
    (2, FirstLists),
    (2.1, StrictLists),
    (3, SecondLists),
    (3.1, ThirdLists),
)
"""The models of the versions below each number."""


class ItemListsNode(ModelNode):
    """Pure, as are the nodes it hands over to."""

    kind = "itemLists"
    versions: Sequence[float] = (1, 2, 2.1, 2.2, 3, 3.1)
    description = NodeDescription("Item Lists", "Splits, joins, sorts, limits and summarises items.", "transform")

    def parameters(self, version: float | None) -> type[ItemLists]:
        known = math.inf if version is None else version
        return next((model for until, model in FORMS if known < until), ItemLists)

    def form(self, version: float | None) -> Sequence[NodeField]:
        return lists_form(self.parameters(version), rows=version is not None and version < ROWS_UNTIL)

    _nodes: Mapping[type[Parameters], NodeType] = {
        LimitParameters: LimitNode(),
        RemoveDuplicates: RemoveDuplicatesNode(),
        Sort: SortNode(),
        Summarize: SummarizeNode(),
    }

    async def execute(self, run: NodeRun) -> NodeResult:
        given = await run.resolve_first()
        version = run.node.version
        if isinstance(given, SplitOut):
            return [await split_items(run, await run.resolve(), allowed_by(version))]
        if isinstance(given, Aggregate):
            known = math.inf if version is None else version
            made = await worked(len(run.items), aggregated, run.items, given, strict=known < 2.1)
            return [without_pairs(made) if known < 2 and given.aggregate == "aggregateAllItemData" else made]
        return await next(node for form, node in self._nodes.items() if isinstance(given, form)).execute(run)


def without_pairs(items: Items) -> Items:
    """Version 1 leaves it to the engine to pair an item of all data."""
    return [without_pair(item) for item in items]


def allowed_by(version: float | None) -> Allowed:
    """The values that each version splits."""
    known = math.inf if version is None else version
    return Allowed(missing=known >= 2.1, objects=known >= 2, single=known >= 2.2, nulls=known >= 2)


def node(context: PluginContext) -> ItemListsNode:
    return ItemListsNode()
