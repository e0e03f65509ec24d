"""Hypercorn, where uvicorn is not installed."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

from hypercorn.asyncio import serve as serve_application
from hypercorn.typing import ASGIFramework
from hypercorn.utils import LifespanFailureError

from jackfield.core.tables import ServerSettings

from ..app import Application
from ..hypercorn_connections.connection import cut_off_stalled
from ..hypercorn_parts import install
from .admitting import admit
from .hypercorn_settings import configured
from .stopping import stop_signal


async def serve(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Serve until a signal. `require_fit` has passed."""
    install()
    config = configured(app, admit(app, sock, keep_alive=server.keep_alive), server)
    config.bind = [f"fd://{sock.detach()}"]
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
