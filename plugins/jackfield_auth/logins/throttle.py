"""Against guessing: failed passwords per login, user name and client address, in a sliding window."""

from __future__ import annotations

import asyncio
import unicodedata
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import field

from jackfield.api.clock import Clock
from jackfield.api.errors import InvalidCredentials, RateLimited
from jackfield.api.limits import canonical_client
from jackfield.api.records import state
from jackfield_auth.settings import LoginSettings

Key = tuple[str, str, str]


def key_of(username: str, client: str, provider: str = "") -> Key:
    """Directories take several spellings for one name: they are guesses at one password. provider: empty for our own
    table."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())
    return provider, " ".join(folded.split()), canonical_client(client)


@state
class AttemptRecord:
    """One name at one address. failures: when they happened (monotonic seconds); waiting: attempts under way."""

    failures: deque[float] = field(default_factory=deque)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class Throttle:
    """Refuses an attempt after too many failures. Bounded: the longest unused records go first."""

    def __init__(self, settings: LoginSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._records: OrderedDict[Key, AttemptRecord] = OrderedDict()
        self._waiting = 0

    def __len__(self) -> int:
        return len(self._records)

    def check(self, username: str, client: str) -> None:
        """Raises `RateLimited` while this name at this address must wait."""
        record = self._records.get(key_of(username, client))
        if record is not None:
            self._check(record)

    @asynccontextmanager
    async def attempt(self, username: str, client: str, provider: str = "") -> AsyncIterator[None]:
        """One attempt; those of one login, name and address take turns, so that no burst gets more than its share.

        `InvalidCredentials` raised inside counts as a failure, a normal end forgets the failures. Raises `RateLimited`.
        """
        key = key_of(username, client, provider)
        if self._waiting >= self._settings.waiting:
            raise RateLimited(1, "Too many logins are under way; try again in a second.")
        record = self._enter(key)
        try:
            async with record.turn:
                self._check(record)
                try:
                    yield
                except InvalidCredentials:
                    record.failures.append(self._clock.monotonic())
                    raise
                record.failures.clear()
        finally:
            self._leave(key, record)

    def _check(self, record: AttemptRecord) -> None:
        now = self._clock.monotonic()
        while record.failures and record.failures[0] + self._settings.window <= now:
            record.failures.popleft()
        if len(record.failures) >= self._settings.failures:
            wait = record.failures[0] + self._settings.window - now
            raise RateLimited(wait, "Too many failed logins with this name; try again later.")

    def _enter(self, key: Key) -> AttemptRecord:
        record = self._records.setdefault(key, AttemptRecord())
        self._records.move_to_end(key)
        record.waiting += 1
        self._waiting += 1
        return record

    def _leave(self, key: Key, record: AttemptRecord) -> None:
        record.waiting -= 1
        self._waiting -= 1
        if not record.failures and not record.waiting and self._records.get(key) is record:
            del self._records[key]
        while len(self._records) > self._settings.remembered:
            self._records.popitem(last=False)
