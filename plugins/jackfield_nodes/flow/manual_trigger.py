"""Manual Trigger: where a run starts that a person asks for."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription
from jackfield.api.nodes.running import PassingNode


def node(context: PluginContext) -> PassingNode:
    return PassingNode(
        "manualTrigger",
        (1,),
        NodeDescription("Manual Trigger", "Starts a run that a person asks for.", "trigger", inputs=0, trigger=True),
    )
