"""Calls are limited at all daemons of a store together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from jackfield.api.errors import StoreUnavailable
from jackfield.api.limits import SlidingWindow
from jackfield.api.shared_counts import SpanCounts
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_webhooks.ingress.limiting import CallLimit
from jackfield_webhooks.ingress.shares import CallShares
from jackfield_webhooks.settings import WebhookSettings

REQUESTS, WINDOW = 10, 60.0


class CountingStore(MemoryStore):
    """Notes what it is asked."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.asked: list[Mapping[str, int]] = []

    async def add_counts(self, kind: str, added: Mapping[str, int], window: float, most: int) -> SpanCounts:
        self.asked.append(added)
        return await super().add_counts(kind, added, window, most)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(clock: FakeClock) -> CountingStore:
    return CountingStore(clock)


@pytest.fixture
def daemons(store: CountingStore, clock: FakeClock, tmp_path: Path) -> list[CallLimit]:
    table = {"rateLimit": {"enabled": True, "requests": REQUESTS, "window": WINDOW, "clients": 100}}
    tables = [WebhookSettings.model_validate(table)]
    made = [FakeContext(tmp_path, clock=clock, tables=tables, ports={"Store": store}) for _ in range(3)]
    return [CallLimit(SlidingWindow(clock, REQUESTS, WINDOW), CallShares(each)) for each in made]


async def settle(clock: FakeClock) -> None:
    """Each hears of the others."""
    await clock.advance(0.2)
    await clock.advance(0.2)


def passed(limit: CallLimit, times: int, key: str = "c") -> int:
    return sum(limit.hit(key) is None for _ in range(times))


async def test_what_has_passed_elsewhere_counts(daemons: list[CallLimit], clock: FakeClock) -> None:
    first, second, third = daemons
    assert passed(first, 6) == 6
    await settle(clock)
    assert passed(second, 1) == 1, "a daemon hears of others with its first call"
    await settle(clock)
    assert passed(second, 10) == 3
    assert passed(second, 10, "another") == 10
    await settle(clock)
    assert passed(third, 1) == 1
    await settle(clock)
    assert passed(third, 10) == 0
    retry = third.hit("c")
    assert retry is not None
    assert 0 < retry <= WINDOW


async def test_it_passes_again_when_the_window_is_over(daemons: list[CallLimit], clock: FakeClock) -> None:
    first, second, _ = daemons
    passed(first, 10)
    await settle(clock)
    passed(second, 1)
    await settle(clock)
    assert passed(second, 1) == 0
    await clock.advance(1.5 * WINDOW)
    assert 3 <= passed(second, 10) <= 7, "half of the span before counts"
    await clock.advance(2 * WINDOW)
    assert passed(second, 20) == 10


async def test_many_calls_are_one_question(daemons: list[CallLimit], store: CountingStore, clock: FakeClock) -> None:
    for number in range(150):
        passed(daemons[0], 2, f"client {number}")
    await settle(clock)
    assert [len(each) for each in store.asked] == [100], "no more than webhooks.rateLimit.clients"
    assert set(store.asked[0].values()) == {2}
    assert all(len(key) == 32 for key in store.asked[0])


async def test_without_its_store_a_daemon_counts_its_own(
    daemons: list[CallLimit], store: CountingStore, clock: FakeClock
) -> None:
    store.fail_with = StoreUnavailable("away")
    assert passed(daemons[0], 20) == 10
    await settle(clock)
    store.fail_with = None
    await clock.advance(WINDOW)
    assert passed(daemons[0], 20) == 10
    await settle(clock)
    assert passed(daemons[1], 1) == 1
    await asyncio.sleep(0)
