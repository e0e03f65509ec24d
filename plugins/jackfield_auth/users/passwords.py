"""Passwords: argon2id in its own threads, never on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.errors import InvalidInput, RateLimited
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield_auth.settings import PasswordSettings

if TYPE_CHECKING:
    from jackfield_auth.users.argon2 import Argon2

MIN_CHARACTERS = 12
MAX_BYTES = 1024
ResultT = TypeVar("ResultT")


def check_password(password: str, field: str = "password") -> None:
    """Raises `InvalidInput` that names the field unless it has 12 characters or more and at most 1,024 bytes."""
    try:
        size = len(password.encode())
    except UnicodeEncodeError:
        raise InvalidInput("The password is not valid Unicode text.", details={field: "not Unicode text"}) from None
    if len(password) < MIN_CHARACTERS:
        rule = f"must have at least {MIN_CHARACTERS} characters"
    elif size > MAX_BYTES:
        rule = f"must have at most {MAX_BYTES} bytes"
    else:
        return
    raise InvalidInput(f"The password {rule}.", details={field: rule})


@record
class PasswordVerdict:
    """Whether the password is right. renewed: its hash with the current parameters, when the stored one has others."""

    right: bool
    renewed: str | None = None


class Passwords:
    """Hashes and verifies. Raises `RateLimited` when more wait than may."""

    def __init__(self, settings: PasswordSettings) -> None:
        self._settings = settings
        self._pending = 0
        self._executor: ThreadPoolExecutor | None = None
        self._argon2: Argon2 | None = None

    async def prepare(self) -> None:
        """Load the library and make the hash that unknown users are checked against."""
        await self._run(self._loaded)

    async def hash(self, password: str) -> str:
        return await self._run(lambda: self._loaded().hash(password))

    async def verify(self, password: str, stored: str | None) -> PasswordVerdict:
        """Compare with the stored hash; None = there is no such user, which costs the same and is always wrong."""
        return await self._run(lambda: self._verify(password, stored))

    def close(self) -> None:
        """Drop what waits; what runs ends by itself."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def _verify(self, password: str, stored: str | None) -> PasswordVerdict:
        right, renewed = self._loaded().verify(password, stored)
        return PasswordVerdict(right, renewed)

    def _loaded(self) -> Argon2:
        """In a worker thread only: the import takes a tenth of a second. Two threads at once do the same twice."""
        if self._argon2 is None:
            self._argon2 = cast("type[Argon2]", load("jackfield_auth.users.argon2:Argon2"))(self._settings)
        return self._argon2

    async def _run(self, work: Callable[[], ResultT]) -> ResultT:
        if self._pending >= self._settings.waiting:
            raise RateLimited(1, "Too many passwords wait to be checked; try again in a second.")
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._settings.threads, thread_name_prefix="jackfield-password")
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._pending -= 1
