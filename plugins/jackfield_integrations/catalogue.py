"""Every node of this plugin, by kind. A node's file is imported when the node is used first; the library that does its
work, when it runs first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module

from jackfield.api.context import PluginContext
from jackfield.api.lazy import LazyNode
from jackfield.api.nodes import NodeType

MODULES: Mapping[str, str] = {
    "emailSend": "mail.node",
    "executeCommand": "execute_command",
    "ftp": "remote.ftp_node",
    "graphql": "graphql",
    "mySql": "sql.mysql_node",
    "postgres": "sql.postgres_node",
    "redis": "redis_node",
    "rssFeedRead": "rss_feed_read",
    "sqlite": "sql.sqlite_node",
    "ssh": "remote.ssh_node",
}
"""Kind -> module of this package; it has a function `node(context)`."""


def node_types(context: PluginContext) -> list[NodeType]:
    """One `NodeType` per kind."""
    return [LazyNode(kind, partial(_load, module, context)) for kind, module in MODULES.items()]


def _load(module: str, context: PluginContext) -> NodeType:
    found: NodeType = import_module(f"jackfield_integrations.{module}").node(context)
    return found
