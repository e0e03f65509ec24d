"""The offers that the plugin names at the start; a workflow's first use makes them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer("agent", "jackfield_profiles.agent_node:CodingAgentNode", (context,))]
