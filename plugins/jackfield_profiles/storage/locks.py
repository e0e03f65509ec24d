"""One change of a profile at a time, in this process and beside others: a command works next to a running daemon."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator
from pathlib import Path
from weakref import WeakValueDictionary

from jackfield.api.clock import Clock
from jackfield.api.errors import ConfigurationError, Conflict
from jackfield.api.files import private_directory

_PAUSE = 0.02
"""Seconds between two tries to get what another process holds."""


class ProfileLocks:
    """A lock for each name; upper and lower case make no difference."""

    def __init__(self, directory: Path, clock: Clock, timeout: float) -> None:
        self._directory = directory
        self._clock = clock
        self._timeout = timeout
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @contextlib.asynccontextmanager
    async def hold(self, alias: str) -> AsyncIterator[None]:
        """Raises `Conflict` when another has it for longer than the timeout, `ConfigurationError`."""
        name = alias.lower()
        async with self._in_turn(name, alias):
            path = self._directory / f".{name}.lock"
            descriptor = await self._beside_others(path, alias)
            try:
                yield
            finally:
                # Unlinked while it is held: whoever opened it before sees that it is no longer the one at this path.
                path.unlink(missing_ok=True)
                os.close(descriptor)

    @contextlib.asynccontextmanager
    async def _in_turn(self, name: str, alias: str) -> AsyncIterator[None]:
        lock = self._here.setdefault(name, asyncio.Lock())
        try:
            async with asyncio.timeout(self._timeout):
                await lock.acquire()
        except TimeoutError:
            raise Conflict(f"The profile {alias} is being changed; try again.") from None
        try:
            yield
        finally:
            lock.release()

    async def _beside_others(self, path: Path, alias: str) -> int:
        deadline = self._clock.monotonic() + self._timeout
        while (descriptor := await _tried(path)) is None:
            if self._clock.monotonic() >= deadline:
                raise Conflict(f"The profile {alias} is being changed by another process; try again.")
            await self._clock.sleep(_PAUSE)
        return descriptor


async def _tried(path: Path) -> int | None:
    """As `_taken`. A caller who goes away meanwhile must not keep the lock for the daemon's life."""
    trying = asyncio.ensure_future(asyncio.to_thread(_taken, path))
    try:
        return await asyncio.shield(trying)
    except asyncio.CancelledError:
        trying.add_done_callback(_given_back)
        raise


def _given_back(trying: asyncio.Future[int | None]) -> None:
    if not trying.cancelled() and trying.exception() is None and (descriptor := trying.result()) is not None:
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    """The lock's descriptor; None while another has it. The operating system drops it with its process. Raises
    `ConfigurationError`."""
    private_directory(path.parent)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise ConfigurationError(f"The lock {path} cannot be used: {exc.strerror}; remove it.") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_ino == path.lstat().st_ino:
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
