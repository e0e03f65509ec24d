"""Parameters of an item that cannot be resolved, in a node that goes on after errors.

The node learns of it where it looks at them: in its work on that item, so that the others have theirs, as in n8n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from ..workflows import Items
from .items import error_item
from .parameters import NodeParameters
from .types import NodeError

Model = TypeVar("Model")


class Unresolved:
    """Every look at a parameter raises `error`."""

    __slots__ = ("error",)

    def __init__(self, error: NodeError) -> None:
        self.error = error

    def __getattr__(self, name: str) -> object:
        error = self.error
        raise NodeError(error.message, item=error.item, description=error.description)


def unresolved(error: NodeError) -> NodeParameters:
    """The value that stands in the list that `NodeRun.resolve` gives."""
    return cast("NodeParameters", Unresolved(error))


def first_resolved(resolved: Sequence[Model]) -> Model | None:
    """The parameters of the first item that has them, for what a node asks once for all items; None when no item has
    them."""
    return next((made for made in resolved if is_resolved(made)), None)


def unresolved_items(resolved: Sequence[object]) -> Items:
    """The values that stand for items of which none has parameters."""
    errors = [made.error for made in resolved if isinstance(made, Unresolved)]
    return [error_item(error, index) for index, error in enumerate(errors)]


def is_resolved(made: object) -> bool:
    """Whether the node may look at the parameters before its work on the item."""
    return not isinstance(made, Unresolved)
