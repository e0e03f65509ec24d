"""The operating system's keyring.

It may ask a person for a password, wait for a bus that nobody serves, or hang. So a separate thread asks it. Nobody
waits for that thread longer than the limit, not even the daemon's end.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.errors import JackfieldError
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield_profiles.keys.backends import UsableKeyring

FoundT = TypeVar("FoundT")
MOST = 8
"""Questions at a time: one that is never answered keeps its thread."""


class KeyringSilent(JackfieldError):
    """The operating system's keyring does not answer; unlock it, or set profiles.key_store to "file"."""

    code = "KEYRING_UNAVAILABLE"


class SystemKeyring:
    """One keyring for the daemon's life. any_backend: one that the user has configured counts as well, not only those
    that belong to an operating system."""

    def __init__(self, config_dir: Path, timeout: float, *, any_backend: bool = False) -> None:
        # Two configuration directories of one user must not share keys.
        self._owner = hashlib.sha256(str(config_dir).encode()).hexdigest()[:8]
        self._timeout = timeout
        self._any = any_backend
        self._backend: UsableKeyring | None = None
        self._looked = False
        self._turns = asyncio.Semaphore(MOST)

    async def there(self) -> bool:
        """Whether a real keyring answers. Asked once; a wrong answer to a lookup of nothing counts as none."""
        if not self._looked:
            try:
                self._backend = await self._asked(self._find)
            except KeyringSilent:
                self._backend = None
            self._looked = True
        return self._backend is not None

    async def get(self, name: str) -> str | None:
        """Raises `KeyringSilent`."""
        backend = await self._present()
        return await self._asked(lambda: backend.get(self._account(name)))

    async def put(self, name: str, key: str) -> None:
        """Raises `KeyringSilent`."""
        backend = await self._present()
        await self._asked(lambda: backend.put(self._account(name), key))

    async def remove(self, name: str) -> None:
        """A key that is not there is removed already. Raises `KeyringSilent`."""
        backend = await self._present()
        await self._asked(lambda: backend.remove(self._account(name)))

    async def _present(self) -> UsableKeyring:
        if not await self.there() or self._backend is None:
            raise KeyringSilent
        return self._backend

    def _account(self, name: str) -> str:
        return f"{name}@{self._owner}"

    def _find(self) -> UsableKeyring | None:
        usable = cast(
            "Callable[[str, bool], UsableKeyring | None]", load("jackfield_profiles.keys.backends:usable_keyring")
        )
        return usable(self._account("probe"), self._any)

    async def _asked(self, ask: Callable[[], FoundT]) -> FoundT:
        """Raises `KeyringSilent` when it takes too long or fails. Its detailed words may quote the key."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[FoundT] = loop.create_future()

        def settle(found: FoundT | None, failed: bool) -> None:
            self._turns.release()
            if answer.done():
                return
            if failed:
                answer.set_exception(KeyringSilent())
            else:
                answer.set_result(found)  # type: ignore[arg-type]  # given whenever it did not fail

        def work() -> None:
            try:
                found, failed = ask(), False
            except Exception:
                found, failed = None, True
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, found, failed)

        try:
            async with asyncio.timeout(self._timeout):
                await self._turns.acquire()
                # A daemon thread: a pool's threads are waited for when the daemon ends.
                threading.Thread(target=work, name="keyring", daemon=True).start()
                return await answer
        except TimeoutError:
            raise KeyringSilent from None
