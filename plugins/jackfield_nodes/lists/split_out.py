"""Split Out: one item per element of a list inside an item.

Several fields are split side by side: the first elements make one item, then the second ones. An object is split into
its values; a single value is a list of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field, field_validator

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.items import compact_item, new_item, pair
from jackfield.api.nodes.running import ModelNode, each
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import BinaryData, Item, Items, PairedItem
from jackfield_nodes.lists.form import SPLIT_OPTIONS, SPLIT_OUT
from jackfield_nodes.values.conversions import text_of, type_name
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.names import names_of, without
from jackfield_nodes.values.threads import worked

_SLICE = 50
"""Items that are split before others may have the event loop."""
FILES = "$binary"
"""In place of a field: the item's files, one item each."""


class SplitOutOptions(Parameters):
    ui_fields: ClassVar[UiFields] = SPLIT_OPTIONS

    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    destination_field_name: object = Field("", description="Names of the fields in the new items, comma separated.")
    include_binary: Flag = Field(False, description="Whether the new items have the item's files.")


class SplitOut(Parameters):
    ui_fields: ClassVar[UiFields] = SPLIT_OUT

    field_to_split_out: object = Field(
        "", description="Fields that hold lists, comma separated; $binary for files.", json_schema_extra=needed()
    )
    include: Literal["noOtherFields", "allOtherFields", "selectedOtherFields"] = Field(
        "noOtherFields", description="Which other fields the new items get."
    )
    fields_to_include: object = Field("", description="Names of the other fields, comma separated.")
    options: SplitOutOptions = Field(default_factory=SplitOutOptions)

    @field_validator("include", mode="before")
    @classmethod
    def _unset(cls, value: object) -> object:
        return value or "noOtherFields"


class Allowed(NamedTuple):
    """The values that may be split besides lists.

    A field that is not there splits into nothing, an object into its values, one value into itself. `nulls`: whether
    null stays in a list of objects that become items.
    """

    missing: bool = True
    objects: bool = True
    single: bool = True
    nulls: bool = True


class Split(NamedTuple):
    """How to split one item.

    `targets`: field -> its name in the new items, None when none is given. `kept`: names of other fields, None: all of
    them.
    """

    targets: dict[str, str | None]
    kept: list[str] | None
    dots: bool
    files: bool
    allowed: Allowed = Allowed()


class SplitColumn(NamedTuple):
    """One field's elements. target: its name in the new items; None: none is given."""

    field: str
    target: str | None
    elements: Sequence[Json]


def plan(given: SplitOut, allowed: Allowed = Allowed(), item: int = 0) -> Split:  # noqa: B008 - it never changes
    """item: the index of the item that has them. Raises `NodeError` for parameters that do not fit each other."""
    if not isinstance(given.field_to_split_out, str):
        raise NodeError(
            "The parameter fieldToSplitOut must be the name of a field, not its value; remove the expression "
            "around it.",
            item=item,
        )
    fields = [name.removeprefix("$json.") for name in names_of(given.field_to_split_out)]
    if not fields:
        raise NodeError("The parameter fieldToSplitOut is empty; name the field that holds the list.", item=item)
    names = names_of(given.options.destination_field_name)
    if names and len(names) != len(fields):
        raise NodeError(
            f"The parameter destinationFieldName names {len(names)} fields, but {len(fields)} are split out; name as "
            "many.",
            item=item,
        )
    targets: dict[str, str | None] = dict(zip(fields, names, strict=True)) if names else dict.fromkeys(fields)
    return Split(
        targets, _kept(given, item), not given.options.disable_dot_notation, given.options.include_binary, allowed
    )


def _kept(given: SplitOut, item: int) -> list[str] | None:
    if given.include == "allOtherFields":
        return None
    if given.include == "noOtherFields":
        return []
    names = names_of(given.fields_to_include)
    if not names:
        raise NodeError("The parameter fieldsToInclude is empty; name the other fields.", item=item)
    return names


def columns_of(item: Item, index: int, split: Split) -> list[SplitColumn]:
    """The columns that the item has to split. Raises `NodeError`."""
    return [SplitColumn(field, target, _elements(item, index, field, split)) for field, target in split.targets.items()]


