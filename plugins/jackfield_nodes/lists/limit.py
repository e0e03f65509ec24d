"""Limit: keeps the first or the last items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import passed_on
from jackfield.api.nodes.running import ModelNode, each


class LimitParameters(Parameters, title="Limit"):
    max_items: int = Field(1, ge=0, description="How many items stay at most.")
    keep: Literal["firstItems", "lastItems"] = Field("firstItems", description="Which of them stay.")


class LimitNode(ModelNode):
    """Pure: changes nothing outside the execution."""

    kind = "limit"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Limit", "Keeps the first or the last items.", "transform")
    model = LimitParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        given: LimitParameters = await run.resolve_first()
        start = 0 if given.keep == "firstItems" else max(len(run.items) - given.max_items, 0)
        kept = run.items[start : start + given.max_items]
        return [[passed_on(item, start + place) async for place, item in each(kept)]]


def node(context: PluginContext) -> LimitNode:
    return LimitNode()
