"""Summarize: sums, counts and other summaries of fields, for all items or per group, as a pivot table does.

Groups come in the order of their first items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.javascript import UNDEFINED, to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item, pairs
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items, Node
from jackfield_nodes.lists.form import SUMMARIZE, SUMMARIZE_OPTIONS
from jackfield_nodes.lists.summaries import DISPLAY_NAMES, Aggregation, SummaryStyle, normal_name, summary
from jackfield_nodes.values.conversions import text_of
from jackfield_nodes.values.fields import field_value, identity
from jackfield_nodes.values.names import names_of
from jackfield_nodes.values.threads import worked


class FieldsToSummarize(Parameters):
    values: list[Aggregation] = Field(default_factory=list)


def _untouched() -> FieldsToSummarize:
    """The value where a document leaves it out: one row without a field."""
    return FieldsToSummarize(values=[Aggregation()])


class SummarizeOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SUMMARIZE_OPTIONS

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

    ui_fields: ClassVar[UiFields] = SUMMARIZE

    fields_to_summarize: FieldsToSummarize = Field(default_factory=_untouched)
    fields_to_split_by: object = Field("", description="Fields whose values make the groups, comma separated.")
    options: SummarizeOptions = Field(default_factory=SummarizeOptions)

    style: ClassVar[SummaryStyle] = SummaryStyle()

    def checked(self) -> list[Aggregation]:
        """Raises `NodeError` when no field is named."""
        rows = self.fields_to_summarize.values
        if not any(row.field for row in rows):
            raise NodeError("The parameter fieldsToSummarize names no field; name at least one.")
        return rows

    @property
    def dots(self) -> bool:
        return not self.options.disable_dot_notation

    def group(self, value: object) -> object:
        """The value that stands for the group of this value."""
        return text_of(value) if isinstance(value, list | dict) else value

    def skips(self, group: object) -> bool:
        """Whether items of this group are left out."""
        number = isinstance(group, int | float) and not isinstance(group, bool)
        return self.options.skip_empty_split_fields and not number and not group

    def check_fields(self, missing: Sequence[str], warn: Callable[[str], None]) -> None:
        """Fields that no item has. Raises `NodeError` unless they are allowed."""
        warn(f"No item has the fields to summarize {', '.join(missing)}.")


class Summarize1(Summarize):
    """Version 1: groups are text."""

    def group(self, value: object) -> object:
        return text_of(value) if isinstance(value, list | dict) else to_string(value)

    def check_fields(self, missing: Sequence[str], warn: Callable[[str], None]) -> None:
        if not self.options.continue_if_field_not_found:
            raise NodeError(
                f"No item has the field '{missing[0]}' of fieldsToSummarize; correct the name, or turn on "
                "continueIfFieldNotFound."
            )


class ListsSummarize(Summarize):
    """Item Lists version 3."""

    style: ClassVar[SummaryStyle] = SummaryStyle(counts_empty=False, object_groups=True)

    def group(self, value: object) -> object:
        return "null" if value is None else super().group(value)


class EarlierListsSummarize(ListsSummarize):
    """Item Lists version 2.1."""

    style: ClassVar[SummaryStyle] = SummaryStyle(counts_empty=False, object_groups=True, numeric_extremes=True)


class StrictListsSummarize(EarlierListsSummarize):
    """Item Lists version 2: a field that no item has is an error."""

    def check_fields(self, missing: Sequence[str], warn: Callable[[str], None]) -> None:
        raise NodeError(f"No item has the field '{missing[0]}' of fieldsToSummarize; correct the name.")


class FirstListsSummarize(StrictListsSummarize):
    """Item Lists version 1."""

    style: ClassVar[SummaryStyle] = SummaryStyle(
        counts_empty=False, object_groups=True, numeric_extremes=True, plain_names=True
    )


class SummaryGroup(NamedTuple):
    """Items with the same values in the fields to split by."""

    values: tuple[object, ...]
    members: list[int]


def summarized(items: Items, given: Summarize, warn: Callable[[str], None]) -> Items:
    """One item per group, or one of all. Raises `NodeError`."""
    rows = given.checked()
    names = dict.fromkeys(row.field for row in rows)
    columns = {name: [field_value(item["json"], name, dots=given.dots) for item in items] for name in names}
    missing = [name for name, column in columns.items() if name and all(value is UNDEFINED for value in column)]
    if items and missing:
        given.check_fields(missing, warn)
    fields = names_of(given.fields_to_split_by)
    everything = list(range(len(items)))
    if given.options.output_format == "singleItem":
        return [new_item(_nested(items, given, fields, everything, columns), pairs(everything))]
    return [_item(group, fields, given, columns) for group in _groups(items, given, fields, everything, ())]


def _groups(
    items: Items, given: Summarize, fields: Sequence[str], members: list[int], before: tuple[object, ...]
) -> Iterator[SummaryGroup]:
    if len(before) == len(fields):
        if members or not fields:
            yield SummaryGroup(before, members)
        return
    for name, part in _parts(items, given, fields[len(before)], members):
        yield from _groups(items, given, fields, part, (*before, name))


def _parts(items: Items, given: Summarize, field: str, members: Sequence[int]) -> list[tuple[object, list[int]]]:
    """The groups of these items by one field."""
    parts: dict[object, tuple[object, list[int]]] = {}
    for index in members:
        name = given.group(field_value(items[index]["json"], field, dots=given.dots))
        if not given.skips(name):
            known = to_string(name) if given.style.object_groups else name
            parts.setdefault(identity(known), (known, []))[1].append(index)
    found = list(parts.values())
    return sorted(found, key=lambda part: _place(str(part[0]))) if given.style.object_groups else found


def _place(name: str) -> tuple[bool, int]:
    """Where the name stands among the names of an object in JavaScript."""
    index = name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") and len(name) < 10
    return (False, int(name)) if index else (True, 0)


def _summaries(members: Sequence[int], given: Summarize, columns: Mapping[str, Sequence[object]]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for row in given.fields_to_summarize.values:
        name = DISPLAY_NAMES[row.aggregation] + row.field
        values = [columns[row.field][index] for index in members]
        found[name if given.style.plain_names else normal_name(name)] = summary(values, row, given.style)
    return found


def _item(
    group: SummaryGroup, fields: Sequence[str], given: Summarize, columns: Mapping[str, Sequence[object]]
) -> Item:
    named = zip(fields if given.style.plain_names else map(normal_name, fields), group.values, strict=True)
    keys: dict[str, Json] = {name: value for name, value in named if value is not UNDEFINED}  # type: ignore[misc]
    found = _summaries(group.members, given, columns)
    last = {} if given.style.object_groups else keys  # a summary may have the name of a group's field
    return new_item({**keys, **found, **last}, pairs(group.members))


def _nested(
    items: Items,
    given: Summarize,
    fields: Sequence[str],
    members: Sequence[int],
    columns: Mapping[str, Sequence[object]],
) -> dict[str, Json]:
    """Groups inside groups, by the text of their values; of groups with the same text the last one stays."""
    if not fields:
        return _summaries(members, given, columns)
    return {
        to_string(name): _nested(items, given, fields[1:], part, columns)
        for name, part in _parts(items, given, fields[0], members)
    }


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
