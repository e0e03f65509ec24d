"""Parameters of an item that cannot be resolved, in a node that goes on after errors.

The node learns of it where it looks at them: in its work on that item, so that the others have theirs, as in n8n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from .parameters import NodeParameters
from .types import NodeError


class _Unresolved:
    """Every look at a parameter raises the error."""

    __slots__ = ("_error",)

    def __init__(self, error: NodeError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> object:
        error = self._error
        raise NodeError(error.message, item=error.item, description=error.description)


def unresolved(error: NodeError) -> NodeParameters:
    """What stands in the list that `NodeRun.resolve` gives."""
    return cast("NodeParameters", _Unresolved(error))


def is_resolved(made: object) -> bool:
    """Whether the node may look at the parameters before its work on the item."""
    return not isinstance(made, _Unresolved)


def resolved_first(made: Sequence[NodeParameters]) -> NodeParameters:
    """The first of them. Raises `NodeError` when it is unresolved."""
    first = made[0]
    if isinstance(first, _Unresolved):
        raise first._error
    return first
