"""Aggregate: one item of all items: lists of the values of fields, or one list of all data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item, pairs
from jackfield.api.nodes.running import ModelNode
from jackfield.api.workflows import BinaryData, Items
from jackfield_nodes.values.fields import read_field
from jackfield_nodes.values.names import names_of, only, put, without
from jackfield_nodes.values.threads import worked


class FieldToAggregate(Parameters):
    field_to_aggregate: str = Field("", description="Name of the field.")
    rename_field: Flag = Field(False, description="Whether the list gets another name.")
    output_field_name: str = Field("", description="Name of the list.")


class FieldsToAggregate(Parameters):
    field_to_aggregate: list[FieldToAggregate] = Field(default_factory=list)


class AggregateOptions(Parameters):
    disable_dot_notation: Flag = Field(False, description="Whether a.b is the name of a field instead of a path.")
    merge_lists: Flag = Field(False, description="Whether the elements of lists are put in one list.")
    keep_missing: Flag = Field(False, description="Whether missing values and null are kept as null.")
    include_binaries: Flag = Field(False, description="Whether the item has the files of all items.")
    keep_only_unique: Flag = Field(False, description="Whether a file that several items have is kept once.")


class Aggregate(Parameters):
    aggregate: Literal["aggregateIndividualFields", "aggregateAllItemData"] = Field(
        "aggregateIndividualFields", description="Lists of some fields' values, or of all data."
    )
    fields_to_aggregate: FieldsToAggregate = Field(default_factory=FieldsToAggregate)
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


def aggregated(items: Items, given: Aggregate) -> Items:
    """One item of all. Raises `NodeError`."""
    json = _all_data(items, given) if given.aggregate == "aggregateAllItemData" else _fields(items, given)
    made = new_item(json, pairs(range(len(items))))
    if given.options.include_binaries:
        files = _files(items, unique=given.options.keep_only_unique)
        if files:
            made["binary"] = files
    return [made]


def _all_data(items: Items, given: Aggregate) -> dict[str, Json]:
    name = given.destination_field_name.strip()
    if not name:
        raise NodeError("The parameter destinationFieldName is empty; name the field for the list.")
    rows = (_chosen(item["json"], given) for item in items)
    kept: list[Json] = [row for row in rows if row or given.include == "allFields"]
    made: dict[str, Json] = {}
    put(made, name, kept, dots=given.dots)
    return made


def _chosen(json: dict[str, Json], given: Aggregate) -> dict[str, Json]:
    match given.include:
        case "allFields":
            return json
        case "specifiedFields":
            return only(json, names_of(given.fields_to_include), dots=given.dots)
        case "allFieldsExcept":
            return without(json, names_of(given.fields_to_exclude), dots=given.dots)


def _fields(items: Items, given: Aggregate) -> dict[str, Json]:
    rows = given.fields_to_aggregate.field_to_aggregate
    if not rows:
        raise NodeError("The parameter fieldsToAggregate is empty; name at least one field.")
    lists: dict[str, list[Json]] = {}
    for index, row in enumerate(rows):
        name = _output_name(row, index, given)
        if name in lists:
            raise NodeError(
                f"The parameter fieldsToAggregate makes the field '{name}' twice; give one of them another name with "
                "renameField."
            )
        lists[name] = _values(items, row.field_to_aggregate.strip(), given)
    made: dict[str, Json] = {}
    for name, values in lists.items():
        put(made, name, values, dots=given.dots)
    return made


def _output_name(row: FieldToAggregate, index: int, given: Aggregate) -> str:
    """The last part of a path, unless another name is given."""
    field = row.field_to_aggregate.strip()
    if not field:
        raise NodeError(f"The parameter fieldsToAggregate.fieldToAggregate[{index}] names no field.")
    if row.rename_field and row.output_field_name.strip():
        return row.output_field_name.strip()
    return field.rpartition(".")[2] if given.dots else field


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
    """The files of all items; a name that is taken gets _1, _2 and so on. unique: the same file only once."""
    found: dict[str, BinaryData] = {}
    seen: set[tuple[object, ...]] = set()
    counts: dict[str, int] = {}
    for item in items:
        for name, file in (item.get("binary") or {}).items():
            key = (file.get("fileName"), file.get("mimeType"), file.get("fileSize"), file.get("id") or file["data"])
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
