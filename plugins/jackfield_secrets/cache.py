"""Secrets of one source in memory: fresh for a while, renewed beside the work, stale ones while the source is away."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from weakref import WeakValueDictionary

from jackfield.api.clock import Clock
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.secret_sources import SecretProblem, SourceUnavailable

Secret = tuple[str, ...]
_RENEWED_FROM = 0.8
"""Part of its time after which a value that is used is renewed in the background."""


@record
class CacheLimits:
    """ttl, stale: seconds; most: secrets."""

    ttl: float
    stale: float
    most: int


@record
class _KeptValue:
    value: Json
    read_ms: int


class _Turn(asyncio.Lock):
    """Of one secret. failure: why the source did not answer last, and failed_at, in seconds, when it had failed."""

    failure: SourceUnavailable | None = None
    failed_at = 0.0


class SecretCache:
    """read: asks the source, within its limits; spawn: a task of the daemon. Values are in memory alone."""

    def __init__(
        self,
        name: str,
        read: Callable[[Secret], Coroutine[object, object, Json]],
        spawn: Callable[[str, Coroutine[object, object, None]], object],
        clock: Clock,
        log: logging.Logger,
        limits: CacheLimits,
    ) -> None:
        self._name = name
        self._read = read
        self._spawn = spawn
        self._clock = clock
        self._log = log
        self._limits = limits
        self._kept: OrderedDict[Secret, _KeptValue] = OrderedDict()
        self._turns: WeakValueDictionary[Secret, _Turn] = WeakValueDictionary()
        self._renewed: set[Secret] = set()
        self.failure: str | None = None
        """Why the source did not answer last; None: it did."""

    async def get(self, secret: Secret) -> Json:
        """Raises `SecretProblem`."""
        kept = self._kept.get(secret)
        if kept is None or self._age(kept) >= self._limits.ttl:
            return await self._asked(secret)
        if self._age(kept) >= self._limits.ttl * _RENEWED_FROM and secret not in self._renewed:
            self._renewed.add(secret)
            self._spawn(f"secrets.{self._name}", self._renew(secret))
        return kept.value

    def _age(self, kept: _KeptValue) -> float:
        return (self._clock.now_ms() - kept.read_ms) / 1000

    async def _renew(self, secret: Secret) -> None:
        try:
            await self._fetched(secret)
        except SecretProblem as exc:
            self._log.warning("A secret of the source %s was not renewed: %s", self._name, exc.message)
        finally:
            self._renewed.discard(secret)

    async def _asked(self, secret: Secret) -> Json:
        """One request for all who need the same, also when it fails.

        Separate waits would make an outage as long as all their waits together.
        """
        began = self._clock.monotonic()
        turn = self._turns.setdefault(secret, _Turn())
        async with turn:
            kept = self._kept.get(secret)
            if kept is not None and self._age(kept) < self._limits.ttl:
                return kept.value
            try:
                if turn.failure is not None and turn.failed_at >= began:
                    raise SourceUnavailable(turn.failure.message)
                return await self._fetched(secret)
            except SourceUnavailable as exc:
                turn.failure, turn.failed_at = SourceUnavailable(exc.message), self._clock.monotonic()
                if kept is None or self._age(kept) >= self._limits.ttl + self._limits.stale:
                    raise
                self._log.warning(
                    "The source of secrets %s does not answer; a value that is %d s old is used. %s",
                    self._name,
                    self._age(kept),
                    exc.message,
                )
                return kept.value

    async def _fetched(self, secret: Secret) -> Json:
        try:
            value = await self._read(secret)
        except SourceUnavailable as exc:
            self.failure = exc.message
            raise
        except SecretProblem:
            self._kept.pop(secret, None)  # it is gone, or no longer ours
            self.failure = None
            raise
        self.failure = None
        self._kept[secret] = _KeptValue(value, self._clock.now_ms())
        self._kept.move_to_end(secret)
        while len(self._kept) > self._limits.most or self._first_is_over():
            self._kept.popitem(last=False)
        return value

    def _first_is_over(self) -> bool:
        """Whether the value that was read longest ago may not be used any more."""
        first = next(iter(self._kept.values()), None)
        return first is not None and self._age(first) >= self._limits.ttl + self._limits.stale
