"""uvicorn, of the extra with its name."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import cast

import uvicorn

from jackfield.api.admission.accepting import Factory
from jackfield.api.admission.connections import AdmittedConnection
from jackfield.core.tables import DaemonSettings, ServerSettings

from ..app import Application
from .admitting import admit
from .stopping import stop_signal
from .uvicorn_connection import AdmittedProtocol


async def serve(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Serve until a signal."""
    config = uvicorn.Config(
        app,
        http=AdmittedProtocol,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_keep_alive=round(server.keep_alive),
        timeout_graceful_shutdown=round(app.kernel.settings.get(DaemonSettings).shutdown_timeout) or None,
        h11_max_incomplete_event_size=server.header_limit,
        ws_max_size=1024 * 1024,
        ws_per_message_deflate=server.websocket_compression,
        backlog=server.backlog,
    )

    def watch(factory: Callable[[], asyncio.BaseProtocol]) -> Factory:
        def made(admitted: AdmittedConnection) -> asyncio.BaseProtocol:
            protocol = cast("AdmittedProtocol", factory())
            protocol.admit(admitted, admission)
            return protocol

        return made

    admission = admit(app, sock, watch=watch)
    runner = uvicorn.Server(config)
    runner.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    runner.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]

    async def stop() -> None:
        await stop_signal(app)
        runner.should_exit = True

    waiting = asyncio.create_task(stop())
    try:
        await runner.serve(sockets=[sock])
    finally:
        waiting.cancel()
