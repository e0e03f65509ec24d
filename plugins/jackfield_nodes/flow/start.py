"""Start: the trigger of older documents."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription
from jackfield.api.nodes.running import PassingNode


def node(context: PluginContext) -> PassingNode:
    return PassingNode(
        "start",
        (1,),
        NodeDescription("Start", "Starts a run; the trigger of older documents.", "trigger", inputs=0, trigger=True),
    )
