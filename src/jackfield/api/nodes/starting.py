"""Before an execution starts: nodes that would keep it from coming to its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ..containment import is_ctrl_c
from ..workflows import Node
from .types import NodeCatalog

_log = logging.getLogger(__name__)
_NONE: Mapping[str, str] = {}


def obstacles_of(node: Node, catalog: NodeCatalog) -> Mapping[str, str]:
    """See `NodeParameters.obstacles`. Nothing for a node whose type is not there or cannot tell: it fails where it is
    reached."""
    found = catalog.find(node.kind)
    if found is None:
        return _NONE
    try:
        return found.parameters(node.version).obstacles(node.parameters)
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        _log.exception("It cannot be told whether a node of type %s has all that it needs.", node.type)
        return _NONE
