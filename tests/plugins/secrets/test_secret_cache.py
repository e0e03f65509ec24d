"""How long values are used, and what an outage changes."""

from __future__ import annotations

import asyncio
import logging

import pytest

from jackfield.api.secret_sources import SecretMissing, SecretProblem, SecretRefused, SourceUnavailable
from jackfield.testing.clock import FakeClock
from jackfield_secrets.cache import CacheLimits, SecretCache


class Remote:
    def __init__(self) -> None:
        self.value = "first"
        self.problem: SecretProblem | None = None
        self.asked = 0

    async def read(self, secret: tuple[str, ...]) -> str:
        self.asked += 1
        await asyncio.sleep(0)
        if self.problem is not None:
            raise self.problem
        return f"{self.value} of {secret[0]}"


class Cached:
    def __init__(self) -> None:
        self.clock, self.remote = FakeClock(), Remote()
        self.tasks: list[asyncio.Task[None]] = []
        limits = CacheLimits(ttl=100, stale=1000, most=2)
        self.cache = SecretCache("it", self.remote.read, self.spawn, self.clock, logging.getLogger("test"), limits)

    def spawn(self, name: str, coroutine: object) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(coroutine))  # type: ignore[arg-type]

    async def get(self, name: str = "a") -> object:
        return await self.cache.get((name,))


async def test_one_request_serves_all_who_need_the_same() -> None:
    made = Cached()
    found = await asyncio.gather(*(made.get() for _ in range(5)))
    assert set(found) == {"first of a"}
    assert made.remote.asked == 1


async def test_a_value_is_renewed_beside_the_work() -> None:
    made = Cached()
    await made.get()
    await made.clock.advance(85)
    made.remote.value = "second"
    assert [await made.get(), await made.get()] == ["first of a"] * 2
    assert len(made.tasks) == 1
    await made.tasks[0]
    assert await made.get() == "second of a"
    assert made.remote.asked == 2


async def test_a_value_that_is_too_old_is_asked_for() -> None:
    made = Cached()
    await made.get()
    await made.clock.advance(100)
    made.remote.value = "second"
    assert await made.get() == "second of a"


async def test_an_outage_leaves_the_value_for_a_while(caplog: pytest.LogCaptureFixture) -> None:
    made = Cached()
    await made.get()
    made.remote.problem = SourceUnavailable("It does not answer.")
    await made.clock.advance(1099)
    assert await made.get() == "first of a"
    assert "1099 s old" in caplog.text
    assert "first" not in caplog.text
    assert made.cache.failure == "It does not answer."
    await made.clock.advance(1)
    with pytest.raises(SourceUnavailable):
        await made.get()


async def test_one_failed_request_serves_all_who_wait_for_it() -> None:
    made = Cached()
    made.remote.problem = SourceUnavailable("It does not answer.")
    found = await asyncio.gather(*(made.get() for _ in range(20)), return_exceptions=True)
    assert [str(each) for each in found] == ["It does not answer."] * 20
    assert made.remote.asked == 1
    await made.clock.advance(1)
    made.remote.problem = None
    assert await made.get() == "first of a"


@pytest.mark.parametrize("problem", [SecretMissing("gone"), SecretRefused("not for you")])
async def test_what_is_gone_or_refused_is_not_used_any_more(problem: SecretProblem) -> None:
    made = Cached()
    await made.get()
    await made.clock.advance(85)
    made.remote.problem = problem
    await made.get()
    await made.tasks[0]
    with pytest.raises(type(problem)):
        await made.get()


async def test_memory_is_bounded() -> None:
    made = Cached()
    for name in ("a", "b", "c", "b", "c"):
        await made.get(name)
    assert made.remote.asked == 3
    await made.get("a")
    assert made.remote.asked == 4
