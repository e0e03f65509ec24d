"""Aggregate: one item of all items: lists of the values of fields, or one list of all data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item, own_pair
from jackfield.api.nodes.running import ModelNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import BinaryData, Items
from jackfield_nodes.lists.form import AGGREGATE, AGGREGATE_OPTIONS, AGGREGATED_FIELD
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.names import names_of, put
from jackfield_nodes.values.threads import worked


class FieldToAggregate(Parameters):
    ui_fields: ClassVar[UiFields] = AGGREGATED_FIELD

    field_to_aggregate: str = Field("", description="Name of the field.")
    rename_field: Flag = Field(False, description="Whether the list gets another name.")
    output_field_name: str = Field("", description="Name of the list.")


class FieldsToAggregate(Parameters):
    field_to_aggregate: list[FieldToAggregate] = Field(default_factory=list)


def _untouched() -> FieldsToAggregate:
    """The value where a document leaves it out: one row without a name."""
    return FieldsToAggregate(field_to_aggregate=[FieldToAggregate()])


class AggregateOptions(Parameters):
    ui_fields: ClassVar[UiFields] = AGGREGATE_OPTIONS

    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    merge_lists: Flag = Field(False, description="Whether the elements of lists are put in one list.")
    keep_missing: Flag = Field(False, description="Whether missing values and null are kept as null.")
    include_binaries: Flag = Field(False, description="Whether the item has the files of all items.")
    keep_only_unique: Flag = Field(False, description="Whether a file that several items have is kept once.")


class Aggregate(Parameters):
    ui_fields: ClassVar[UiFields] = AGGREGATE

    aggregate: Literal["aggregateIndividualFields", "aggregateAllItemData"] = Field(
        "aggregateIndividualFields", description="Lists of some fields' values, or of all data."
    )
    fields_to_aggregate: FieldsToAggregate = Field(default_factory=_untouched)
    destination_field_name: str = Field("data", description="All data: name of the list.")
    include: Literal["allFields", "specifiedFields", "allFieldsExcept"] = Field(
        "allFields", description="All data: which fields."
    )
    fields_to_include: object = Field("", description="Names of the fields, comma separated.")
    fields_to_exclude: object = Field("", description="Names of the fields, comma separated.")
    options: AggregateOptions = Field(default_factory=AggregateOptions)

    @property
    def dots(self) -> bool:
        return not self.options.disable_dot_notation


def aggregated(items: Items, given: Aggregate, *, strict: bool = False) -> Items:
    """One item of all. strict: whether a field that no item has is an error. Raises `NodeError`."""
    origins_kept: Sequence[int] = range(len(items))
    if given.aggregate == "aggregateAllItemData":
        choose = _choice(given)
        rows = [item["json"] for item in items] if choose is None else [choose(item["json"]) for item in items]
        if choose is not None:
            origins_kept = [place for place, row in enumerate(rows) if row]
        json: dict[str, Json] = {given.destination_field_name: [rows[place] for place in origins_kept]}
    else:
        json = _fields(items, given, strict=strict)
    made = new_item(json, [own_pair(items[place], place) for place in origins_kept])
    if given.options.include_binaries:
        files = _files([items[place] for place in origins_kept], unique=given.options.keep_only_unique)
        if files:
            made["binary"] = files
    return [made]


def _choice(given: Aggregate) -> Callable[[dict[str, Json]], dict[str, Json]] | None:
    """The fields of an item that stay, none for an item that is left out; None where all fields of all items stay."""
    if given.include == "specifiedFields" and (wanted := set(names_of(given.fields_to_include))):
        return lambda json: {name: value for name, value in json.items() if name in wanted}
    if given.include == "allFieldsExcept" and (others := set(names_of(given.fields_to_exclude))):
        return lambda json: {name: value for name, value in json.items() if name not in others}
    return None


def _fields(items: Items, given: Aggregate, *, strict: bool) -> dict[str, Json]:
    rows = given.fields_to_aggregate.field_to_aggregate
    if not rows:
        raise NodeError("The parameter fieldsToAggregate is empty; name at least one field.")
    if strict:
        _check(items, given)
    lists: dict[str, list[Json]] = {}
    taken: set[str] = set()
    for row in rows:
        renamed = row.output_field_name if row.rename_field else ""
        name = renamed if row.rename_field else row.field_to_aggregate
        if name in taken:
            raise NodeError(
                f"The parameter fieldsToAggregate makes the field '{name}' twice; give one of them another name with "
                "renameField."
            )
        taken.add(name)
        field = row.field_to_aggregate
        if field:
            lists[renamed or (field.rpartition(".")[2] if given.dots else field)] = _values(items, field, given)
    made: dict[str, Json] = {}
    for name, values in lists.items():
        put(made, name, values, dots=given.dots)
    return made


def _check(items: Items, given: Aggregate) -> None:
    """Whether each field is in an item. Raises `NodeError`."""
    for index, row in enumerate(given.fields_to_aggregate.field_to_aggregate):
        field = row.field_to_aggregate
        if not field:
            raise NodeError(f"The parameter fieldsToAggregate.fieldToAggregate[{index}] names no field.")
        dotted = "." in field and not given.dots
        if (dotted or not given.options.keep_missing) and not any(
            read_field(item["json"], field, dots=given.dots)[0] for item in items
        ):
            raise NodeError(f"No item has the field '{field}' of fieldsToAggregate.")


def _values(items: Items, field: str, given: Aggregate) -> list[Json]:
    options = given.options
    values: list[Json] = []
    for item in items:
        _, value = read_field(item["json"], field, dots=given.dots)
        if not options.keep_missing:
            if value is None:
                continue
            if isinstance(value, list):
                value = [element for element in value if element is not None]
        if options.merge_lists and isinstance(value, list):
            values.extend(value)
        else:
            values.append(value)
    return values


def _files(items: Items, *, unique: bool) -> dict[str, BinaryData]:
    """The files of all items; a name that is taken gets _1, _2 and so on.

    `unique`: of files with the same type, extension and size only the first.
    """
    found: dict[str, BinaryData] = {}
    seen: set[tuple[object, ...]] = set()
    counts: dict[str, int] = {}
    for item in items:
        for name, file in (item.get("binary") or {}).items():
            key = tuple(file.get(part) for part in ("mimeType", "fileType", "fileSize", "fileExtension"))
            if unique and key in seen:
                continue
            seen.add(key)
            found[_free(name, found, counts)] = file
    return found


def _free(name: str, taken: dict[str, BinaryData], counts: dict[str, int]) -> str:
    candidate = name
    while candidate in taken:
        counts[name] = counts.get(name, 0) + 1
        candidate = f"{name}_{counts[name]}"
    return candidate


class AggregateNode(ModelNode):
    """Pure: changes nothing outside the execution."""

    kind = "aggregate"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Aggregate", "Makes one item of all items.", "transform")
    model = Aggregate

    async def execute(self, run: NodeRun) -> NodeResult:
        given: Aggregate = await run.resolve_first()
        return [await worked(len(run.items), aggregated, run.items, given)]


def node(context: PluginContext) -> AggregateNode:
    return AggregateNode()
