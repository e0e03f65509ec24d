"""Time is a port, so that tests own it."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the daemon reads the time and how it waits."""

    def now_ms(self) -> int:
        """Unix time in milliseconds, UTC."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds of this clock."""


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    monotonic = staticmethod(time.monotonic)  # itself, as it is read several times per node run

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def iso(milliseconds: int) -> str:
    """Unix milliseconds as ISO 8601 UTC with milliseconds, such as 2026-01-31T12:00:00.123Z."""
    seconds, fraction = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{fraction:03d}Z"


def from_iso(text: str) -> int:
    """ISO 8601 as Unix milliseconds; a time without a zone is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
