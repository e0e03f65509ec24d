"""Parameters of Set, one model per form; each says which fields it writes and what stays of an item. Below them: what
becomes of an item's data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal, TypeAlias

from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Parameters
from jackfield_nodes.values.conversions import CONVERSIONS, to_object, type_name, with_article
from jackfield_nodes.values.parameters import NameValue
from jackfield_nodes.values.paths import get_path, is_path, remove_path, set_path

Row: TypeAlias = "tuple[str, str | None, object]"
"""Name, type (None: as it is) and value of one field."""

MAX_COPIES = 1000


class SetOptions(Parameters, title="Options"):
    dot_notation: bool = Field(True, description="Whether a name such as a.b means the field b inside a.")
    ignore_conversion_errors: bool = Field(False, description="Keep a value that does not fit its field's type.")
    include_binary: bool = Field(False, description="Keep the item's files (up to version 3.3).")
    strip_binary: bool = Field(False, description="Drop the item's files (from version 3.4 on).")


class SetParameters(Parameters):
    """What every form has."""

    options: SetOptions = Field(default_factory=SetOptions)

    def rows(self) -> Iterator[Row]:
        """The fields to write, in order."""
        raise NotImplementedError

    def remaining(self, json: dict[str, Json]) -> dict[str, Json]:
        """A fresh object with the present fields that stay."""
        raise NotImplementedError

    def keeps_binary(self) -> bool:
        """Whether the item's files stay."""
        raise NotImplementedError


class LegacyValues(Parameters):
    string: list[NameValue] = Field(default_factory=list)
    number: list[NameValue] = Field(default_factory=list)
    boolean: list[NameValue] = Field(default_factory=list)


class LegacySet(SetParameters):
    """Versions 1 and 2."""

    keep_only_set: bool = Field(False, description="Whether the present fields and files go.")
    values: LegacyValues = Field(default_factory=LegacyValues)

    def rows(self) -> Iterator[Row]:
        for group in (self.values.boolean, self.values.number, self.values.string):
            for row in group:
                yield row.name, None, row.value

    def remaining(self, json: dict[str, Json]) -> dict[str, Json]:
        return {} if self.keep_only_set else dict(json)

    def keeps_binary(self) -> bool:
        return not self.keep_only_set


