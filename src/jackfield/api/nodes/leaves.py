"""Parameters taken apart: what is the same for all items of a node run, and the values that expressions give for each.

Validating a model again for every item costs more than the expressions in it. A model that says `takes_leaves` is
validated once, with a `Leaf` wherever the document has an expression, and each item has its own values for those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from ..jsontext import Json
from .parameters import NodeParameters

Model = TypeVar("Model")


class Leaf:
    """Stands in parameters for the value of an expression. place: its index in `Apart.values`."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


class Apart(NamedTuple, Generic[Model]):
    """Of one item. parameters: shared with other items where they hold a `Leaf`, so never to be changed; stands for the
    error where they cannot be resolved; values: what the leaves are for this item, its own."""

    parameters: Model
    values: list[object]


def filled(value: object, values: Sequence[object]) -> object:
    """What a field of `Apart.parameters` is for the item with these values."""
    return values[value.place] if type(value) is Leaf else value


def with_leaves(
    model: type[NodeParameters], parameters: Mapping[str, Json], paths: Sequence[str]
) -> NodeParameters | None:
    """The validated parameters with a leaf at each path, in this order; None where the model does not take leaves
    there: then every item needs its own. Raises nothing."""
    places = {path: place for place, path in enumerate(paths)}
    if len(places) < len(paths):
        return None
    met: list[int] = []
    value = _placed(dict(parameters), "", places, met)
    if len(met) < len(paths):
        return None
    try:
        made = model.model_validate(value)
    except ValueError:
        return None
    return made if made.takes_leaves else None


def _placed(value: object, path: str, places: Mapping[str, int], met: list[int]) -> object:
    place = places.get(path)
    if place is not None:
        met.append(place)
        return Leaf(place)
    if isinstance(value, dict):
        return {key: _placed(below, f"{path}.{key}" if path else key, places, met) for key, below in value.items()}
    if isinstance(value, list):
        return [_placed(below, f"{path}[{index}]", places, met) for index, below in enumerate(value)]
    return value
