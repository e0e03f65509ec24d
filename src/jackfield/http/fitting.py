"""The parts that we replace in Hypercorn, h11 and uvicorn, and take for granted there; see docs/replaced-parts.md.

It is done by `hypercorn_parts`, `hypercorn_connections` and `servers`.
"""

from __future__ import annotations

from jackfield.api.errors import ConfigurationError
from jackfield.api.replaced_parts import PatchPoint, misfit

_TCP = "hypercorn.asyncio.tcp_server:TCPServer"
_TASKS = "hypercorn.asyncio.task_group:TaskGroup"
_STREAM = "hypercorn.protocol.ws_stream:WSStream"
_BUFFER = "hypercorn.protocol.ws_stream:WebsocketBuffer"
_BUFFER11 = "h11._receivebuffer:ReceiveBuffer"
_H11 = "hypercorn.protocol.h11:H11Protocol"

PARTS = (
    # Where ours are put in: Hypercorn looks for its own there.
    PatchPoint("hypercorn.asyncio.run:TCPServer", same=_TCP),
    PatchPoint("hypercorn.asyncio.run:worker_serve", names=("TCPServer", "create_sockets")),
    PatchPoint("hypercorn.asyncio.tcp_server:TaskGroup", same=_TASKS),
    PatchPoint("hypercorn.protocol.h11:WSStream", same=_STREAM),
    PatchPoint("hypercorn.protocol:H11Protocol", same=_H11),
    PatchPoint("hypercorn.protocol:ProtocolWrapper.__init__", names=("H11Protocol", "protocol", "send")),
    # What `Connection` replaces and uses.
    PatchPoint(
        f"{_TCP}.__init__",
        parameters=("self", "app", "loop", "config", "context", "state", "reader", "writer"),
        names=("config", "loop", "reader", "writer", "send_lock"),
    ),
    PatchPoint(
        f"{_TCP}.run",
        parameters=("self",),
        names=("TaskGroup", "protocol", "protocol_send", "_read_data", "_close", "idle_task"),
    ),
    PatchPoint(f"{_TCP}.protocol_send", parameters=("self", "event"), names=("send_lock", "writer", "_close")),
    PatchPoint(f"{_TCP}._read_data", parameters=("self",)),
    PatchPoint(f"{_TCP}._close", parameters=("self",)),
    # `Tasks`.
    PatchPoint(
        f"{_TASKS}.spawn_app", ("self", "app", "config", "scope", "send"), names=("spawn", "max_app_queue_size")
    ),
    PatchPoint(f"{_TASKS}.spawn", accepts=("self", "func")),
    # `Stream`.
    PatchPoint(
        f"{_STREAM}.__init__",
        ("self", "app", "config", "context", "task_group", "ssl", "client", "server", "send", "stream_id"),
        names=("app_put", "buffer", "closed", "config", "send", "state", "stream_id", "task_group"),
    ),
    PatchPoint(f"{_STREAM}.handle", ("self", "event"), names=("handshake", "scope", "spawn_app", "_handle_events")),
    PatchPoint(f"{_STREAM}.app_send", ("self", "message")),
    PatchPoint(f"{_STREAM}._handle_events", ("self",)),
    PatchPoint(f"{_STREAM}._accept", names=("_send_pings", "connection", "handshake")),
    PatchPoint(f"{_STREAM}._send_pings", ("self",), names=("websocket_ping_interval",)),
    PatchPoint(f"{_STREAM}._send_error_response", ("self", "status_code")),
    PatchPoint(f"{_STREAM}._send_wsproto_event", ("self", "event")),
    PatchPoint(f"{_BUFFER}.extend", ("self", "event"), names=("value",)),
    PatchPoint(f"{_BUFFER}.clear", ("self",)),
    PatchPoint(f"{_BUFFER}.to_message", ("self",)),
    PatchPoint("hypercorn.protocol.ws_stream:FrameTooLargeError"),
    PatchPoint("hypercorn.protocol.ws_stream:ASGIWebsocketState.CONNECTED"),
    PatchPoint("hypercorn.protocol.ws_stream:ASGIWebsocketState.CLOSED"),
    # `Http1Protocol`.
    PatchPoint(f"{_H11}.__init__", names=("connection", "h11_max_incomplete_size")),
    PatchPoint(f"{_H11}._check_protocol", ("self", "event")),
    PatchPoint(
        f"{_H11}._handle_events",
        names=("_check_protocol", "next_event", "error_status_hint", "_send_error_response"),
    ),
    PatchPoint(f"{_H11}._send_error_response", ("self", "status_code")),
    PatchPoint(f"{_H11}._send_h11_event", ("self", "event"), names=("connection", "send", "RawData")),
    PatchPoint(f"{_H11}._maybe_recycle", names=("Updated", "start_next_cycle")),
    # `StrictBuffer`.
    PatchPoint("h11:Connection.__init__", names=("ReceiveBuffer", "_receive_buffer")),
    PatchPoint(f"{_BUFFER11}._extract", ("self", "count")),
    PatchPoint(f"{_BUFFER11}.maybe_extract_lines", ("self",), names=("_data", "_multiple_lines_search", "_extract")),
    PatchPoint(f"{_H11}._create_stream", names=("H11WSConnection", "WSStream", "connection")),
    PatchPoint(f"{_TCP}._idle_timeout", names=("keep_alive_timeout", "_initiate_server_close")),
    PatchPoint("hypercorn.asyncio.worker_context:AsyncioSingleTask.restart", accepts=("self",)),
    PatchPoint("hypercorn.asyncio.worker_context:AsyncioSingleTask.stop", ("self",)),
    # Its server, which is ours.
    PatchPoint("hypercorn.asyncio.run:worker_serve", names=("start_server", "close", "wait_closed")),
    # `OwnConfig`.
    PatchPoint("hypercorn.config:Config.create_sockets", ("self",)),
)
_SERVER = "uvicorn.server:Server"
_FLOW = "uvicorn.protocols.http.flow_control:FlowControl"
UVICORN_PARTS = (
    # `OwnServer`, and how it is run.
    PatchPoint(f"{_SERVER}.serve", accepts=("self", "sockets"), names=("capture_signals", "_serve")),
    PatchPoint(f"{_SERVER}._serve", names=("startup", "main_loop", "shutdown", "should_exit")),
    PatchPoint(f"{_SERVER}.on_tick", ("self", "counter"), names=("default_headers", "should_exit")),
    PatchPoint(f"{_SERVER}.startup", names=("http_protocol_class", "create_server", "server_state")),
    PatchPoint(f"{_SERVER}.shutdown", names=("connections", "shutdown", "timeout_graceful_shutdown", "tasks")),
    # `UvicornConnection`.
    PatchPoint("uvicorn.server:ServerState.__init__", names=("connections", "tasks", "total_requests")),
    PatchPoint(f"{_FLOW}.__init__", ("self", "transport"), names=("read_paused", "write_paused")),
    PatchPoint(f"{_FLOW}.drain", ("self",)),
    PatchPoint(f"{_FLOW}.pause_reading", ("self",)),
    PatchPoint(f"{_FLOW}.resume_reading", ("self",)),
    PatchPoint(f"{_FLOW}.resume_writing", ("self",)),
)
HTTPTOOLS_PARTS = (PatchPoint("httptools:HttpRequestParser.set_dangerous_leniencies"),)
LIBRARIES = {"hypercorn": PARTS, "uvicorn": UVICORN_PARTS, "httptools": HTTPTOOLS_PARTS}


def require_fit(distribution: str = "hypercorn") -> None:
    """Raises `ConfigurationError`."""
    if (problem := misfit(distribution, LIBRARIES[distribution])) is not None:
        raise ConfigurationError(f"{problem} Another server can be chosen meanwhile: server.name.")