class ModernSet(SetParameters):
    """What versions 3 and later share."""

    mode: Literal["manual", "raw"] = Field("manual", description="Fields one by one, or a whole object as JSON.")
    json_output: object = Field("{}", description="Raw mode: an object or its JSON text.")
    duplicate_item: bool = Field(False, description="Repeat each item, in manual and test runs only.")
    duplicate_count: int = Field(0, ge=0, le=MAX_COPIES, description="How many copies each item gets.")
    include: Literal["all", "none", "selected", "except"] = Field("all", description="Which other fields stay.")
    include_fields: str = Field("", description="Names of fields that stay, comma separated.")
    exclude_fields: str = Field("", description="Names of fields that go, comma separated.")

    @classmethod
    def json_templates(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        return {"jsonOutput", *cls.object_paths(parameters)}

    @classmethod
    def object_paths(cls, parameters: Mapping[str, Json]) -> Iterator[str]:
        """Where the values of fields of the type object stand."""
        raise NotImplementedError

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
        for name in names(self.include_fields):
            nested = self.options.dot_notation and is_path(name) is not None
            found, value = get_path(json, name) if nested else (name in json, json.get(name))
            if found:
                kept[name.rpartition(".")[2] if nested else name] = value
        return kept

    def _without(self, json: dict[str, Json]) -> dict[str, Json]:
        kept = dict(json)
        for name in names(self.exclude_fields):
            if self.options.dot_notation:
                remove_path(kept, name)
            else:
                kept.pop(name, None)
        return kept

    def keeps_binary(self) -> bool:
        return self.options.include_binary


class TypedField(Parameters):
    name: str = ""
    type: str = "stringValue"
    string_value: object = ""
    number_value: object = None
    boolean_value: object = "true"
    array_value: object = None
    object_value: object = None

    def value(self) -> object:
        """The value under the key that the type names."""
        return getattr(self, f"{self.kind()}_value", None)

    def kind(self) -> str:
        return self.type.removesuffix("Value")


class TypedFields(Parameters):
    values: list[TypedField] = Field(default_factory=list)


class FieldsSet(ModernSet):
    """Versions 3 to 3.2."""

    typed: TypedFields = Field(default_factory=TypedFields, alias="fields")

    @classmethod
    def object_paths(cls, parameters: Mapping[str, Json]) -> Iterator[str]:
        rows = member(parameters.get("fields"), "values")
        return (f"fields.values[{index}].objectValue" for index in range(len(rows) if isinstance(rows, list) else 0))

    def rows(self) -> Iterator[Row]:
        for field in self.typed.values:
            yield field.name, field.kind(), field.value()


class Assignment(NameValue):
    id: str | None = None
    type: str | None = Field(None, description="string, number, boolean, array or object; none: as it is.")


class Assignments(Parameters):
    assignments: list[Assignment] = Field(default_factory=list)


class AssignmentsSet(ModernSet):
    """Version 3.3."""

    include_other_fields: bool = Field(False, description="Whether the item's other fields stay.")
    assignments: Assignments = Field(default_factory=Assignments)

    @classmethod
    def object_paths(cls, parameters: Mapping[str, Json]) -> Iterator[str]:
        rows = member(parameters.get("assignments"), "assignments")
        for index, row in enumerate(rows if isinstance(rows, list) else ()):
            if member(row, "type") == "object":
                yield f"assignments.assignments[{index}].value"

    def included(self) -> str:
        return self.include if self.include_other_fields else "none"

    def rows(self) -> Iterator[Row]:
        for row in self.assignments.assignments:
            yield row.name, row.type, row.value


class LatestSet(AssignmentsSet):
    """Version 3.4."""

    def keeps_binary(self) -> bool:
        return self.included() != "none" and not self.options.strip_binary


class FlatSet(SetParameters):
    """A flat list of assignments beside the present fields; only documents without typeVersion have it."""

    assignments: list[Assignment] = Field(default_factory=list)

    def rows(self) -> Iterator[Row]:
        for row in self.assignments:
            yield row.name, row.type, row.value

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


def write(json: dict[str, Json], name: str, value: Json, *, dots: bool) -> None:
    """Set one field of the caller's own object. Raises ValueError."""
    if dots and is_path(name):
        set_path(json, name, value)
    else:
        json[name] = value


def convert(name: str, kind: str | None, value: object, *, ignore_errors: bool) -> Json:
    """The value in its field's type; null stays null. Raises `NodeError` that names the field."""
    if kind == "string" and type(value) is str:
        return value
    converter = None if kind is None or value is None else CONVERSIONS.get(kind)
    if converter is None:
        return value  # type: ignore[return-value]  # resolved parameters are JSON
    try:
        return converter(value)
    except ValueError as exc:
        if ignore_errors:
            return value  # type: ignore[return-value]
        raise NodeError(
            f"The field '{name}' expects {with_article(str(kind))} but got {with_article(type_name(value))}, {exc}; "
            "change the field's type or turn on 'ignore conversion errors'."
        ) from None


def raw_object(value: object) -> dict[str, Json]:
    """The object of raw mode. Raises `NodeError`."""
    try:
        return to_object(value)
    except ValueError as exc:
        raise NodeError(f"The parameter jsonOutput must be one JSON object; it is {exc}.") from None


def new_json(parameters: SetParameters, json: dict[str, Json]) -> dict[str, Json]:
    """What the item's data becomes."""
    made = parameters.remaining(json)
    options = parameters.options
    if isinstance(parameters, ModernSet) and parameters.mode == "raw":
        for key, member in raw_object(parameters.json_output).items():
            write(made, key, member, dots=options.dot_notation)
        return made
    for name, kind, value in parameters.rows():
        converted = convert(name, kind, value, ignore_errors=options.ignore_conversion_errors)
        try:
            write(made, name, converted, dots=options.dot_notation)
        except ValueError as exc:
            raise NodeError(f"The field '{name}' cannot be set: {exc}.") from None
    return made
