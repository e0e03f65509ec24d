"""The offers that the plugin names at the start; they are made when a workflow uses them first."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer("mendWithAgent", "jackfield_copilot.node:MendWithAgentNode", (context,))]
