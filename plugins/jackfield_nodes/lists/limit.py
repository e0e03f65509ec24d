"""Limit: keeps the first or the last items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import passed_on
from jackfield.api.nodes.running import ModelNode, each
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.lists.form import LIMIT


class LimitParameters(Parameters, title="Limit"):
    ui_fields: ClassVar[UiFields] = LIMIT

    max_items: float = Field(1, description="How many items stay at most; below 0: how many go.")
    keep: Literal["firstItems", "lastItems"] = Field("firstItems", description="Which of them stay.")

    def bounds(self, count: int) -> tuple[int, int]:
        """The place of the first item that stays, and of the first after it that goes."""
        if self.max_items > count:
            return 0, count
        if self.keep == "firstItems":
            return 0, int(self.max_items) if self.max_items > -1 else max(count + int(self.max_items), 0)
        return min(int(count - self.max_items), count), count


class LimitNode(ModelNode):
    """Pure: changes nothing outside the execution."""

    kind = "limit"
    versions: Sequence[float] = (1,)
    description = NodeDescription("Limit", "Keeps the first or the last items.", "transform")
    model = LimitParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        given: LimitParameters = await run.resolve_first()
        start, end = given.bounds(len(run.items))
        return [[passed_on(item, start + place) async for place, item in each(run.items[start:end])]]


def node(context: PluginContext) -> LimitNode:
    return LimitNode()
