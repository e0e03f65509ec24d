"""What the plugin names at the start; it is made when a workflow uses it first."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer("mendWithAgent", "jackfield_copilot.node:MendWithAgentNode", (context,))]
