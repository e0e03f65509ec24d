"""Which parameters of a node its model marks as secret: `json_schema_extra={"secret": True}`, or pydantic's own types
for secrets."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

ANY = "*"
"""In a path: every element of a list, every value of an object."""
_TYPES = (SecretStr, SecretBytes)


def marked_paths(model: type[BaseModel]) -> list[str]:
    """Paths of the marked fields, such as `options.password` and `rows.*.key`, under each name that a document may
    give them."""
    return sorted(set(_marked(model, ())))


def _marked(model: type[BaseModel], above: tuple[type[BaseModel], ...]) -> Iterator[str]:
    if model in above:
        return
    if not model.__pydantic_fields_complete__:
        model.model_rebuild()
    for name, field in model.model_fields.items():
        names = {name, field.alias or name}
        tails = [""] if _is_secret(field) else [f".{tail}" for tail in _below(field.annotation, (*above, model))]
        yield from (own + tail for own in names for tail in tails)


def _is_secret(field: FieldInfo) -> bool:
    """Whether a form would hide what is typed into it."""
    extra = field.json_schema_extra
    if isinstance(extra, dict) and (extra.get("secret") or extra.get("writeOnly") or extra.get("format") == "password"):
        return True
    return any(kind in _TYPES for kind in (field.annotation, *get_args(field.annotation)))


def _below(annotation: Any, above: tuple[type[BaseModel], ...]) -> Iterator[str]:  # whatever can be annotated
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _marked(annotation, above)
        return
    origin = get_origin(annotation)
    many = isinstance(origin, type) and issubclass(origin, Collection)
    for argument in get_args(annotation):
        yield from (f"{ANY}.{tail}" if many else tail for tail in _below(argument, above))
