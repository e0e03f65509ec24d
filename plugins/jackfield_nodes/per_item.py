"""Nodes that handle each item on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Item, Items, Node
from jackfield_nodes.items import error_item, goes_on

_BATCH = 50
"""Items that are handled before others may have the event loop."""


async def made_per_item(run: NodeRun, work: Callable[[Any, Item, int], Awaitable[Items]]) -> Items:
    """What `work` makes of each item's parameters, item and index. An item that fails fails the node, unless the node
    goes on after errors. Any: the parameters are of the node's own model. Raises `NodeError`."""
    made: Items = []
    for index, parameters in enumerate(await run.resolve()):
        if index % _BATCH == _BATCH - 1:
            await asyncio.sleep(0)
        try:
            made += await work(parameters, run.items[index], index)
        except NodeError as exc:
            if not goes_on(run):
                exc.item = index
                raise
            made.append(error_item(exc, index))
    return made


class ItemNode:
    """Base of node types with one output that handle each item on its own; `item` does the work."""

    kind: str
    versions: Sequence[float]
    description: NodeDescription
    effect = False
    model: type[NodeParameters]

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self.model

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        async def work(parameters: Any, item: Item, index: int) -> Items:
            return await self.item(run, parameters, item, index)

        return [await made_per_item(run, work)]

    async def item(self, run: NodeRun, parameters: Any, item: Item, index: int) -> Items:
        """The output for one item; `parameters` is an instance of the node's model. Raises `NodeError`."""
        raise NotImplementedError


def with_json(item: Item, json: dict[str, Any], index: int) -> Item:
    """An output item with these fields and the files of the input item. Any: fields are JSON."""
    made: Item = {"json": json, "pairedItem": {"item": index}}
    if item.get("binary"):
        made["binary"] = item["binary"]
    return made
