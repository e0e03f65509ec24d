"""WebSockets that uvicorn has been asked for: each is one of Hypercorn's connections from its handshake on.

So they have the same limits, time limits, close codes, compression, short cut and end under both servers. The module
is loaded with the first WebSocket.
"""

from __future__ import annotations

import asyncio

from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.typing import ASGIFramework
from hypercorn.utils import wrap_app

from jackfield.api.admission.connections import Admission, AdmittedConnection
from jackfield.core.tables import ServerSettings

from ..app import Application
from ..fitting import require_fit
from ..hypercorn_connections.connection import HypercornConnection, cut_off_stalled
from ..hypercorn_parts import install
from .hypercorn_settings import configured

BUFFERED = 2**16
"""Bytes that are read ahead for a connection, as `asyncio.start_server` has it."""


class WebSocketConnections:
    """Those of one daemon."""

    def __init__(self, app: Application, admission: Admission, server: ServerSettings) -> None:
        """Raises `ConfigurationError` for a Hypercorn that ours was not written for."""
        require_fit()
        install()
        self._config = configured(app, admission, server)
        framework: ASGIFramework = app  # type: ignore[assignment]
        self._app = wrap_app(framework, self._config.wsgi_max_body_size, "asgi")
        self._context = WorkerContext(None)
        self._cutting: asyncio.Task[None] | None = None

    async def serve(self, transport: asyncio.Transport, admitted: AdmittedConnection, sent: bytes) -> None:
        """Until it is closed. sent: what has come so far, with the handshake."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=BUFFERED, loop=loop)
        streams = asyncio.StreamReaderProtocol(reader, loop=loop)
        lost = streams.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            admitted.release()
            lost(exc)

        streams.connection_lost = connection_lost  # type: ignore[method-assign]
        transport.set_protocol(streams)
        streams.connection_made(transport)
        streams.data_received(sent)
        writer = asyncio.StreamWriter(transport, streams, reader, loop)
        await HypercornConnection(self._app, loop, self._config, self._context, {}, reader, writer).run()

    async def stop(self) -> None:
        """Those who take nothing do not hold it up."""
        self._cutting = asyncio.create_task(cut_off_stalled(self._config))
        await self._context.terminated.set()

    def close(self) -> None:
        if self._cutting is not None:
            self._cutting.cancel()
