"""Write Binary File; see `read_write`."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield_nodes.files.read_write import WriteOneNode


def node(context: PluginContext) -> WriteOneNode:
    return WriteOneNode(context)
