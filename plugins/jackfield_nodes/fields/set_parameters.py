"""Parameters of Set, one model per form; each says which fields it writes and what stays of an item."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field, field_validator

from jackfield.api.javascript import UNDEFINED, text_number, to_boolean, to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, Parameters
from jackfield.api.nodes.ui import Ui, UiFields
from jackfield_nodes.fields.form import (
    ASSIGNED,
    ASSIGNMENTS,
    BOOLEAN_ROW,
    FIELDS,
    LEGACY,
    MODERN,
    NUMBER_ROW,
    OPTIONS,
    TYPED_FIELD,
    VALUES_UI,
)
from jackfield_nodes.fields.set_values import Conversion, Row, own_key, write
from jackfield_nodes.values.conversions import to_array, to_number, to_object
from jackfield_nodes.values.conversions import to_boolean as parsed_boolean
from jackfield_nodes.values.fixed import mistake
from jackfield_nodes.values.parameters import FieldName, NameValue
from jackfield_nodes.values.paths import get_path, remove_path

MAX_COPIES = 1000


class SetOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = OPTIONS

    dot_notation: bool = Field(True, description="Whether a name such as a.b means the field b inside a.")
    ignore_conversion_errors: bool = Field(False, description="Keep a value that does not fit its field's type.")
    include_binary: bool = Field(False, description="Keep the item's files (up to version 3.3).")
    strip_binary: bool = Field(False, description="Drop the item's files (from version 3.4 on).")


class SetParameters(Parameters):
    """The parameters that every form has."""

    takes_leaves = True

    options: SetOptions = Field(default_factory=SetOptions)

    def rows(self) -> Iterator[Row]:
        """The fields to write, in order."""
        raise NotImplementedError

    def fitting(self, conversion: Conversion) -> Callable[[Row], object]:
        """Gives each row's value in its type; `UNDEFINED` takes the field away. Raises `NodeError`."""
        return partial(self.fitted, conversion=conversion)

    def fitted(self, row: Row, conversion: Conversion) -> object:
        """The value of one field, where versions have their own rules."""
        return conversion.of_row(row)

    def remaining(self, json: dict[str, Json]) -> dict[str, Json]:
        """A fresh object with the current fields that stay."""
        raise NotImplementedError

    def keeps_binary(self) -> bool:
        """Whether the item's files stay."""
        raise NotImplementedError


class TextRow(Parameters):
    name: FieldName = "propertyName"
    value: object = ""


class NumberRow(TextRow):
    ui_fields: ClassVar[UiFields] = NUMBER_ROW

    value: object = 0


class BooleanRow(TextRow):
    ui_fields: ClassVar[UiFields] = BOOLEAN_ROW

    value: object = False


class LegacyValues(Parameters):
    ui_fields: ClassVar[UiFields] = VALUES_UI

    string: list[TextRow] = Field(default_factory=list)
    number: list[NumberRow] = Field(default_factory=list)
    boolean: list[BooleanRow] = Field(default_factory=list)


