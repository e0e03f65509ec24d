"""pydantic models of a vendor node's parameters: one per operation, and one that chooses between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, create_model, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeParameters
from jackfield_vendors.description import Parameter
from jackfield_vendors.operations import CompiledOperation
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


class OperationParameters(NodeParameters):
    """The parameters of one operation."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    compiled: ClassVar[CompiledOperation]

    def given(self) -> dict[str, Json]:
        """By the document's names, with defaults."""
        return self.model_dump(by_alias=True)


def model_of(operation: CompiledOperation, shared: Sequence[Parameter]) -> type[OperationParameters]:
    rows = {row.name: row for row in (*shared, *operation.described.parameters)}
    fields: dict[str, Any] = {}  # as `create_model` takes them
    for index, row in enumerate(rows.values()):
        kind = Literal[tuple(row.options)] | None if row.options else _TYPES[row.type]
        fields[f"parameter_{index}"] = (kind, Field(row.default, alias=row.name, title=row.title or row.name))
    described = operation.described
    fields["resource"] = (str, described.resource)
    fields["operation"] = (str, described.operation)
    name = f"{described.resource or 'node'}_{described.operation or 'run'}"
    model = create_model(name, __base__=OperationParameters, **fields)
    model.compiled = operation
    return model


class VendorParameters(NodeParameters):
    """Any operation: validates as the one that the parameters choose."""

    models: ClassVar[Sequence[type[OperationParameters]]] = ()
    first_resource: ClassVar[str] = ""
    first_operations: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, raw: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(raw, dict):
            return handler(raw)
        return cls._chosen(raw).model_validate(cls._named(raw))  # type: ignore[return-value]

    @classmethod
    def _named(cls, raw: Mapping[str, Json]) -> dict[str, Json]:
        resource = raw.get("resource") or cls.first_resource
        operation = raw.get("operation") or cls.first_operations.get(str(resource), "")
        return {**raw, "resource": resource, "operation": operation}

    @classmethod
    def _chosen(cls, raw: Mapping[str, Json]) -> type[OperationParameters]:
        given = cls._named(raw)
        resource, operation = given["resource"], given["operation"]
        named = [m for m in cls.models if m.compiled.described.resource == resource]
        if not named:
            raise _unknown("resource", resource, sorted({m.compiled.described.resource for m in cls.models}))
        fitting = [m for m in named if m.compiled.described.operation == operation]
        if not fitting:
            raise _unknown("operation", operation, sorted({m.compiled.described.operation for m in named}))
        return next((m for m in fitting if matches(m.compiled.when, _with_defaults(m, given))), fitting[-1])

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:  # as in the base class
        """One alternative per operation."""
        forms = [model.model_json_schema(*args, **kwargs) for model in cls.models]
        for form, model in zip(forms, cls.models, strict=True):
            form["properties"]["resource"] = {"const": model.compiled.described.resource}
            form["properties"]["operation"] = {"const": model.compiled.described.operation}
            form["required"] = [row.name for row in model.compiled.described.parameters if row.required]
        return {"type": "object", "title": cls.__name__, "oneOf": forms}


def _with_defaults(model: type[OperationParameters], given: Mapping[str, Json]) -> dict[str, Json]:
    defaults = {row.name: row.default for row in model.compiled.described.parameters if row.default is not None}
    return {**defaults, **given}


def _unknown(name: str, value: Json, known: Sequence[str]) -> ValidationError:
    error = PydanticCustomError("unknown_choice", f"there is no such {name}; there are {', '.join(known)}")
    return ValidationError.from_exception_data("parameters", [InitErrorDetails(type=error, loc=(name,), input=value)])


def chooser(
    name: str, models: Sequence[type[OperationParameters]], resource: str, operations: Mapping[str, str]
) -> type[VendorParameters]:
    made: type[VendorParameters] = create_model(name, __base__=VendorParameters)
    made.models = models
    made.first_resource = resource
    made.first_operations = operations
    return made
