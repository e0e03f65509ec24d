"""A daemon's place among those that share its store."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import cast

import pytest

from jackfield.api.errors import StoreUnavailable
from jackfield.api.hosts import ROLES
from jackfield.api.storage import Store
from jackfield.api.storage.hosts import HostEntry, StoredHost
from jackfield.core.hosts.membership import Membership
from jackfield.core.tables import HostsSettings
from jackfield.testing.clock import FakeClock

from .conftest import MakeKernel


class Hosts:
    """A `HostStore` that fails as it is told to."""

    exclusive = False

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.failed = 0
        self.renewed: list[HostEntry] = []

    async def renew_host(self, entry: HostEntry) -> bool:
        if self.failure is not None:
            self.failed += 1
            raise self.failure
        self.renewed.append(entry)
        return False

    async def stored_hosts(self) -> Sequence[StoredHost]:
        return []

    async def drain_host(self, name: str, draining: bool) -> bool:
        return False

    async def leave_host(self, name: str, id: str) -> None:
        """Nobody asks."""


class Life:
    """A membership that runs."""

    def __init__(self, make_kernel: MakeKernel) -> None:
        self.clock, self.store = FakeClock(), Hosts()
        service = make_kernel().service
        self.file = service.config_dir / "host-id"
        store = cast("Store", self.store)
        self.membership = Membership(lambda: store, self.clock, service, HostsSettings(name="alpha"), ROLES)

    async def until(self, met: Callable[[], object]) -> None:
        async with asyncio.timeout(10):
            while not met():
                await self.clock.advance(1)
                await asyncio.sleep(0)

    async def fail(self, failure: Exception) -> None:
        """Five times."""
        self.store.failure, self.store.failed = failure, 0
        await self.until(lambda: self.store.failed >= 5)

    async def recover(self) -> None:
        self.store.failure, before = None, len(self.store.renewed)
        await self.until(lambda: len(self.store.renewed) > before + 1)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self.membership.run())
        try:
            yield
            assert not task.done()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
def life(make_kernel: MakeKernel) -> Life:
    return Life(make_kernel)


async def test_it_renews_on_whatever_a_store_raises_and_tells_of_each_outage_once(
    life: Life, caplog: pytest.LogCaptureFixture
) -> None:
    async with life.running():
        with caplog.at_level(logging.WARNING, "jackfield.hosts"):
            for _ in range(2):
                for failure in (StoreUnavailable("no answer"), ValueError("strange"), StoreUnavailable("none")):
                    await life.fail(failure)
                await life.recover()
    told = [record.getMessage().removeprefix("This host (alpha) is not registered now") for record in caplog.records]
    assert told == [": no answer", "."] * 2


async def test_a_file_that_cannot_be_read_is_read_later(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    life.file.mkdir()
    async with life.running():
        with caplog.at_level(logging.WARNING, "jackfield.hosts"):
            await life.until(lambda: caplog.records)
        life.file.rmdir()
        await life.recover()
    assert {entry.id for entry in life.store.renewed} == {life.file.read_text()}