class LegacySet(SetParameters):
    """Version 2."""

    ui_fields: ClassVar[UiFields] = LEGACY

    keep_only_set: Flag = Field(False, description="Whether the current fields and files go.")
    values: LegacyValues = Field(default_factory=LegacyValues)

    @classmethod
    def undefined(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return list(row_paths(parameters.get("values"), "values", "name", "value"))

    def rows(self) -> Iterator[Row]:
        for kind in ("boolean", "number", "string"):
            for row in getattr(self.values, kind):
                yield row.name, kind, row.value

    def fitted(self, row: Row, conversion: Conversion) -> object:
        _, kind, value = row
        if value != value:  # NaN, for which JSON has null
            value = None
        if kind == "boolean":
            return to_boolean(value)
        return self.number(value) if kind == "number" else value

    def number(self, value: object) -> object:
        """A text that is a number becomes one."""
        number = text_number(value) if isinstance(value, str) else value
        return value if number != number else number

    def remaining(self, json: dict[str, Json]) -> dict[str, Json]:
        return {} if self.keep_only_set else dict(json)

    def keeps_binary(self) -> bool:
        return not self.keep_only_set


class FirstSet(LegacySet):
    """Version 1."""

    def number(self, value: object) -> object:
        return value


RAW_OBJECT = '{\n  "my_field_1": "value",\n  "my_field_2": 1\n}\n'
"""Raw mode's object where a document leaves it out."""


FixedType: TypeAlias = tuple[str, Callable[[object], object]]
FIXED_TYPES: Mapping[str, FixedType] = {
    "number": ("a number", to_number),
    "boolean": ("true or false", parsed_boolean),
    "array": ("a list in JSON", to_array),
    "object": ("one JSON object", to_object),
}
"""The types whose fixed values n8n looks at before a workflow starts."""


class ModernSet(SetParameters):
    """The parameters that versions 3 and later share."""

    ui_fields: ClassVar[UiFields] = MODERN
    ui_order: ClassVar[Sequence[str]] = ("mode", "jsonOutput", "fields", "assignments", "includeOtherFields", "include")

    mode: Literal["manual", "raw"] = Field("manual", description="Fields one by one, or a whole object as JSON.")
    json_output: object = Field(RAW_OBJECT, description="Raw mode: an object or its JSON text.")
    duplicate_item: Flag = Field(False, description="Repeat each item, in manual and test runs only.")
    duplicate_count: int = Field(0, ge=0, le=MAX_COPIES, description="How many copies each item gets.")
    include: Literal["all", "none", "selected", "except"] = Field("all", description="Which other fields stay.")
    include_fields: str = Field("", description="Names of fields that stay, comma separated.")
    exclude_fields: str = Field("", description="Names of fields that go, comma separated.")

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return {"jsonOutput", *cls.object_paths(parameters)}

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        found = cls.fixed(parameters)
        return {path: told for path, value, (kind, convert) in found if (told := mistake(value, convert, kind))}

    @classmethod
    def fixed(cls, parameters: Mapping[str, Json]) -> Iterator[tuple[str, Json, FixedType]]:
        """(path, value, its type) of what must fit before an execution starts."""
        if parameters.get("mode") == "raw":
            yield "jsonOutput", parameters.get("jsonOutput"), FIXED_TYPES["object"]

    @classmethod
    def object_paths(cls, parameters: Mapping[str, Json]) -> Iterator[str]:
        """Where the values of fields stand that are objects in JSON."""
        return iter(())

    def included(self) -> str:
        """all, none, selected or except."""
        return self.include

    def remaining(self, json: dict[str, Json]) -> dict[str, Json]:
        match self.included():
            case "all":
                return dict(json)
            case "selected":
                return self._selected(json)
            case "except":
                return self._without(json)
        return {}

    def _selected(self, json: dict[str, Json]) -> dict[str, Json]:
        kept: dict[str, Json] = {}
        dots = self.options.dot_notation
        for name in names(self.include_fields):
            key = name if dots else own_key(json, name)
            found, value = get_path(json, key) if dots else (key in json, json.get(key))
            if found:
                write(kept, key.rpartition(".")[2] if dots else key, value, dots=dots)
        return kept

    def _without(self, json: dict[str, Json]) -> dict[str, Json]:
        kept = dict(json)
        for name in names(self.exclude_fields):
            if self.options.dot_notation:
                remove_path(kept, name)
            else:
                kept.pop(own_key(kept, name), None)
        return kept

    def keeps_binary(self) -> bool:
        return self.options.include_binary


VALUES = ("stringValue", "numberValue", "booleanValue", "arrayValue", "objectValue")
"""Where a typed field has its value. Undefined is null there; NaN stays apart from it."""


class TypedField(Parameters):
    ui_fields: ClassVar[UiFields] = TYPED_FIELD

    name: FieldName = ""
    type: str = "stringValue"
    string_value: object = ""
    number_value: object = ""
    boolean_value: object = "true"
    array_value: object = ""
    object_value: object = "{}"

    def value(self) -> object:
        """The value under the key that the type names."""
        return getattr(self, f"{self.kind()}_value", None)

    def kind(self) -> str:
        return self.type.removesuffix("Value")


class TypedFields(Parameters):
    values: list[TypedField] = Field(default_factory=list)


class FieldsSet(ModernSet):
    """Version 3.2."""

    ui_fields: ClassVar[UiFields] = FIELDS

    typed: TypedFields = Field(default_factory=TypedFields, alias="fields")

    @classmethod
    def object_paths(cls, parameters: Mapping[str, Json]) -> Iterator[str]:
        rows = member(parameters.get("fields"), "values")
        return (f"fields.values[{index}].objectValue" for index in range(len(rows) if isinstance(rows, list) else 0))

    @classmethod
    def fixed(cls, parameters: Mapping[str, Json]) -> Iterator[tuple[str, Json, FixedType]]:
        yield from super().fixed(parameters)
        rows = member(parameters.get("fields"), "values") if parameters.get("mode") != "raw" else None
        for index, row in enumerate(rows if isinstance(rows, list) else ()):
            key = member(row, "type")
            kind = FIXED_TYPES.get(key.removesuffix("Value")) if isinstance(key, str) else None
            if kind is not None:
                yield f"fields.values[{index}].{key}", member(row, str(key)), kind

    @classmethod
    def undefined(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return list(row_paths(parameters.get("fields"), "fields", "name", *VALUES))

    def rows(self) -> Iterator[Row]:
        for field in self.typed.values:
            yield field.name, field.kind(), field.value()

    def fitted(self, row: Row, conversion: Conversion) -> object:
        name, kind, value = row
        if kind == "object" and value is not None and value is not UNDEFINED:
            return conversion.json_object(name, value)
        return super().fitted(row, conversion)


class StrictFieldsSet(FieldsSet):
    """Version 3.1: a text is never null."""

    def fitted(self, row: Row, conversion: Conversion) -> object:
        if row[1] == "string" and (row[2] is None or row[2] is UNDEFINED):
            return conversion.unfit(row[0], "string", None, "which is no text")
        return super().fitted(row, conversion)


class TextFieldsSet(FieldsSet):
    """Version 3: null and undefined are texts."""

    def fitted(self, row: Row, conversion: Conversion) -> object:
        if row[1] == "string" and (row[2] is None or row[2] is UNDEFINED):
            return to_string(row[2])
        return super().fitted(row, conversion)


class Assignment(NameValue):
    name: FieldName = "undefined"
    id: str | None = None
    type: str | None = Field(None, description="string, number, boolean, array or object; none: as it is.")


class Assignments(Parameters):
    ui: ClassVar[Ui] = ASSIGNMENTS

    assignments: list[Assignment] = Field(default_factory=list)


class AssignmentsSet(ModernSet):
    """Version 3.3."""

    ui_fields: ClassVar[UiFields] = ASSIGNED

    include_other_fields: Flag = Field(False, description="Whether the item's other fields stay.")
    assignments: Assignments = Field(default_factory=Assignments)

    @field_validator("assignments", mode="before")
    @classmethod
    def _no_list(cls, given: object) -> object:
        """n8n looks for no fields in a list that stands in the wrong place."""
        return {} if isinstance(given, list) else given

    @classmethod
    def undefined(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return list(row_paths(parameters.get("assignments"), "assignments", "name", "value"))

    def included(self) -> str:
        return self.include if self.include_other_fields else "none"

    def rows(self) -> Iterator[Row]:
        for row in self.assignments.assignments:
            yield row.name, row.type, row.value

    def fitting(self, conversion: Conversion) -> Callable[[Row], object]:
        return conversion.of_row


class LatestSet(AssignmentsSet):
    """Version 3.4."""

    def keeps_binary(self) -> bool:
        return self.included() != "none" and not self.options.strip_binary


class FlatSet(SetParameters):
    """A flat list of assignments beside the current fields; only documents without typeVersion have it."""

    assignments: list[Assignment] = Field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        for row in self.assignments:
            yield row.name, row.type, row.value

    def fitting(self, conversion: Conversion) -> Callable[[Row], object]:
        return conversion.of_row

    def remaining(self, json: dict[str, Json]) -> dict[str, Json]:
        return dict(json)

    def keeps_binary(self) -> bool:
        return True


def member(value: Json, name: str) -> Json:
    """A field of what may be an object."""
    return value.get(name) if isinstance(value, dict) else None


def names(text: str) -> list[str]:
    """The names of a comma-separated list."""
    return [name for part in text.split(",") if (name := part.strip())]


def row_paths(lists: Json, above: str, *keys: str) -> Iterator[str]:
    """The paths of these keys in every row of the lists of an object."""
    for name, rows in lists.items() if isinstance(lists, dict) else ():
        for index in range(len(rows) if isinstance(rows, list) else 0):
            yield from (f"{above}.{name}[{index}].{key}" for key in keys)
