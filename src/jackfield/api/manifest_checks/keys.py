"""Keys that a model does not know.

Models of manifests leave such keys alone, so that a newer file works with an older daemon. Authors of files want to
hear of a misspelt one.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from jackfield.api.manifest_checks.places import KeyPath
from jackfield.api.records import record

_UNIONS = (Union, types.UnionType)


@record
class UnknownKey:
    """allowed: the names of keys that may stand in its place."""

    path: KeyPath
    allowed: Sequence[str]


def unknown_keys(model: type[BaseModel], data: Mapping[str, object], path: KeyPath = ()) -> Iterator[UnknownKey]:
    """Those of the document and of all tables in it, for which the model has no field."""
    fields = model_keys(model)
    free = model.model_config.get("extra") == "allow"
    for name, value in data.items():
        field = fields.get(name)
        if field is not None:
            yield from _below(field.annotation, value, (*path, name))
        elif not free:
            yield UnknownKey((*path, name), sorted(fields))


def model_keys(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Every name that the model reads -> the field."""
    if not model.__pydantic_complete__:
        model.model_rebuild()
    return {key: field for name, field in model.model_fields.items() for key in _names(model, name, field)}


def tables_with(model: type[BaseModel], key: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The tables of the model, by their paths, that have a key of this name."""
    for name, field in model_keys(model).items():
        if name == key:
            yield path
        for inner in _models(field.annotation):
            if len(path) < 4:
                yield from tables_with(inner, key, (*path, name))


def _names(model: type[BaseModel], name: str, field: FieldInfo) -> Iterator[str]:
    alias = field.validation_alias or field.alias
    if alias is None or model.model_config.get("populate_by_name") or model.model_config.get("validate_by_name"):
        yield name
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    yield from (choice for choice in choices if isinstance(choice, str))


# Any: annotations have no common type.
def _below(annotation: Any, value: object, path: KeyPath) -> Iterator[UnknownKey]:
    """In what a field holds."""
    if isinstance(value, dict):
        found = [model for model in _models(annotation) if _may_be(model, value)]
        if found:
            # Of several models that would fit, the one that knows most is meant.
            yield from min((list(unknown_keys(model, value, path)) for model in found), key=len)
            return
        for part in _parts(annotation, Mapping):
            for name, inner in value.items():
                yield from _below(part, inner, (*path, name))
    elif isinstance(value, list):
        for part in _parts(annotation, Sequence):
            for index, inner in enumerate(value):
                yield from _below(part, inner, (*path, index))


def _alternatives(annotation: Any) -> Iterator[Any]:
    """The types that a union, an annotated or a named type stands for."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif origin in _UNIONS:
        for one in get_args(annotation):
            yield from _alternatives(one)
    elif hasattr(annotation, "__value__"):
        yield from _alternatives(annotation.__value__)
    else:
        yield annotation


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    for one in _alternatives(annotation):
        if isinstance(one, type) and issubclass(one, BaseModel):
            yield one


def _parts(annotation: Any, kind: type) -> Iterator[Any]:
    """The types of the values of mappings, or of the elements of sequences."""
    for one in _alternatives(annotation):
        origin, arguments = get_origin(one), get_args(one)
        if isinstance(origin, type) and issubclass(origin, kind) and arguments:
            yield arguments[1] if kind is Mapping else arguments[0]


def _may_be(model: type[BaseModel], value: Mapping[str, object]) -> bool:
    """Whether no field of fixed values, such as `kind`, says that another model is meant."""
    for name, field in model_keys(model).items():
        fixed = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        if fixed and name in value and value[name] not in fixed:
            return len(fixed) > 1
    return True