def split_out(item: Item, index: int, columns: Sequence[SplitColumn], split: Split) -> Items:
    """The items made of one."""
    base, origin = _base(item["json"], split), pair(index)
    if objects := _objects(columns, split):
        return [compact_item(element, origin) for element in objects]  # shared with the list: items are never changed
    return [_row(item, origin, place, base, columns, split) for place in range(_longest(columns))]


def _objects(columns: Sequence[SplitColumn], split: Split) -> Sequence[dict[str, Json]]:
    """The elements, where each is an object and becomes an item as it is; else none."""
    (field, target, elements), *others = columns
    if others or split.kept != [] or split.files or field == FILES or target is not None:
        return []
    return elements if all(type(element) is dict for element in elements) else []  # type: ignore[return-value]


def _longest(columns: Sequence[SplitColumn]) -> int:
    return max(len(column.elements) for column in columns)


def _elements(item: Item, index: int, field: str, split: Split) -> Sequence[Json]:
    if field == FILES:
        return list(item.get("binary") or {})
    there, value = read_field(item["json"], field, dots=split.dots)
    if not there:
        if not split.allowed.missing:
            raise NodeError(f"The field '{field}' of fieldToSplitOut is not in item {index}.", item=index)
        return []
    if isinstance(value, list):
        return value
    if not (split.allowed.objects if isinstance(value, dict) else split.allowed.single):
        raise NodeError(f"The field '{field}' of item {index} is no list but {type_name(value)}.", item=index)
    return list(value.values()) if isinstance(value, dict) else [value]


def _base(json: dict[str, Json], split: Split) -> dict[str, Json]:
    """The other fields, which those that are split out follow."""
    return without(json, list(split.targets), dots=split.dots) if split.kept is None else {}


def _row(
    item: Item,
    origin: PairedItem,
    place: int,
    base: dict[str, Json],
    columns: Sequence[SplitColumn],
    split: Split,
) -> Item:
    json = dict(base)
    files: dict[str, BinaryData] = dict(item.get("binary") or {}) if split.files else {}
    alone = len(columns) == 1 and split.kept == []
    for field, target, elements in columns:
        if place >= len(elements):
            continue
        element = elements[place]
        if field == FILES:
            name = text_of(element)
            files[name] = item["binary"][name]
        elif alone and target is None and isinstance(element, dict | list):
            if not json and isinstance(element, dict):
                json = element  # shared with the list: items are never changed
                continue
            json.update(element if isinstance(element, dict) else _numbered(element))
        elif element is not None or not alone or target is not None or split.allowed.nulls:
            json[target or field] = element
    for name in split.kept or ():
        found, value = read_field(item["json"], name, dots=split.dots)
        if found:
            json[name] = value
        else:
            json.pop(name, None)
    return new_item(json, origin, files)


def _numbered(elements: Sequence[Json]) -> dict[str, Json]:
    """The elements of a list in a list are fields named by their places, as JavaScript spreads them."""
    return {str(place): element for place, element in enumerate(elements)}


class SplitOutNode(ModelNode):
    """Pure: changes nothing outside the execution."""

    kind = "splitOut"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Split Out", "Makes one item per element of a list.", "transform")
    model = SplitOut

    async def execute(self, run: NodeRun) -> NodeResult:
        return [await split_items(run, await run.resolve(), Allowed())]


async def split_items(run: NodeRun, given: Sequence[SplitOut], allowed: Allowed) -> Items:
    """The output for the run's items; one that cannot be split fails all. given: the parameters per item.

    Raises `NodeError`.
    """
    planned: SplitOut | None = None
    split = Split({}, [], dots=True, files=False)
    made: Items = []
    async for index, wanted in each(given, _SLICE):
        if wanted is not planned:  # parameters without expressions are the same object for every item
            split, planned = plan(wanted, allowed, index), wanted
        item = run.items[index]
        columns = columns_of(item, index, split)
        made += await worked(_longest(columns), split_out, item, index, columns, split)
    return made


def node(context: PluginContext) -> SplitOutNode:
    return SplitOutNode()
