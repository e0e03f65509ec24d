"""Before an execution starts: nodes that would keep it from coming to its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ..containment import is_ctrl_c
from ..workflows import Node
from .types import NodeCatalog

_log = logging.getLogger(__name__)
_NONE: Mapping[str, str] = {}


def unknown_type(node: Node) -> str:
    """The message for a node whose type no plugin provides."""
    return f"The node type '{node.type}' is not known; install the plugin that provides it, or disable the node."


def obstacles_of(node: Node, catalog: NodeCatalog) -> Mapping[str, str]:
    """Path in the node, `type` or one below `parameters`, -> why; see `NodeParameters.obstacles`. Nothing for a node
    whose type cannot tell: it fails where it is reached. Source: n8n's `checkReadyForExecution`."""
    found = catalog.find(node.kind)
    if found is None:
        return {"type": unknown_type(node)}
    try:
        told = found.parameters(node.version).obstacles(node.parameters)
        return {f"parameters.{path}": message for path, message in told.items()} if told else _NONE
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        _log.exception("It cannot be told whether a node of type %s has all that it needs.", node.type)
        return _NONE
