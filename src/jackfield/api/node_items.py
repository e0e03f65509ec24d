"""How nodes go through items: one after another, each paired with the one it comes from, with errors item by item."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from .nodes import NodeError, NodeRun
from .workflows import Item, Items

Model = TypeVar("Model")
_BATCH = 50
"""Items that are handled before others may have the event loop."""


def goes_on(run: NodeRun) -> bool:
    """Whether the node goes on with its other items after one failed."""
    return run.node.on_error != "stopWorkflow"


def error_item(error: NodeError, index: int) -> Item:
    """Stands for an item that failed when the node goes on after errors."""
    return {"json": {"error": error.message}, "pairedItem": {"item": index}}


def passed_on(item: Item, index: int) -> Item:
    """The input item again, paired with itself. Shares its data with the given one."""
    passed: Item = {"json": item["json"], "pairedItem": {"item": index}}
    if "binary" in item:
        passed["binary"] = item["binary"]
    return passed


async def made_per_item(
    run: NodeRun, resolved: Sequence[Model], work: Callable[[int, Model], Awaitable[Items]]
) -> Items:
    """The items that `work` makes of each input item: of its index and its resolved parameters. An item that fails
    fails the node, unless the node goes on after errors. Raises `NodeError`."""
    made: Items = []
    for index, parameters in enumerate(resolved):
        if index % _BATCH == _BATCH - 1:
            await asyncio.sleep(0)
        try:
            made += await work(index, parameters)
        except NodeError as exc:
            if not goes_on(run):
                exc.item = index
                raise
            made.append(error_item(exc, index))
    return made
