"""No Operation: hands its items on."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeDescription
from jackfield.api.nodes.running import PassingNode


def node(context: PluginContext) -> PassingNode:
    return PassingNode("noOp", (1,), NodeDescription("No Operation", "Hands its items on unchanged.", "flow"))
