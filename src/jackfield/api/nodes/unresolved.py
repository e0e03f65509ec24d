"""Parameters of an item that cannot be resolved, in a node that goes on after errors.

The node learns of it where it looks at them: in its work on that item, so that the others have theirs, as in n8n.
"""

from __future__ import annotations

from typing import cast

from .parameters import NodeParameters
from .types import NodeError


class Unresolved:
    """Every look at a parameter raises `error`."""

    __slots__ = ("error",)

    def __init__(self, error: NodeError) -> None:
        self.error = error

    def __getattr__(self, name: str) -> object:
        error = self.error
        raise NodeError(error.message, item=error.item, description=error.description)


def unresolved(error: NodeError) -> NodeParameters:
    """What stands in the list that `NodeRun.resolve` gives."""
    return cast("NodeParameters", Unresolved(error))


def is_resolved(made: object) -> bool:
    """Whether the node may look at the parameters before its work on the item."""
    return not isinstance(made, Unresolved)
