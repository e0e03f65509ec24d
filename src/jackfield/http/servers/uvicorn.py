"""uvicorn with httptools, of the extra `fast`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

import uvicorn

from jackfield.api.admission.accepting import Factory
from jackfield.api.admission.connections import AdmittedConnection
from jackfield.api.errors import ConfigurationError
from jackfield.api.object_references import load
from jackfield.core.tables import DaemonSettings, ServerSettings

from ..app import Application
from ..http1.refusals import refusal
from .admitting import admit
from .stopping import stop_signal
from .uvicorn_connection import UvicornConnection

if TYPE_CHECKING:
    from .websocket_connections import WebSocketConnections

log = logging.getLogger("jackfield.server")
SHORTEST_STOP = 0.1
"""Seconds, also where a stop waits for nothing: uvicorn takes none at all for a stop that took too long."""
LOOK = 1.0
"""Seconds between two looks at the clock, for the header `Date`."""
WEBSOCKETS = "jackfield.http.servers.websocket_connections:WebSocketConnections"


class OwnServer(uvicorn.Server):
    """uvicorn's looks ten times a second whether it is to stop. Signals end it once it has begun: until then Ctrl-C
    breaks off whatever holds the start."""

    def __init__(self, config: uvicorn.Config, until: Callable[[], Coroutine[None, None, None]]) -> None:
        super().__init__(config)
        self._stopping = asyncio.Event()
        self._until = until

    def stop(self) -> None:
        self.should_exit = True
        self._stopping.set()

    async def main_loop(self) -> None:
        waiting = asyncio.create_task(self._until())
        try:
            while not await self.on_tick(0):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), LOOK)
        finally:
            waiting.cancel()


class UvicornRunner:
    """One daemon's server."""

    def __init__(self, app: Application, sock: socket.socket, server: ServerSettings) -> None:
        self._app = app
        self._sock = sock
        self._settings = server
        self._server = OwnServer(self._config(), self._stop)
        self._websockets: WebSocketConnections | None = None
        self._loading: asyncio.Task[WebSocketConnections] | None = None
        self._admission = admit(app, sock, watch=self._watch, keep_alive=server.keep_alive)

    def _config(self) -> uvicorn.Config:
        daemon = self._app.kernel.settings.get(DaemonSettings)
        return uvicorn.Config(
            self._app,
            http=cast("type[asyncio.Protocol]", UvicornConnection),
            ws="none",
            loop="none",
            access_log=False,
            log_config=None,
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            timeout_graceful_shutdown=cast("int", max(daemon.shutdown_timeout, SHORTEST_STOP)),
            h11_max_incomplete_event_size=self._settings.header_limit,
            backlog=self._settings.backlog,
        )

    def _watch(self, factory: Callable[[], asyncio.BaseProtocol]) -> Factory:
        def made(admitted: AdmittedConnection) -> asyncio.BaseProtocol:
            protocol = cast("UvicornConnection", factory())
            protocol.admit(admitted, self._admission, self._hand_over)
            return protocol

        return made

    def _hand_over(self, transport: asyncio.Transport, admitted: AdmittedConnection, sent: bytes) -> None:
        transport.pause_reading()
        task = asyncio.get_running_loop().create_task(self._serve_websocket(transport, admitted, sent))
        tasks = self._server.server_state.tasks
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _serve_websocket(self, transport: asyncio.Transport, admitted: AdmittedConnection, sent: bytes) -> None:
        try:
            websockets = self._websockets or await self._load()
            if not transport.is_closing():
                transport.resume_reading()
                await websockets.serve(transport, admitted, sent)
        except ConfigurationError as exc:
            log.error("A WebSocket cannot be served: %s", exc)
            transport.write(refusal("WebSockets cannot be served; the log says why.", HTTPStatus.SERVICE_UNAVAILABLE))
        finally:
            transport.close()

    async def _load(self) -> WebSocketConnections:
        """Beside the loop, once. Raises `ConfigurationError`."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._loaded())
        return await asyncio.shield(self._loading)

    async def _loaded(self) -> WebSocketConnections:
        made = await asyncio.to_thread(load, WEBSOCKETS)
        self._websockets = cast("type[WebSocketConnections]", made)(self._app, self._admission, self._settings)
        return self._websockets

    async def serve(self) -> None:
        """Until a signal."""
        self._server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]
        try:
            await self._server.serve(sockets=[self._sock])
        finally:
            if self._websockets is not None:
                self._websockets.close()

    async def _stop(self) -> None:
        await stop_signal(self._app)
        if self._websockets is not None:
            await self._websockets.stop()
        self._server.stop()


def _is_news(line: logging.LogRecord) -> bool:
    """That a start has failed is told once, with the reason."""
    return line.msg != "Application startup failed. Exiting."


async def serve(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Serve until a signal."""
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    await UvicornRunner(app, sock, server).serve()
