"""Puts a stored credential on a request, and keeps it at the hosts it is for."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield_nodes.http_call import Call
from jackfield_nodes.http_guard import host_key


def host_allowed(host: str, allowed: str) -> bool:
    """Whether the comma-separated list has the host, or `*.` and a parent of it; an empty list has every host."""
    names = [host_key(name.strip()) for name in allowed.split(",") if name.strip()]
    key = host_key(host)
    return not names or any(
        key == name or (name.startswith("*.") and key.endswith(name[1:])) or name == "*" for name in names
    )


def _need(values: Mapping[str, str], kind: str, *names: str) -> list[str]:
    found = [values.get(name) or "" for name in names]
    if not found[0]:
        raise NodeError(f"The credential {kind} has no {names[0]}; fill it in.")
    return found


def with_credential(call: Call, kind: str, values: Mapping[str, str], host: str) -> Call:
    """The call with the credential in its header or query. Raises `NodeError` when the host is not one of the
    credential's, or its kind is not available."""
    if not host_allowed(host, values.get("allowedHosts", "")):
        raise NodeError(f"The credential {kind} may not be sent to {host}; its allowedHosts do not name it.")
    match kind:
        case "httpHeaderAuth":
            name, value = _need(values, kind, "name", "value")
            return _header(call, name, value, value)
        case "httpBearerAuth":
            (token,) = _need(values, kind, "token")
            return _header(call, "authorization", f"Bearer {token}", token)
        case "httpBasicAuth":
            user, password = _need(values, kind, "user", "password")
            encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
            return replace(_header(call, "authorization", f"Basic {encoded}", encoded), secrets=(encoded, password))
        case "httpQueryAuth":
            name, value = _need(values, kind, "name", "value")
            return replace(call, query=[*call.query, (name, value)], secrets=(value,))
    raise NodeError(
        f"Credentials of the kind {kind} are not available yet; use httpHeaderAuth, httpBearerAuth, httpBasicAuth or "
        "httpQueryAuth."
    )


def _header(call: Call, name: str, value: str, secret: str) -> Call:
    """The credential's header replaces the author's of the same name."""
    key = name.strip().lower()
    others = [pair for pair in call.headers if pair[0].lower() != key]
    return replace(call, headers=[*others, (name.strip(), value)], secrets=(secret,), secret_headers=frozenset({key}))
