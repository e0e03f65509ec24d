"""Time is a port, so that tests own it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Protocol


class Clock(Protocol):
    """Where the daemon reads the time and how it waits."""

    def now_ms(self) -> int:
        """Unix time in milliseconds, UTC."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back. It may stand still while the machine sleeps."""

    def boottime(self) -> float:
        """The same, and it goes on while the machine sleeps, where the system has such a clock."""

    async def sleep(self, seconds: float) -> None:
        """Return after that many seconds of this clock."""


def _boottime() -> Callable[[], float]:
    """Linux stops `CLOCK_MONOTONIC` while it sleeps; macOS and Windows have no other clock here."""
    number = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic if number is None else partial(time.clock_gettime, number)


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    monotonic = staticmethod(time.monotonic)  # itself, as it is read several times per node run

    boottime = staticmethod(_boottime())

    async def sleep(self, seconds: float) -> None:
        import asyncio  # here: commands without a daemon read the time too

        await asyncio.sleep(seconds)


def iso(milliseconds: int) -> str:
    """Unix milliseconds as ISO 8601 UTC with milliseconds, such as 2026-01-31T12:00:00.123Z."""
    seconds, fraction = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{fraction:03d}Z"


def from_iso(text: str) -> int:
    """ISO 8601 as Unix milliseconds; a time without a zone is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
