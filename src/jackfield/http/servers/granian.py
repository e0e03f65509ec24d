"""granian's embedded server, of the extra with its name."""

from __future__ import annotations

import asyncio
import socket

from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server

from jackfield.core.tables import ServerSettings

from ..app import Application
from .stopping import stop_signal


async def serve(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Serve until a signal."""
    # It binds by itself; the socket has only proved that the address is free.
    sock.close()
    runner = Server(
        app,
        address=server.host,
        port=server.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        log_enabled=False,
        backlog=server.backlog,
    )

    async def stop() -> None:
        await stop_signal(app)
        runner.stop()  # type: ignore[no-untyped-call]

    waiting = asyncio.create_task(stop())
    try:
        await runner.serve()
    finally:
        waiting.cancel()
