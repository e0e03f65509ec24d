"""What `hypercorn_parts` and `http1` replace in Hypercorn and take for granted there; see docs/replaced-parts.md."""

from __future__ import annotations

from jackfield.api.errors import ConfigurationError
from jackfield.api.parts import Part, misfit

DISTRIBUTION = "hypercorn"
_TCP = "hypercorn.asyncio.tcp_server:TCPServer"
_TASKS = "hypercorn.asyncio.task_group:TaskGroup"
_STREAM = "hypercorn.protocol.ws_stream:WSStream"
_BUFFER = "hypercorn.protocol.ws_stream:WebsocketBuffer"
_H11 = "hypercorn.protocol.h11:H11Protocol"

PARTS = (
    # Where ours are put in: Hypercorn looks for its own there.
    Part("hypercorn.asyncio.run:TCPServer", same=_TCP),
    Part("hypercorn.asyncio.run:worker_serve", names=("TCPServer", "create_sockets")),
    Part("hypercorn.asyncio.tcp_server:TaskGroup", same=_TASKS),
    Part("hypercorn.protocol.h11:WSStream", same=_STREAM),
    Part("hypercorn.protocol:H11Protocol", same=_H11),
    Part("hypercorn.protocol:ProtocolWrapper.__init__", names=("H11Protocol", "protocol", "send")),
    # What `Connection` replaces and uses.
    Part(
        f"{_TCP}.__init__",
        parameters=("self", "app", "loop", "config", "context", "state", "reader", "writer"),
        names=("config", "loop", "reader", "writer", "send_lock"),
    ),
    Part(f"{_TCP}.run", parameters=("self",), names=("TaskGroup", "protocol", "protocol_send", "_read_data", "_close")),
    Part(f"{_TCP}.protocol_send", parameters=("self", "event"), names=("send_lock", "writer", "_close")),
    Part(f"{_TCP}._read_data", parameters=("self",)),
    Part(f"{_TCP}._close", parameters=("self",)),
    # `Tasks`.
    Part(f"{_TASKS}.spawn_app", ("self", "app", "config", "scope", "send"), names=("spawn", "max_app_queue_size")),
    Part(f"{_TASKS}.spawn", accepts=("self", "func")),
    # `Stream`.
    Part(
        f"{_STREAM}.__init__",
        ("self", "app", "config", "context", "task_group", "ssl", "client", "server", "send", "stream_id"),
        names=("app_put", "buffer", "closed", "config", "send", "state", "stream_id", "task_group"),
    ),
    Part(f"{_STREAM}.handle", ("self", "event"), names=("handshake", "scope", "spawn_app", "_handle_events")),
    Part(f"{_STREAM}.app_send", ("self", "message")),
    Part(f"{_STREAM}._handle_events", ("self",)),
    Part(f"{_STREAM}._accept", names=("_send_pings", "connection", "handshake")),
    Part(f"{_STREAM}._send_pings", ("self",), names=("websocket_ping_interval",)),
    Part(f"{_STREAM}._send_error_response", ("self", "status_code")),
    Part(f"{_STREAM}._send_wsproto_event", ("self", "event")),
    Part(f"{_BUFFER}.extend", ("self", "event"), names=("value",)),
    Part(f"{_BUFFER}.clear", ("self",)),
    Part(f"{_BUFFER}.to_message", ("self",)),
    Part("hypercorn.protocol.ws_stream:FrameTooLargeError"),
    Part("hypercorn.protocol.ws_stream:ASGIWebsocketState.CONNECTED"),
    Part("hypercorn.protocol.ws_stream:ASGIWebsocketState.CLOSED"),
    # `Http1Protocol`.
    Part(f"{_H11}.__init__", names=("connection", "h11_max_incomplete_size")),
    Part(f"{_H11}._check_protocol", ("self", "event")),
    Part(f"{_H11}._handle_events", names=("_check_protocol", "next_event", "error_status_hint")),
    Part(f"{_H11}._create_stream", names=("H11WSConnection", "WSStream", "connection")),
    # `OwnConfig`.
    Part("hypercorn.config:Config.create_sockets", ("self",)),
)


def require_fit() -> None:
    """Raises `ConfigurationError`."""
    if (problem := misfit(DISTRIBUTION, PARTS)) is not None:
        raise ConfigurationError(f"{problem} Another server can be chosen meanwhile: server.implementation.")
