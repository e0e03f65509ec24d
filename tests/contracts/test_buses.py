"""The contract of buses, over each of ours."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator

import pytest

from jackfield.api.bus import Bus
from jackfield.api.bus_drivers import MessageBus
from jackfield.api.clock import SystemClock
from jackfield.core.bus import MemoryBus, MemoryHub
from jackfield.testing.contracts.bus import BusContract, BusLab, until
from jackfield.testing.nats import NatsServer, NoNats, nats_server
from jackfield.testing.postgres import PostgresServer

CLOCK, LOG = SystemClock(), logging.getLogger("jackfield.test")


class Lab:
    """Keeps what was made, to close it."""

    def __init__(self) -> None:
        self.made: list[MessageBus] = []

    def new(self) -> MessageBus:
        raise NotImplementedError

    async def make(self) -> Bus:
        bus = self.new()
        self.made.append(bus)
        await bus.open()
        await until(lambda: bus.connected)
        return bus

    async def end(self) -> None:
        for bus in self.made:
            await bus.close()


class MemoryLab(Lab):
    def __init__(self) -> None:
        super().__init__()
        self._hub = MemoryHub()

    def new(self) -> MessageBus:
        return MemoryBus(CLOCK, self._hub)

    async def put(self, batch: bytes) -> None:
        for bus in self.made:
            bus.received(batch)

    async def cut(self) -> None:
        """There is nothing to cut."""


class PostgresLab(Lab):
    def __init__(self, server: PostgresServer) -> None:
        super().__init__()
        self._server = server
        self._channel = server.new_name()

    def new(self) -> MessageBus:
        from jackfield_bus_pg.bus import PostgresBus
        from jackfield_bus_pg.settings import PostgresBusSettings

        return PostgresBus(self._server.dsn(), PostgresBusSettings(channel=self._channel), CLOCK, LOG)

    async def put(self, batch: bytes) -> None:
        await asyncio.to_thread(self._server.run, f"SELECT pg_notify('{self._channel}', '{batch.decode()}')")

    async def cut(self) -> None:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'jackfield bus'"
        assert len(await asyncio.to_thread(self._server.run, ended)) == len(self.made)


class NatsLab(Lab):
    def __init__(self, server: NatsServer) -> None:
        super().__init__()
        self._server = server

    def new(self) -> MessageBus:
        from jackfield_bus_nats.bus import NatsBus
        from jackfield_bus_nats.settings import NatsBusSettings

        return NatsBus(NatsBusSettings(servers=[self._server.address]), CLOCK, LOG)

    async def put(self, batch: bytes) -> None:
        import nats

        client = await nats.connect(self._server.address)
        await client.publish("jackfield", batch)
        await client.close()

    async def cut(self) -> None:
        await asyncio.to_thread(self._server.kill)
        await asyncio.to_thread(self._server.start)


@pytest.fixture(scope="module")
def nats() -> Iterator[NatsServer]:
    pytest.importorskip("nats")
    try:
        with nats_server() as server:
            yield server
    except NoNats as exc:
        pytest.skip(str(exc))


@pytest.fixture(params=["memory", "pg", "nats"])
async def lab(request: pytest.FixtureRequest) -> AsyncIterator[BusLab]:
    made: MemoryLab | PostgresLab | NatsLab
    if request.param == "memory":
        made = MemoryLab()
    elif request.param == "pg":
        made = PostgresLab(request.getfixturevalue("jackfield_postgres"))
    else:
        made = NatsLab(request.getfixturevalue("nats"))
    yield made
    await made.end()


class TestBuses(BusContract):
    """Memory, PostgreSQL, NATS."""
