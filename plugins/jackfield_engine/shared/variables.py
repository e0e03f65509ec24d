"""`$vars` and `$env` as expressions see them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence

from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext


class Variables:
    """The stored variables, remembered for a while."""

    def __init__(self, context: PluginContext, ttl: float) -> None:
        self._context = context
        self._clock: Clock = context.clock
        self._ttl = ttl
        self._read_at: float | None = None
        self._lock = asyncio.Lock()
        self._values: Mapping[str, str] = {}

    async def read(self) -> Mapping[str, str]:
        """Raises `StoreUnavailable`."""
        asked_at = self._clock.monotonic()
        if self._fresh(asked_at):
            return self._values
        async with self._lock:
            if not self._fresh(asked_at):
                read_at = self._clock.monotonic()
                rows = await self._context.store.variables()
                self._values = {row.key: row.value for row in rows}
                self._read_at = read_at
            return self._values

    def _fresh(self, asked_at: float) -> bool:
        """Whether what was read is young enough for who asks now; also what was read after they asked is."""
        return self._read_at is not None and asked_at - self._read_at < self._ttl


def allowed_environment(names: Sequence[str]) -> dict[str, str]:
    """The environment variables of these names that are set."""
    return {name: value for name in names if (value := os.environ.get(name)) is not None}
