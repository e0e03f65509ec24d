"""A vendor node's parameters: a pydantic model per operation, and one that chooses between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, create_model, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeParameters
from jackfield.api.nodes.needs import EMPTY
from jackfield_vendors.described.description import Parameter
from jackfield_vendors.operations import CompiledOperation
from jackfield_vendors.schemas import operation_schema
from jackfield_vendors.shapes import matches

_TYPES: Mapping[str, Any] = {  # what `create_model` takes
    "text": str | None,
    "number": float | None,
    "boolean": bool | None,
    "json": str | dict[str, Any] | list[Any] | None,
    "list": list[Any] | str | None,
    "object": dict[str, Any] | None,
    "locator": str | dict[str, Any] | None,
    "any": object,
}


def missing(rows: Sequence[Parameter], given: Mapping[str, Json]) -> Iterator[str]:
    """The names of the required parameters that are empty."""
    for row in rows:
        value = given.get(row.name, row.default)
        if row.required and (value in (None, "", []) or (isinstance(value, dict) and value.get("value") == "")):
            yield row.name


class OperationParameters(NodeParameters):
    """The parameters of one operation."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    compiled: ClassVar[CompiledOperation]

    def given(self) -> dict[str, Json]:
        """By the document's names, with defaults."""
        return self.model_dump(by_alias=True)


class OperationForm:
    """The parameters that one operation takes. Its model is made when a node first uses the operation."""

    def __init__(self, compiled: CompiledOperation, shared: Sequence[Parameter]) -> None:
        """shared: by all operations of the node."""
        self.compiled = compiled
        self.described = described = compiled.described
        self.rows = tuple({row.name: row for row in (*shared, *described.parameters)}.values())
        self.name = f"{described.resource or 'node'}_{described.operation or 'run'}"

    @cached_property
    def model(self) -> type[OperationParameters]:
        fields: dict[str, Any] = {}  # as `create_model` takes them
        for index, row in enumerate(self.rows):
            kind = Literal[tuple(row.options)] | None if row.options else _TYPES[row.type]
            fields[f"parameter_{index}"] = (kind, Field(row.default, alias=row.name, title=row.title or row.name))
        named = {row.name for row in self.rows}
        for name, choice in (("resource", self.described.resource), ("operation", self.described.operation)):
            if name not in named:
                fields[name] = (str, choice)
        model = create_model(self.name, __base__=OperationParameters, **fields)
        model.compiled = self.compiled
        return model

    def fits(self, given: Mapping[str, Json]) -> bool:
        """Whether the parameters are those of this operation, which has its name in common with others."""
        defaults = {row.name: row.default for row in self.described.parameters if row.default is not None}
        return matches(self.compiled.when, {**defaults, **given})


class VendorParameters(NodeParameters):
    """Any operation: validates as the one that the parameters choose."""

    forms: ClassVar[Sequence[OperationForm]] = ()
    ordinary: ClassVar[frozenset[str]] = frozenset()
    """Of `resource` and `operation`, those that are parameters like others, as in nodes that have one operation."""
    first_resource: ClassVar[str] = ""
    first_operations: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(raw, dict):
            return handler(raw)
        return cls._chosen(raw).model.model_validate(cls._named(raw))  # type: ignore[return-value]

    @classmethod
    def obstacles(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        try:
            form = cls._chosen(parameters)
        except ValidationError:
            return {}
        rows = [row for row in form.described.parameters if row.required != "reached"]
        return dict.fromkeys(missing(rows, parameters), EMPTY)

    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        """An operation that cannot run; where none of the node type can, the type says so."""
        if all(form.described.unavailable for form in cls.forms):
            return {}
        try:
            reason = cls._chosen(parameters).described.unavailable
        except ValidationError:
            return {}
        return {"operation": f"The operation cannot run here: {reason}."} if reason else {}

    @classmethod
    def _named(cls, raw: Mapping[str, Json]) -> dict[str, Json]:
        resource, operation = cls._choice(raw)
        chosen: dict[str, Json] = {"resource": resource, "operation": operation}
        return {**raw, **{name: value for name, value in chosen.items() if name not in cls.ordinary}}

    @classmethod
    def _choice(cls, raw: Mapping[str, Json]) -> tuple[Json, Json]:
        """Resource and operation."""
        named = {name: value for name, value in raw.items() if name not in cls.ordinary}
        resource = named.get("resource") or cls.first_resource
        return resource, named.get("operation") or cls.first_operations.get(str(resource), "")

    @classmethod
    def _chosen(cls, raw: Mapping[str, Json]) -> OperationForm:
        given = cls._named(raw)
        resource, operation = cls._choice(raw)
        named = [form for form in cls.forms if form.described.resource == resource]
        if not named:
            raise _unknown("resource", resource, sorted({form.described.resource for form in cls.forms}))
        fitting = [form for form in named if form.described.operation == operation]
        if not fitting:
            raise _unknown("operation", operation, sorted({form.described.operation for form in named}))
        return next((form for form in fitting if form.fits(given)), fitting[-1])

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:  # as in the base class
        """One alternative per operation, whatever the arguments are."""
        forms = [operation_schema(form.name, form.rows, form.described) for form in cls.forms]
        return {"type": "object", "title": cls.__name__, "oneOf": forms}


def _unknown(name: str, value: Json, known: Sequence[str]) -> ValidationError:
    error = PydanticCustomError("unknown_choice", f"there is no such {name}; there are {', '.join(known)}")
    return ValidationError.from_exception_data("parameters", [InitErrorDetails(type=error, loc=(name,), input=value)])


def chooser(
    name: str, forms: Sequence[OperationForm], resource: str, operations: Mapping[str, str]
) -> type[VendorParameters]:
    made: type[VendorParameters] = create_model(name, __base__=VendorParameters)
    made.forms = forms
    made.ordinary = frozenset(row.name for form in forms for row in form.rows) & {"resource", "operation"}
    made.first_resource = resource
    made.first_operations = operations
    return made
