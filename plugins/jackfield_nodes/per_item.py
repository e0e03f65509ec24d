"""Nodes that handle each item on its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.nodes.running import made_per_item
from jackfield.api.workflows import Item, Items, Node


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
        async def work(index: int, parameters: Any) -> Items:
            return await self.item(run, parameters, run.items[index], index)

        return [await made_per_item(run, await run.resolve(), work)]

    async def item(self, run: NodeRun, parameters: Any, item: Item, index: int) -> Items:
        """The output for one item; `parameters` is an instance of the node's model. Raises `NodeError`."""
        raise NotImplementedError


def with_json(item: Item, json: dict[str, Any], index: int) -> Item:
    """An output item with these fields and the files of the input item. Any: fields are JSON."""
    made: Item = {"json": json, "pairedItem": {"item": index}}
    if item.get("binary"):
        made["binary"] = item["binary"]
    return made
