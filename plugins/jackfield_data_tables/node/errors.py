"""Errors of the Data table node, and what becomes of items that failed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jackfield.api.errors import JackfieldError
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.items import goes_on
from jackfield.api.workflows import Items


class RefusedByTable(NodeError):
    """Data tables did not take something. As in n8n, a row operation that goes on after errors passes the item on
    without the error."""


async def asked(work: Awaitable[Items]) -> Items:
    """Raises `RefusedByTable` for what data tables refuse."""
    try:
        return await work
    except JackfieldError as exc:
        raise RefusedByTable(exc.message) from None


async def of_item(run: NodeRun, index: int, work: Callable[[], Awaitable[Items]], *, tell_all: bool) -> Items:
    """The items that `work` makes of one input item, or what stands for the item that failed. `tell_all`: with each
    error. Raises `NodeError` when the node does not go on after errors. As in n8n, it also does so when the item is not
    the first: then the node passes all its items on."""
    try:
        return await asked(work())
    except NodeError as exc:
        if index or not goes_on(run):
            raise _placed(exc, index) from None
        json = run.items[index]["json"]
        if isinstance(exc, RefusedByTable) and not tell_all:
            return [{"json": json}]
        return [{"json": json, "error": {"message": exc.message}}]


async def of_all(run: NodeRun, work: Callable[[], Awaitable[Items]]) -> Items:
    """The same for work on all items together; as in n8n, what stands for an item has the whole item in its fields."""
    try:
        return await asked(work())
    except NodeError as exc:
        if not goes_on(run):
            raise
        items: Items = [{"json": {**item}} for item in run.items]  # type: ignore[dict-item]  # items are JSON
        if isinstance(exc, RefusedByTable):
            return items
        return [{**item, "error": {"message": exc.message}} for item in items]


def _placed(error: NodeError, index: int) -> NodeError:
    if error.item is None:
        error.item = index
    return error
