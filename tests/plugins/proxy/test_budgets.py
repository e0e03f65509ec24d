"""Budgets of profiles: counted from the ledger and from every record, told at 80 % and at the end, lasting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from proxy_lab import ASKED, Provider_, Usage, daemon_of, profile, until

from jackfield.api.profiles import Profiles
from jackfield.api.telemetry import Cost, RunUsage, Tokens
from jackfield.testing.context import FakeContext
from jackfield_proxy.daemon.budgets import BudgetTracker, bounds, limits_of
from jackfield_proxy.daemon.manager import ProxyManager

DAY = 86_400_000
NOON = round(datetime(2026, 3, 15, 12, tzinfo=UTC).timestamp() * 1000)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def now_ms(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def context(tmp_path: Path, **budgets: Any) -> FakeContext:
    made = daemon_of(tmp_path, profile(budgets=budgets))
    made.clock = Clock()
    made.events.clock = made.clock
    return made


async def budgets_of(made: FakeContext) -> BudgetTracker:
    found = BudgetTracker(made, "p")
    await found.follow(await made.port(Profiles).find("p"))
    return found


def told(made: FakeContext) -> list[tuple[str, str]]:
    return [(event.type, str(event.data["budget"])) for event in made.events.published]


async def test_each_limit_is_told_at_80_percent_and_at_its_end(tmp_path: Path) -> None:
    made = context(tmp_path, day={"usd": 1.0}, month={"tokens": 1000})
    budgets = await budgets_of(made)
    budgets.add(100, 0.7)
    assert budgets.refusal() is None
    assert told(made) == []
    budgets.add(100, 0.1)
    budgets.add(100, 0.05)
    assert told(made) == [("proxy_budget_warning", "day.usd")]
    assert budgets.refusal() is None
    budgets.add(500, 0.2)
    assert told(made)[1:] == [("proxy_budget_exceeded", "day.usd"), ("proxy_budget_warning", "month.tokens")]
    refusal = budgets.refusal()
    assert refusal is not None
    assert refusal.until_ms == bounds("day", NOON)[1]
    assert "budget of 1.00 USD a day (1.05 USD)" in refusal.message
    assert "proxy_config.budgets.day.usd" in refusal.message
    budgets.add(500, 0)
    last = budgets.refusal()
    assert last is not None
    assert (last.until_ms, "1,000 tokens a month" in last.message) == (bounds("month", NOON)[1], True)


async def test_a_new_period_begins_with_nothing_spent(tmp_path: Path) -> None:
    made = context(tmp_path, day={"tokens": 100})
    budgets = await budgets_of(made)
    budgets.add(100, 0)
    assert budgets.refusal() is not None
    cast("Clock", made.clock).now += DAY
    assert budgets.refusal() is None
    budgets.add(80, 0)
    assert told(made) == [("proxy_budget_exceeded", "day.tokens"), ("proxy_budget_warning", "day.tokens")]
    assert [(one["spent"], one["limit"]) for one in budgets.view()] == [(80, 100)]


async def test_what_was_spent_before_counts(tmp_path: Path) -> None:
    made = context(tmp_path, month={"usd": 5})
    cast("Usage", made.ports["Usage"]).before = RunUsage(Tokens(1), Cost(input=4.9))
    budgets = await budgets_of(made)
    assert budgets.refusal() is None
    budgets.add(1, 0.2)
    assert budgets.refusal() is not None
    await budgets.follow(profile(budgets={"month": {"usd": 6}}))
    assert budgets.refusal() is None, "the limit was raised"
    await budgets.follow(profile())
    assert budgets.view() == []


def test_periods_are_those_of_the_calendar() -> None:
    start, end = bounds("day", NOON)
    assert start <= NOON < end
    assert end - start in (23 * 3_600_000, DAY, 25 * 3_600_000)
    start, end = bounds("month", NOON)
    assert 27 * DAY < end - start < 32 * DAY
    december = round(datetime(2026, 12, 31, 12, tzinfo=UTC).timestamp() * 1000)
    assert bounds("month", december)[1] > december


@pytest.mark.parametrize("stored", [None, 7, {}, {"day": None}, {"day": {"usd": None}}, {"week": {"usd": 1}}])
def test_no_limits(stored: Any) -> None:
    assert limits_of({"budgets": stored}) == ()


async def test_a_real_proxy_refuses_after_the_budget_and_after_a_restart(tmp_path: Path, north: Provider_) -> None:
    made = daemon_of(tmp_path, profile(budgets={"day": {"usd": 0.03}}), north=north.url)
    usage = cast("Usage", made.ports["Usage"])
    usage.prices = {"asked": 0.001}
    manager = ProxyManager(made)
    try:
        assert (await ask(manager))[0] == 200
        await until(lambda: manager.account("p").records.count == 1)
        assert manager.of("p").view(enabled=True)["budgets"]
        assert (await ask(manager))[0] == 200
        await until(lambda: any(event.type == "proxy_budget_exceeded" for event in made.events.published))
        await until(lambda: manager.of("p")._plan.refusal is not None)  # type: ignore[union-attr]
        await until(lambda: len(north.asked) == 2)
        status, headers, body = await refused(manager)
        assert status == 429
        assert "budget of 0.03 USD a day" in body["error"]["message"]
        assert 0 < int(headers["Retry-After"]) <= 90_000
        (newest, *_) = manager.account("p").records.latest(1)
        assert (newest.served.status, newest.cost) == (429, None)
        assert [one.cost for one in manager.account("p").records.latest(3)[1:]] == [pytest.approx(0.015)] * 2
        await manager.stop("p")
    finally:
        await manager.close()
    usage.before = RunUsage(Tokens(30), Cost(input=0.03))
    again = ProxyManager(made)
    try:
        assert (await ask(again))[0] == 429
    finally:
        await again.close()
    assert len(north.asked) == 2


async def refused(manager: ProxyManager) -> tuple[int, Any, Any]:
    """The process hears of the end of a budget a moment after the answer that brought it."""
    async with asyncio.timeout(5):
        while (found := await ask(manager))[0] == 200:
            await asyncio.sleep(0.01)
    await until(lambda: manager.account("p").records.latest(1)[0].served.status == 429)
    return found


async def ask(manager: ProxyManager) -> tuple[int, Any, Any]:
    found = await manager.address("p")
    url = f"{found.base_url}/v1/messages"
    async with (
        aiohttp.ClientSession(headers={"x-api-key": found.token}) as client,
        client.post(url, json=ASKED) as answer,
    ):
        return answer.status, answer.headers, await answer.json()
