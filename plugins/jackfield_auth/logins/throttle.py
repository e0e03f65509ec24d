"""Against guessing: failed passwords per login, user name and client address, in a sliding window.

Failures count at every daemon of a store. Attempts of one name take turns at each daemon alone, so that a burst gets at
most one guess more for each further daemon.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import field

from jackfield.api.errors import InvalidCredentials, RateLimited
from jackfield.api.limits import canonical_client
from jackfield.api.memos import Memos, Room
from jackfield.api.records import state
from jackfield_auth.settings import LoginSettings

Key = tuple[str, str, str]
KIND = "failed-login"
REFUSAL = "Too many failed logins with this name; try again later."


def digest_of(key: Key) -> str:
    """Under which its failures are kept: names and addresses of strangers stay out of the store."""
    return hashlib.sha256("\0".join(key).encode("utf-8", "surrogatepass")).hexdigest()


def key_of(username: str, client: str, provider: str = "") -> Key:
    """Directories take several spellings for one name: they are guesses at one password. provider: empty for our own
    table."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", username).casefold())
    return provider, " ".join(folded.split()), canonical_client(client)


@state
class AttemptRecord:
    """One name at one address, while somebody tries it. waiting: attempts under way."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


@state
class LoginAttempt:
    """The result of an attempt. `is_half`: the password is right, and lets nobody in by itself. Failures stay, or who
    knows it could guess at the second factor forever."""

    is_half: bool = False


class Throttle:
    """Refuses an attempt after too many failures. Bounded: the oldest failures are forgotten first."""

    def __init__(
        self, settings: LoginSettings, memos: Callable[[], Memos], kind: str = KIND, refusal: str = REFUSAL
    ) -> None:
        """kind: of the memos that its failures are. refusal: what is said to who must wait."""
        self._kind = kind
        self._refusal = refusal
        self._settings = settings
        self._memos = memos
        self._records: dict[Key, AttemptRecord] = {}
        self._waiting = 0

    def __len__(self) -> int:
        return len(self._records)

    async def check(self, username: str, client: str, provider: str = "") -> None:
        """Raises `RateLimited` while this name at this address must wait."""
        await self._check(digest_of(key_of(username, client, provider)))

    @asynccontextmanager
    async def attempt(self, username: str, client: str, provider: str = "") -> AsyncIterator[LoginAttempt]:
        """One attempt; those of one login, name and address take turns, so that no burst gets more than its share.

        `InvalidCredentials` raised inside counts as a failure, a normal end of a whole attempt forgets the failures.
        Raises `RateLimited`.
        """
        key = key_of(username, client, provider)
        if self._waiting >= self._settings.waiting:
            raise RateLimited(1, "Too many logins are under way; try again in a second.")
        record = self._enter(key)
        try:
            async with record.turn:
                digest = digest_of(key)
                failed = await self._check(digest)
                attempt = LoginAttempt()
                try:
                    yield attempt
                except InvalidCredentials:
                    await self._fail(digest)
                    raise
                if failed and not attempt.is_half:
                    await self._memos().end_memos(self._kind, digest)
        finally:
            self._leave(key, record)

    async def count(self, username: str, client: str) -> None:
        """One attempt that counts whatever comes of it. Raises `RateLimited`."""
        with suppress(InvalidCredentials):
            async with self.attempt(username, client):
                raise InvalidCredentials

    async def _check(self, digest: str) -> int:
        """How many failures count."""
        failures = await self._memos().memos(self._kind, digest)
        if len(failures) >= self._settings.failures:
            raise RateLimited(failures[0].left, self._refusal)
        return len(failures)

    async def _fail(self, digest: str) -> None:
        room = Room(self._settings.remembered, digest, self._settings.failures)
        await self._memos().put_memo(self._kind, secrets.token_hex(16), b"", self._settings.window, room)

    def _enter(self, key: Key) -> AttemptRecord:
        record = self._records.setdefault(key, AttemptRecord())
        record.waiting += 1
        self._waiting += 1
        return record

    def _leave(self, key: Key, record: AttemptRecord) -> None:
        record.waiting -= 1
        self._waiting -= 1
        if not record.waiting and self._records.get(key) is record:
            del self._records[key]
