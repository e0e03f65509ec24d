"""Summarize: sums, counts and other summaries of fields, for all items or per group, as a pivot table does.

Groups come in the order of their first items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item, pairs
from jackfield.api.workflows import Item, Items, Node
from jackfield_nodes.lists.summaries import DISPLAY_NAMES, Aggregation, is_empty, normal_name, summary
from jackfield_nodes.values.conversions import text_of
from jackfield_nodes.values.fields import identity, read_field
from jackfield_nodes.values.names import names_of
from jackfield_nodes.values.threads import worked


def _text(value: Json) -> str:
    return "null" if value is None else text_of(value)


class FieldsToSummarize(Parameters):
    values: list[Aggregation] = Field(default_factory=list)


class SummarizeOptions(Parameters):
    continue_if_field_not_found: Flag = Field(
        False, description="Whether a field that no item has makes one empty item instead of an error (version 1)."
    )
    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    output_format: Literal["separateItems", "singleItem"] = Field(
        "separateItems", description="One item per group, or one item with the groups inside."
    )
    skip_empty_split_fields: Flag = Field(False, description="Whether items without a group are left out.")


class Summarize(Parameters):
    """Version 1.1 and later."""

    fields_to_summarize: FieldsToSummarize = Field(default_factory=FieldsToSummarize)
    fields_to_split_by: object = Field("", description="Fields whose values make the groups, comma separated.")
    options: SummarizeOptions = Field(default_factory=SummarizeOptions)

    def checked(self) -> list[Aggregation]:
        """Raises `NodeError` when no field is named."""
        rows = self.fields_to_summarize.values
        if not rows:
            raise NodeError("The parameter fieldsToSummarize is empty; name at least one field.")
        for index, row in enumerate(rows):
            if not row.field.strip():
                raise NodeError(f"The parameter fieldsToSummarize.values[{index}] names no field.")
        return rows

    @property
    def dots(self) -> bool:
        return not self.options.disable_dot_notation

    def group(self, value: Json) -> Json:
        """What stands for the group of this value."""
        if self.options.output_format == "singleItem":
            return _text(value)
        return text_of(value) if isinstance(value, list | dict) else value

    def missing(self, names: Sequence[str], warn: Callable[[str], None]) -> bool:
        """Fields that no item has: whether the node ends with one empty item. Raises `NodeError`."""
        warn(f"No item has the fields to summarize {', '.join(names)}.")
        return False


class Summarize1(Summarize):
    """Version 1: groups are text."""

    def group(self, value: Json) -> Json:
        return _text(value)

    def missing(self, names: Sequence[str], warn: Callable[[str], None]) -> bool:
        if not self.options.continue_if_field_not_found:
            raise NodeError(
                f"No item has the field '{names[0]}' of fieldsToSummarize; correct the name, or turn on "
                "continueIfFieldNotFound."
            )
        return True


class SummaryGroup(NamedTuple):
    """Items with the same values in the fields to split by."""

    values: tuple[Json, ...]
    members: list[int]


def summarized(items: Items, given: Summarize, warn: Callable[[str], None]) -> Items:
    """One item per group, or one of all. Raises `NodeError`."""
    rows = given.checked()
    dots = given.dots
    names = dict.fromkeys(row.field for row in rows)
    columns = {name: [read_field(item["json"], name, dots=dots) for item in items] for name in names}
    lacking = [name for name, column in columns.items() if not any(there for there, _ in column)]
    if items and lacking and given.missing(lacking, warn):
        return [new_item({}, pairs(range(len(items))))]
    values = {name: [value for _, value in column] for name, column in columns.items()}
    fields = names_of(given.fields_to_split_by)
    groups = list(_groups(items, given, fields, list(range(len(items))), ()))
    if given.options.output_format == "singleItem":
        return [_nested(groups, rows, values)]
    return [_item(group, fields, rows, values) for group in groups]


def _groups(
    items: Items, given: Summarize, fields: Sequence[str], members: list[int], before: tuple[Json, ...]
) -> Iterator[SummaryGroup]:
    if len(before) == len(fields):
        if members:
            yield SummaryGroup(before, members)
        return
    parts: dict[object, tuple[Json, list[int]]] = {}
    for index in members:
        _, value = read_field(items[index]["json"], fields[len(before)], dots=given.dots)
        if given.options.skip_empty_split_fields and is_empty(value):
            continue
        name = given.group(value)
        parts.setdefault(identity(name), (name, []))[1].append(index)
    for name, part in parts.values():
        yield from _groups(items, given, fields, part, (*before, name))


def _summaries(
    members: Sequence[int], rows: Sequence[Aggregation], values: Mapping[str, Sequence[Json]]
) -> dict[str, Json]:
    return {
        normal_name(DISPLAY_NAMES[row.aggregation] + row.field): summary(
            [values[row.field][index] for index in members], row
        )
        for row in rows
    }


def _item(
    group: SummaryGroup, fields: Sequence[str], rows: Sequence[Aggregation], values: Mapping[str, Sequence[Json]]
) -> Item:
    json = dict(zip(map(normal_name, fields), group.values, strict=True))
    json.update(_summaries(group.members, rows, values))
    return new_item(json, pairs(group.members))


def _nested(groups: Sequence[SummaryGroup], rows: Sequence[Aggregation], values: Mapping[str, Sequence[Json]]) -> Item:
    """Groups inside groups, by the text of their values."""
    json: dict[str, Json] = {}
    members: list[int] = []
    for group in groups:
        place = json
        for value in group.values:
            inner = place.setdefault(text_of(value), {})
            assert isinstance(inner, dict)  # noqa: S101 - only groups are put here
            place = inner
        place.update(_summaries(group.members, rows, values))
        members.extend(group.members)
    return new_item(json, pairs(sorted(members)))


class SummarizeNode:
    """Pure: changes nothing outside the execution."""

    kind = "summarize"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Summarize", "Sums, counts and other summaries of fields.", "transform")
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return Summarize1 if version is not None and version < 1.1 else Summarize

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        given: Summarize = await run.resolve_first()
        return [await worked(len(run.items), summarized, run.items, given, run.log.warning)]


def node(context: PluginContext) -> SummarizeNode:
    return SummarizeNode()
