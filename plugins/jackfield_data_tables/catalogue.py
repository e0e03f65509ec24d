"""The nodes of this plugin; a node's file is imported when the node is used first."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer


def node_types(context: PluginContext) -> list[NodeOffer]:
    return [NodeOffer("dataTable", "jackfield_data_tables.node.data_table:node", (context,))]
