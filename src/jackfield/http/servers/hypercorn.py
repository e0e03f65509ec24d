"""Hypercorn, the default."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from typing import Any

from hypercorn.asyncio import serve as serve_application
from hypercorn.typing import ASGIFramework
from hypercorn.utils import LifespanFailureError

from jackfield.core.tables import DaemonSettings, ServerSettings

from ..app import Application
from ..hypercorn_connection import OwnConfig, cut_off_stalled
from ..hypercorn_parts import install
from .admitting import admit
from .stopping import stop_signal


async def serve(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Serve until a signal. `require_fit` has passed."""
    install()
    config = OwnConfig(admit(app, sock, keep_alive=server.keep_alive))
    config.bind = [f"fd://{sock.detach()}"]
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.graceful_timeout = app.kernel.settings.get(DaemonSettings).shutdown_timeout
    config.shutdown_timeout = config.graceful_timeout + 30
    config.startup_timeout = 120
    config.h11_max_incomplete_size = server.header_limit
    config.websocket_max_message_size = 1024 * 1024
    config.websocket_ping_interval = 20
    config.websocket_compression = server.websocket_compression
    config.send_timeout = server.send_timeout
    config.websocket_send_timeout = server.websocket_send_timeout
    config.include_server_header = False
    config.backlog = server.backlog
    framework: ASGIFramework = app  # type: ignore[assignment]

    cutting: list[asyncio.Task[None]] = []

    async def stop() -> None:
        await stop_signal(app)
        cutting.append(asyncio.create_task(cut_off_stalled(config)))

    asyncio.get_running_loop().set_exception_handler(without_timeouts)
    with contextlib.suppress(LifespanFailureError):
        await serve_application(framework, config, shutdown_trigger=stop, mode="asgi")
    for task in cutting:
        task.cancel()


def without_timeouts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Hypercorn leaves a connection that timed out to the loop, which would tell of it as of a failure. Any: as asyncio
    has it."""
    if "transport" not in context or not isinstance(context.get("exception"), TimeoutError):
        loop.default_exception_handler(context)
