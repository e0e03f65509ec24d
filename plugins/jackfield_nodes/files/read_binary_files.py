"""Read Binary Files; see `read_write`."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield_nodes.files.read_write import ReadManyNode


def node(context: PluginContext) -> ReadManyNode:
    return ReadManyNode(context)
