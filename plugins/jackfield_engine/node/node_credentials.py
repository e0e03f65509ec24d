"""The stored credentials that a node names."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield.api.workflows import Node


def credential_id(node: Node, kind: str) -> str:
    """Raises `NodeError`."""
    found = node.credential_id(kind)
    if found is None:
        raise NodeError(f"The node names no stored credential of the kind {kind}; choose one in its credentials.")
    return found


async def credential_values(context: PluginContext, node: Node, kind: str) -> Mapping[str, str]:
    """See `NodeRun.credential`."""
    try:
        stored = await context.store.credential(credential_id(node, kind))
    except JackfieldError as exc:
        raise NodeUnavailable(f"The credential cannot be read: {exc.message}") from None
    if stored is None or stored.kind != kind:
        raise NodeError(f"The node's credential of the kind {kind} does not exist any more; choose another one.")
    try:
        values: dict[str, str] = orjson.loads(context.secrets.open(stored.sealed))
    except ValueError:
        raise NodeError(
            f"The credential '{stored.name}' was sealed with another encryption key; enter its values again."
        ) from None
    context.secrets.redact(*(value for name, value in values.items() if name != "allowedHosts"))
    return {"allowedHosts": "", **values}
