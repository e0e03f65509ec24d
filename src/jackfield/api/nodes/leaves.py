"""Parameters taken apart: what is the same for all items of a node run, and the values that expressions give for each.

Validating a model again for every item costs more than the expressions in it. A model that says `takes_leaves` gets one
validation, with a `Leaf` wherever the document has an expression. Each item has its own values for those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from .parameters import NodeParameters

if TYPE_CHECKING:
    from ..expressions import CompiledParameters

Model = TypeVar("Model")


class Leaf:
    """Stands in parameters for the value of an expression. place: its index in `Apart.values`."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


class Apart(NamedTuple, Generic[Model]):
    """Of one item. parameters: shared with other items where they hold a `Leaf`, so never to be changed. Stands for the
    error where they cannot be resolved; values: what the leaves are for this item, its own."""

    parameters: Model
    values: list[object]


def filled(value: object, values: Sequence[object]) -> object:
    """The value of a field of `Apart.parameters` for the item with these values."""
    return values[value.place] if type(value) is Leaf else value


def with_leaves(model: type[NodeParameters], parameters: CompiledParameters) -> NodeParameters | None:
    """The validated parameters with a leaf for each expression; None where the model does not take leaves there: then
    every item needs its own. Raises nothing."""
    try:
        made = model.model_validate(parameters.with_leaves(Leaf))
    except (ValueError, TypeError, AttributeError):  # of a validator that looks into a value
        return None
    taken = made.takes_leaves and all(map(_is_taken, _fields(made)))  # a validator may have made another model's
    return made if taken else None


def _is_taken(field: object) -> bool:
    """Whether no leaf is hidden in a field.

    `filled` gives the value of one that is the field itself, not of those in a list or an object that has no model.
    """
    return type(field) is Leaf or not _has_leaf(field)


def _has_leaf(value: object) -> bool:
    if isinstance(value, BaseModel):
        return not all(map(_is_taken, _fields(value)))
    if isinstance(value, dict):
        return any(map(_has_leaf, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_leaf, value))
    return type(value) is Leaf


def _fields(model: BaseModel) -> Iterable[object]:
    """Their values. Keys that the model does not know are no fields, and no node reads them."""
    return (getattr(model, name) for name in type(model).model_fields)
