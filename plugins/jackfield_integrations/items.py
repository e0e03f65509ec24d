"""How these nodes make items and go through them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.workflows import Item, Items, Outputs

Model = TypeVar("Model")


def goes_on(run: NodeRun) -> bool:
    """Whether the node goes on with its other items after one failed."""
    return run.node.on_error != "stopWorkflow"


def error_item(error: NodeError, index: int) -> Item:
    """What stands for an item that failed when the node goes on after errors."""
    return {"json": {"error": error.message}, "pairedItem": {"item": index}}


def made_of(rows: Iterable[Mapping[str, Json]], index: int) -> Items:
    """New items that come from this input item."""
    return [{"json": dict(row), "pairedItem": {"item": index}} for row in rows]


def passed_on(item: Item, index: int) -> Item:
    """The input item again. Shares its data with the given one."""
    passed: Item = {"json": item["json"], "pairedItem": {"item": index}}
    if "binary" in item:
        passed["binary"] = item["binary"]
    return passed


async def each(run: NodeRun, resolved: list[Model], work: Callable[[int, Model], Awaitable[Items]]) -> Outputs:
    """One item after another; an item that fails fails the node, unless it goes on after errors."""
    made: Items = []
    for index, parameters in enumerate(resolved):
        try:
            made += await work(index, parameters)
        except NodeError as exc:
            if not goes_on(run):
                exc.item = index
                raise
            made.append(error_item(exc, index))
    return [made]
