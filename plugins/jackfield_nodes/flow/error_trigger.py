"""Error Trigger: where an error workflow starts, with what failed as its item."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription
from jackfield.api.nodes.running import PassingNode


def node(context: PluginContext) -> PassingNode:
    return PassingNode(
        "errorTrigger",
        (1,),
        NodeDescription("Error Trigger", "Starts when another workflow fails.", "trigger", inputs=0, trigger=True),
    )
