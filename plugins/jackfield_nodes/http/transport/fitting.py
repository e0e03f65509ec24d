"""The parts of aiohttp that the nodes' client extends, or uses although they are not documented; see
docs/replaced-parts.md.
"""

from __future__ import annotations

from jackfield.api.nodes import NodeError
from jackfield.api.replaced_parts import PatchPoint, misfit

_CONNECTOR = "aiohttp.connector:TCPConnector"

PARTS = (
    # `GuardedConnector` and `TunnelConnector`.
    PatchPoint(
        f"{_CONNECTOR}.__init__",
        accepts=("self", "resolver", "use_dns_cache", "socket_factory", "ssl", "limit", "keepalive_timeout"),
    ),
    PatchPoint(f"{_CONNECTOR}.connect", ("self", "req", "traces", "timeout")),
    PatchPoint(f"{_CONNECTOR}._resolve_host", names=("_resolver", "_use_dns_cache")),
    PatchPoint(f"{_CONNECTOR}._wrap_create_connection", names=("_socket_factory",)),
    # `OpenConnections`.
    PatchPoint("aiohttp.connector:Connection.add_callback", ("self", "callback")),
    PatchPoint("aiohttp.connector:Connection.release", names=("_notify_release",)),
    PatchPoint("aiohttp.connector:Connection.close", names=("_notify_release",)),
    PatchPoint("aiohttp.connector:Connection.protocol"),
    PatchPoint("aiohttp.client_proto:ResponseHandler.should_close"),
    # The request, which goes out with exactly our headers.
    PatchPoint("aiohttp:ClientSession._request", accepts=("self", "middlewares", "server_hostname", "ssl")),
)


def require_fit() -> None:
    """Raises `NodeError` when the installed aiohttp does not fit."""
    if (problem := misfit("aiohttp", PARTS)) is not None:
        raise NodeError(problem)
