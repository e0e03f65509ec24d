"""Remove Duplicates: drops items that repeat others of the input, or that earlier executions saw.

Version 1 has the first of these only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    Flag,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    Parameters,
    StaticScope,
    needed,
)
from jackfield.api.nodes.items import goes_on, new_item, pass_all, passed_on, unpaired_error
from jackfield.api.nodes.running import each
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items, Node
from jackfield_nodes.lists.duplicates import Strictness, first_places, flat_names
from jackfield_nodes.lists.form import DUPLICATES, DUPLICATES_OPTIONS, HISTORY, REMEMBERING
from jackfield_nodes.lists.history import Seen, SeenValues, Values, digests, incremental, keyed
from jackfield_nodes.values.conversions import text_of, to_number, to_time
from jackfield_nodes.values.fields import field_names
from jackfield_nodes.values.names import only
from jackfield_nodes.values.threads import worked
from jackfield_nodes.values.zones import zone_of

MAX_HISTORY = 1_000_000


class RemoveDuplicatesOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = DUPLICATES_OPTIONS

    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of one field.")
    remove_other_fields: Flag = Field(False, description="Keep only the fields that are compared.")


class RemoveDuplicates(Parameters):
    """Version 1."""

    ui_fields: ClassVar[UiFields] = DUPLICATES

    compare: Literal["allFields", "allFieldsExcept", "selectedFields"] = "allFields"
    fields_to_exclude: object = Field("", description="Fields that do not count, comma separated.")
    fields_to_compare: object = Field("", description="Fields that count, comma separated.")
    options: RemoveDuplicatesOptions = Field(default_factory=RemoveDuplicatesOptions)

    strictness: ClassVar[Strictness] = Strictness(nulls=False)

    @property
    def dots(self) -> bool:
        return self.compare == "allFields" or not self.options.disable_dot_notation

    def names(self, rows: Sequence[dict[str, Json]]) -> list[str]:
        """The fields that are compared. Raises `NodeError`."""
        if self.compare == "selectedFields":
            return field_names(self.fields_to_compare, "fieldsToCompare")
        if self.compare == "allFields" or not self.dots:
            names = dict.fromkeys(name for row in rows for name in (flat_names(row) if self.dots else row))
        else:
            names = dict.fromkeys(flat_names(rows[0]) if rows else ())
        if self.compare == "allFieldsExcept":
            left_out = set(field_names(self.fields_to_exclude, "fieldsToExclude"))
            return [name for name in names if name not in left_out]
        return list(names)


class LaterDuplicates(RemoveDuplicates):
    """Version 1.1."""

    strictness: ClassVar[Strictness] = Strictness()


class HistoryOptions(RemoveDuplicatesOptions):
    ui_fields: ClassVar[UiFields] = HISTORY

    scope: Literal["node", "workflow"] = Field("node", description="Whether other nodes of the workflow share it.")
    history_size: int = Field(10_000, ge=1, le=MAX_HISTORY, description="How many values are remembered at most.")


class RememberingDuplicates(LaterDuplicates):
    """Version 2."""

    ui_fields: ClassVar[UiFields] = REMEMBERING
    ui_order: ClassVar[Sequence[str]] = ("operation", "logic")

    operation: Literal[
        "removeDuplicateInputItems", "removeItemsSeenInPreviousExecutions", "clearDeduplicationHistory"
    ] = "removeDuplicateInputItems"
    logic: Literal[
        "removeItemsWithAlreadySeenKeyValues", "removeItemsUpToStoredIncrementalKey", "removeItemsUpToStoredDate"
    ] = "removeItemsWithAlreadySeenKeyValues"
    dedupe_value: object = Field(
        "",
        description="The fields that tell items apart: those whose value is new stay.",
        json_schema_extra=needed(
            {"operation": ["removeItemsSeenInPreviousExecutions"], "logic": ["removeItemsWithAlreadySeenKeyValues"]}
        ),
    )
    incremental_dedupe_value: object = Field("", description="A number; items with a higher one than before stay.")
    date_dedupe_value: object = Field("", description="A date; items with a later one than before stay.")
    options: HistoryOptions = Field(default_factory=HistoryOptions)

    def value(self, run: NodeRun, item: int) -> str | float:
        """The item's value. Raises `NodeError`."""
        if self.logic == "removeItemsWithAlreadySeenKeyValues":
            return text_of(self.dedupe_value)
        try:
            if self.logic == "removeItemsUpToStoredDate":
                return to_time(self.date_dedupe_value, zone_of(run))
            return to_number(self.incremental_dedupe_value)
        except ValueError:
            what = "a date" if self.logic == "removeItemsUpToStoredDate" else "a number"
            name = "dateDedupeValue" if self.logic == "removeItemsUpToStoredDate" else "incrementalDedupeValue"
            raise NodeError(f"The parameter {name} of item {item} must be {what}.", item=item) from None


async def first_ones(run: NodeRun, given: RemoveDuplicates) -> Items:
    """The items that differ from all before them. Raises `NodeError`."""
    rows = [item["json"] for item in run.items]
    names = await worked(len(rows), given.names, rows)
    kept = await worked(len(rows), first_places, rows, names, given.strictness, dots=given.dots)
    if given.options.remove_other_fields and given.compare != "allFields":
        return [new_item(only(rows[place], names, dots=True), place) for place in kept]
    return [passed_on(run.items[place], place) for place in kept]


class RemoveDuplicatesNode:
    """Of items that are equal the first stays.

    The values that earlier executions saw are part of the workflow's static data.
    """

    kind = "removeDuplicates"
    versions: Sequence[float] = (1, 1.1, 2)
    description = NodeDescription("Remove Duplicates", "Drops items that were there before.", "transform")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if version is None or version >= 2:
            return RememberingDuplicates
        return RemoveDuplicates if version < 1.1 else LaterDuplicates

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        given: RemoveDuplicates = await run.resolve_first()
        if not isinstance(given, RememberingDuplicates):
            return [await first_ones(run, given)]
        if given.operation == "removeDuplicateInputItems":
            try:
                return [await first_ones(run, given)]
            except NodeError as exc:
                if goes_on(run):
                    return [[unpaired_error(exc)]]
                raise
        if given.operation == "clearDeduplicationHistory":
            (await self._history(run, given)).clear()
            return pass_all(run.items)
        return [await self._new_ones(run, given)]

    async def _new_ones(self, run: NodeRun, given: RememberingDuplicates) -> Items:
        """The items that no earlier node run saw; this one repeated sees what it saw the first time."""
        parameters: list[RememberingDuplicates] = await run.resolve()
        values: Values = [one.value(run, index) async for index, one in each(parameters)]
        seen: Seen = incremental("date" if given.logic == "removeItemsUpToStoredDate" else "number")
        if given.logic == "removeItemsWithAlreadySeenKeyValues":
            seen, values = keyed, await worked(len(values), digests, values)
        new = seen(await self._history(run, given), values, given.options.history_size)
        return [passed_on(run.items[index], index) for index in new]

    @staticmethod
    async def _history(run: NodeRun, given: RememberingDuplicates) -> SeenValues:
        scope: StaticScope = "node" if given.options.scope == "node" else "deduplication"
        return SeenValues(await run.static_data(scope), f"{run.execution.id} {run.run_index} {run.node.name}")


def node(context: PluginContext) -> RemoveDuplicatesNode:
    return RemoveDuplicatesNode()
