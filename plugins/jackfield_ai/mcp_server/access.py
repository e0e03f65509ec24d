"""The callers that an MCP server admits: its own authentication, and no page of another site."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.credentials import Credentials
from jackfield.api.errors import AccessDenied, WebhookUnauthorized
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield.api.workflows import Node

_KINDS = {"bearerAuth": "httpBearerAuth", "headerAuth": "httpHeaderAuth"}
AUTHENTICATIONS = ("none", *_KINDS)
_CHALLENGE = ("WWW-Authenticate", 'Bearer realm="mcp"')


@record
class Proof:
    """A header that every request must have. header: in lower case."""

    header: str
    value: bytes


def authentication(node: Node) -> str:
    value = node.parameters.get("authentication", "none")
    return value if isinstance(value, str) else "unknown"


async def proof_of(context: PluginContext, node: Node) -> Proof | None:
    """None: anybody may call. Raises `NodeError` when the node's credential cannot be used."""
    how = authentication(node)
    if how == "none":
        return None
    kind = _KINDS.get(how)
    if kind is None:
        raise NodeError(f"The authentication {how} is not available.")
    ident = node.credential_id(kind)
    if ident is None:
        raise NodeError(f"{how} needs a stored credential of the kind {kind}.")
    values = await context.port(Credentials).values(ident, kind)
    if how == "bearerAuth":
        header, value = "authorization", f"Bearer {values['token']}" if values.get("token") else ""
    else:
        header, value = values.get("name", "").lower(), values.get("value", "")
    if not header or not value:
        raise NodeError(f"The credential of the kind {kind} is empty.")
    return Proof(header, value.encode())


async def check_caller(context: PluginContext, node: Node, headers: Mapping[str, str]) -> None:
    """headers: names in lower case. A server whose credential cannot be used is closed. Raises `AccessDenied`,
    `WebhookUnauthorized`."""
    _check_origin(headers)
    try:
        proof = await proof_of(context, node)
    except NodeError:
        context.log.warning("An MCP server has no usable credential; it is closed.", extra={"node": node.name})
        raise _refused() from None
    if proof is None:
        return
    given = headers.get(proof.header, "").encode("latin-1", "replace")
    if not hmac.compare_digest(given, proof.value):
        raise _refused()


def _refused() -> WebhookUnauthorized:
    return WebhookUnauthorized("This MCP server needs the header of its credential.", headers=[_CHALLENGE])


def _check_origin(headers: Mapping[str, str]) -> None:
    """A page of another site may reach a daemon that only its user's machine reaches (MCP 2025-11-25, Transports,
    Security Warning)."""
    origin = headers.get("origin")
    if origin is None:
        return
    sent, own = urlsplit(origin), headers.get("host", "").lower()
    default = {"http": ":80", "https": ":443"}.get(sent.scheme, "")
    if not own or own not in (sent.netloc.lower(), sent.netloc.lower() + default):
        raise AccessDenied("A page of another site may not call this MCP server.")
