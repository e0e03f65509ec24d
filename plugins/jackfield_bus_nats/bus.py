"""One connection to a NATS server, and one subject."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import ssl

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, NoServersError

from jackfield.api.bus_drivers import LineBus
from jackfield.api.clock import Clock
from jackfield_bus_nats.settings import NatsBusSettings

_PING_S, _PINGS = 5, 2
"""A server that does not answer for that many seconds, so often, is gone."""


class NatsBus(LineBus):
    """`jackfield.api.bus.Bus`. The client does not connect anew by itself: this does, after a broken line."""

    name = "nats"

    def __init__(self, settings: NatsBusSettings, clock: Clock, log: logging.Logger) -> None:
        super().__init__(clock, log)
        self._settings = settings
        self._client: Client | None = None

    async def serve(self) -> None:
        """Raises nats.errors.Error, OSError, TimeoutError."""
        gone = asyncio.Event()
        client = await self._connected(gone)
        try:
            self._client = client
            await client.subscribe(self._settings.subject, cb=self._heard_message)
            await client.flush(self._patience)
            self.is_up()
            while not gone.is_set():
                await self.flush()
                await self.outgoing.wait()
            raise ConnectionResetError("the NATS server is gone")
        finally:
            self._client = None
            await _closed(client)

    async def send_batch(self, batch: bytes) -> None:
        """Returns when the server has it. Raises nats.errors.Error, OSError, TimeoutError."""
        if self._client is not None:
            await self._client.publish(self._settings.subject, batch)
            await self._client.flush(self._patience)

    @property
    def _patience(self) -> int:
        """Whole seconds, as the client wants them."""
        return math.ceil(self._settings.timeout)

    async def _connected(self, gone: asyncio.Event) -> Client:
        settings = self._settings
        trouble: list[Exception] = []

        async def ended() -> None:
            gone.set()
            self.outgoing.set()

        async def failed(error: Exception) -> None:
            """Kept for who cannot connect; the end of a connection tells what ends it."""
            trouble[:] = [error]

        client = Client()
        connecting = client.connect(
            settings.servers,
            error_cb=failed,
            disconnected_cb=ended,
            closed_cb=ended,
            name="jackfield",
            allow_reconnect=False,
            max_reconnect_attempts=1,
            reconnect_time_wait=0,
            connect_timeout=self._patience,
            ping_interval=_PING_S,
            max_outstanding_pings=_PINGS,
            no_echo=True,
            tls=ssl.create_default_context(cafile=settings.ca_file or None) if self._is_sealed() else None,
            user_credentials=settings.credentials_file or None,
        )
        try:
            await asyncio.wait_for(connecting, self._patience * len(settings.servers))
        except BaseException as exc:
            await _closed(client)
            if isinstance(exc, NoServersError) and trouble:
                raise trouble[0] from exc
            raise
        return client

    def _is_sealed(self) -> bool:
        return any(server.startswith("tls:") for server in self._settings.servers)

    async def _heard_message(self, message: Msg) -> None:
        self.received(message.data)


async def _closed(client: Client) -> None:
    with contextlib.suppress(Error, OSError, TimeoutError):
        await client.close()
