"""When each API key was used last: written in batches, off the requests' path."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Protocol

from jackfield.api.clock import Clock
from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import UserStore
from jackfield_auth.settings import ApiKeysSettings

GATHER = 1.0
"""How long uses are gathered before they are written, in seconds."""
WATCHED = 10_000


class Spawn(Protocol):
    """`PluginContext.spawn`."""

    def __call__(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]: ...


class KeyUsage:
    """Each key is written at most once per interval. Without requests nothing runs."""

    def __init__(self, settings: ApiKeysSettings, clock: Clock, store: Callable[[], UserStore], spawn: Spawn) -> None:
        self._interval_ms = settings.usage_interval * 1000
        self._clock = clock
        self._store = store
        self._spawn = spawn
        self._noted: OrderedDict[str, int] = OrderedDict()
        self._pending: dict[str, int] = {}
        self._gathering = False

    def note(self, key_id: str) -> None:
        """The key was used now."""
        now = self._clock.now_ms()
        if now - self._noted.get(key_id, -self._interval_ms) < self._interval_ms:
            return
        self._noted[key_id] = now
        self._noted.move_to_end(key_id)
        if len(self._noted) > WATCHED:
            self._noted.popitem(last=False)
        self._pending[key_id] = now
        if not self._gathering:
            self._gathering = True
            self._spawn("api-key-usage", self._write_soon())

    async def flush(self) -> None:
        """Write what is gathered. Raises `StoreUnavailable`; then it stays for the next time."""
        batch = dict(self._pending)
        if not batch:
            return
        await self._store().touch_api_keys(batch)
        for key_id, used in batch.items():
            if self._pending.get(key_id) == used:
                del self._pending[key_id]

    async def _write_soon(self) -> None:
        try:
            await self._clock.sleep(GATHER)
        finally:
            self._gathering = False
        try:
            await self.flush()
        except StoreUnavailable:
            while len(self._pending) > WATCHED:
                del self._pending[next(iter(self._pending))]
