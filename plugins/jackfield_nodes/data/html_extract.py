"""HTML Extract; see `html_node`."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield_nodes.data.html_node import HtmlExtractNode


def node(context: PluginContext) -> HtmlExtractNode:
    return HtmlExtractNode(context)
