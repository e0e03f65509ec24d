"""Before an execution starts: nodes that would keep it from coming to its end."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping

from ..containment import is_ctrl_c
from ..workflows import Node, local_type
from .types import NodeCatalog

_log = logging.getLogger(__name__)
_NONE: Mapping[str, str] = {}
_PACKAGE = re.compile(r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?n8n-nodes-[a-z0-9._~-]+", re.ASCII)
_BUILT_IN = ("n8n-nodes-base", "@n8n/n8n-nodes-base", "@n8n/n8n-nodes-langchain")


def community_package(node_type: str) -> str:
    """The npm package that a node's type names by n8n's custom, such as `@acme/n8n-nodes-acme` of
    `@acme/n8n-nodes-acme.acme`; empty: it names none."""
    package, separator, _ = local_type(node_type).rpartition(".")
    is_package = separator and _PACKAGE.fullmatch(package) and package not in _BUILT_IN
    return package if is_package else ""


def community_remedy(node_type: str) -> str:
    """How a node type of an npm package gets here, a sentence; empty for any other type."""
    package = community_package(node_type)
    return package and f"It is in the npm package {package}; add that with: jackfield community-nodes add {package}"


def unknown_type(node: Node) -> str:
    """The message for a node whose type no plugin provides."""
    if remedy := community_remedy(node.type):
        return f"The node type '{node.type}' is not installed. {remedy}"
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
        _log.exception("Jackfield cannot tell whether a node of type %s has all that it needs.", node.type)
        return _NONE
