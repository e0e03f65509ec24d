"""Guessing passwords: ten failures per name and address in 15 minutes."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidCredentials, RateLimited
from jackfield.api.limits import canonical_client
from jackfield.core.memos import LocalMemos
from jackfield.testing.clock import FakeClock
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.settings import LoginSettings


def throttle(**settings: int) -> tuple[Throttle, FakeClock]:
    clock = FakeClock()
    memos = LocalMemos(clock)
    return Throttle(LoginSettings(**settings), lambda: memos), clock


async def fail(guard: Throttle, name: str = "ada", client: str = "192.0.2.7") -> None:
    with pytest.raises(InvalidCredentials):
        async with guard.attempt(name, client):
            raise InvalidCredentials


async def succeed(guard: Throttle, name: str = "ada", client: str = "192.0.2.7") -> None:
    async with guard.attempt(name, client):
        pass


def retry_after(caught: pytest.ExceptionInfo[RateLimited]) -> int:
    return int(dict(caught.value.headers)["Retry-After"])


async def test_ten_failures_lock_until_the_first_is_15_minutes_old() -> None:
    guard, clock = throttle()
    for _ in range(10):
        await fail(guard)
        await clock.advance(10)
    with pytest.raises(RateLimited) as caught:
        await succeed(guard)
    assert retry_after(caught) == 900 - 100
    await clock.advance(799)
    with pytest.raises(RateLimited) as caught:
        await guard.check("ada", "192.0.2.7")
    assert retry_after(caught) == 1
    await clock.advance(1)
    await fail(guard)
    with pytest.raises(RateLimited):
        await succeed(guard)
    await clock.advance(10)
    await succeed(guard)


async def test_nine_failures_do_not_lock_and_a_success_forgets_them() -> None:
    guard, _ = throttle()
    for _ in range(3):
        for _ in range(9):
            await fail(guard)
        await succeed(guard)
    assert len(guard) == 0


async def test_failures_at_one_daemon_count_at_another() -> None:
    clock = FakeClock()
    memos = LocalMemos(clock)
    here, there = (Throttle(LoginSettings(), lambda: memos) for _ in range(2))
    for guard in (here, there) * 5:
        await fail(guard)
    for guard in (here, there):
        with pytest.raises(RateLimited):
            await succeed(guard)
    await clock.advance(900)
    await succeed(there)


async def test_another_loopback_address_and_another_of_the_same_64_get_no_guesses_of_their_own() -> None:
    guard, _ = throttle()
    for n in range(5):
        await fail(guard, client=f"127.0.{n}.1")
        await fail(guard, client="::1")
        await fail(guard, client=f"2001:db8::{n}:1")
        await fail(guard, client=f"2001:db8::{n}:2")
    for client in ("127.3.2.1", "::1", "2001:db8::9"):
        with pytest.raises(RateLimited):
            await succeed(guard, client=client)


async def test_other_names_and_other_addresses_are_unaffected() -> None:
    guard, _ = throttle()
    for _ in range(10):
        await fail(guard)
    await succeed(guard, name="eve")
    await succeed(guard, client="192.0.2.8")
    with pytest.raises(RateLimited):
        await succeed(guard)


@pytest.mark.parametrize("name", ["ADA", "Ada", "ada"])
async def test_a_names_case_gives_no_further_guesses(name) -> None:
    guard, _ = throttle()
    for _ in range(10):
        await fail(guard)
    with pytest.raises(RateLimited):
        await succeed(guard, name=name)


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("192.0.2.7", "::ffff:192.0.2.7"),
        ("2001:db8:1:2::1", "2001:DB8:1:2:ffff::9"),
        ("127.0.0.1", "127.200.3.4"),
        ("127.0.0.1", "::1"),
        ("::1", "::ffff:127.9.9.9"),
        ("fe80::1%eth0", "fe80::2%eth0"),
        ("unknown", "unknown"),
    ],
)
def test_one_caller_has_one_address(address, same) -> None:
    assert canonical_client(address) == canonical_client(same)


def test_other_networks_are_other_callers() -> None:
    found = {canonical_client(text) for text in ("2001:db8:1:2::1", "2001:db8:1:3::1", "192.0.2.7", "192.0.2.8", "x")}
    assert len(found) == 5


@given(st.text())
def test_any_text_may_be_an_address(text) -> None:
    assert isinstance(canonical_client(text), str)


async def test_a_burst_gets_no_more_guesses_than_a_queue() -> None:
    guard, _ = throttle(waiting=100)
    looked_at = 0

    async def guess() -> None:
        nonlocal looked_at
        async with guard.attempt("ada", "192.0.2.7"):
            looked_at += 1
            await asyncio.sleep(0)
            raise InvalidCredentials

    found = await asyncio.gather(*(guess() for _ in range(50)), return_exceptions=True)
    assert looked_at == 10
    assert sum(isinstance(error, RateLimited) for error in found) == 40


async def test_another_error_neither_counts_nor_forgets() -> None:
    guard, _ = throttle(failures=2)
    await fail(guard)
    with pytest.raises(ZeroDivisionError):
        async with guard.attempt("ada", "192.0.2.7"):
            raise ZeroDivisionError
    await fail(guard)
    with pytest.raises(RateLimited):
        await succeed(guard)


async def test_no_more_wait_than_may() -> None:
    guard, _ = throttle(waiting=2)
    go_on = asyncio.Event()

    async def hold(name: str) -> None:
        async with guard.attempt(name, "192.0.2.7"):
            await go_on.wait()

    holders = [asyncio.create_task(hold(name)) for name in ("a", "b")]
    await asyncio.sleep(0)
    with pytest.raises(RateLimited):
        await succeed(guard, name="c")
    go_on.set()
    await asyncio.gather(*holders)
    await succeed(guard, name="c")


async def test_a_cancelled_attempt_leaves_nothing_behind() -> None:
    guard, _ = throttle(waiting=1)
    task = asyncio.create_task(asyncio.wait_for(_hang(guard), 60))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await succeed(guard)
    assert len(guard) == 0


async def _hang(guard: Throttle) -> None:
    async with guard.attempt("ada", "192.0.2.7"):
        await asyncio.Event().wait()


async def test_memory_is_bounded_and_the_oldest_go_first() -> None:
    guard, _ = throttle(remembered=100, failures=1)
    for number in range(150):
        await fail(guard, name=f"n{number}")
    assert len(guard) == 0
    with pytest.raises(RateLimited):
        await succeed(guard, name="n149")
    await succeed(guard, name="n0")
