"""DebugHelper: does nothing, or fails, so that error handling can be tried."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription, NodeError, NodeRun, Parameters
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items
from jackfield_nodes.flow.form import DEBUG


class DebugHelper(Parameters):
    ui_fields: ClassVar[UiFields] = DEBUG

    category: Literal["doNothing", "throwError", "oom", "randomData"] = Field(
        "throwError", description="The work for each item. Only doNothing and throwError are available."
    )
    throw_error_message: str = Field("Node has thrown an error", description="throwError: what the node fails with.")


class DebugHelperNode(ItemNode):
    """Gives no items."""

    kind = "debugHelper"
    versions = (1,)
    description = NodeDescription("DebugHelper", "Does nothing, or fails on purpose.", "flow")
    model = DebugHelper

    async def item(self, run: NodeRun, parameters: DebugHelper, item: Item, index: int) -> Items:
        if parameters.category == "doNothing":
            return []
        if parameters.category == "throwError":
            raise NodeError(parameters.throw_error_message)
        raise NodeError(f"The category {parameters.category} is not available; a Code node can make such items.")


def node(context: PluginContext) -> DebugHelperNode:
    return DebugHelperNode(context)
