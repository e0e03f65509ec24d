"""Which conversation a memory continues. Source: n8n's nodes `memory*`, whose keys these are, so that conversations go
on where n8n has left them."""

from __future__ import annotations

import re

from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeError
from jackfield_ai.tools.toolbox import as_text

_ODD = re.compile(r"[^A-Za-z0-9_-]")


def chosen_key(node: AttachedNode, id_type: str, key: str, item: int) -> str:
    """The item's sessionId, or the author's own key. id_type: fromInput or customKey. Raises `NodeError`."""
    if id_type == "customKey":
        if not key:
            raise NodeError(f"The node '{node.node.name}' has no session key; fill in sessionKey.")
        return key
    found: Json = node.item(item)["json"].get("sessionId")
    if found in (None, ""):
        raise NodeError(
            f"The node '{node.node.name}' found no sessionId in the item; let the trigger give one, or set "
            "sessionIdType to customKey."
        )
    return as_text(found)


def scoped_key(node: AttachedNode, id_type: str, key: str, item: int, since: float) -> str:
    """The same; from this version on a sessionId of the item belongs to the memory of this name alone. Raises
    `NodeError`."""
    found = chosen_key(node, id_type, key, item)
    version = node.node.version
    own = id_type == "fromInput" and version is not None and version >= since
    return f"{found}__{_ODD.sub('_', node.node.name)}" if own else found
