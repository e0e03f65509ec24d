"""granian's embedded server, of the extra with its name."""

from __future__ import annotations

import asyncio
import socket

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from jackfield.api.admission.limits import file_limit, limits_of
from jackfield.api.admission.settings import ConnectionSettings
from jackfield.core.tables import ServerSettings

from ..app import Application
from .stopping import stop_signal

LEAST_BUFFER = 8192
"""Bytes; hyper panics below."""


async def serve(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Serve until a signal."""
    # It binds by itself; the socket has only proved that the address is free.
    sock.close()
    limits = limits_of(app.kernel.settings.get(ConnectionSettings), file_limit())
    runner = Server(
        app,
        address=server.host,
        port=server.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        log_enabled=False,
        backlog=server.backlog,
        backpressure=limits.total,
        http1_settings=HTTP1Settings(
            header_read_timeout=round(limits.head_timeout * 1000),
            max_buffer_size=max(server.header_limit, LEAST_BUFFER),
        ),
    )

    async def stop() -> None:
        await stop_signal(app)
        runner.stop()  # type: ignore[no-untyped-call]

    waiting = asyncio.create_task(stop())
    try:
        await runner.serve()
    finally:
        waiting.cancel()
