"""Of several daemons on one store, one asks services. That two do for a moment loses nothing and doubles nothing: the
store keeps what each start has known."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Awaitable, Callable

from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.memos import Memos

_KIND, _KEY = "triggers", "runner"
LEASE_S = 15.0
_RENEW_S = 4.0


class Leadership:
    """The lease of the daemon that asks."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._mine = secrets.token_bytes(16)
        self._held = False
        self._until: float | None = None
        """Of the monotonic clock: the end of the lease that was renewed last; None: there was none."""
        self.leads = False
        """Whether this daemon asks now."""

    @property
    def lapsed(self) -> bool:
        """Whether the lease has run out, so that another daemon may have taken it. A process that was stopped knows
        before its first renewal."""
        return self._until is not None and self._context.clock.monotonic() >= self._until

    async def run(self, lead: Callable[[], Awaitable[None]]) -> None:
        """Until cancelled: `lead` runs as long as the lease is ours, and is cancelled when it is lost."""
        if self._context.store.exclusive:
            self.leads = True
            await lead()
            return
        try:
            while True:
                if await self._renewed():
                    await self._led(lead)
                await self._context.clock.sleep(_RENEW_S)
        finally:
            await self._give_back()

    async def _led(self, lead: Callable[[], Awaitable[None]]) -> None:
        self.leads = True
        task = asyncio.ensure_future(lead())
        last = self._context.clock.monotonic()
        try:
            while not task.done():
                await self._context.clock.sleep(_RENEW_S)
                if await self._renewed():
                    last = self._context.clock.monotonic()
                elif not self._held or self._context.clock.monotonic() - last > LEASE_S * 2 / 3:
                    return
        finally:
            self.leads = False
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _renewed(self) -> bool:
        """False: another daemon has it, or the store does not answer."""
        memos, asked = self._context.port(Memos), self._context.clock.monotonic()
        try:
            before = self._mine if self._held else None
            renewed = await memos.change_memo(_KIND, _KEY, before, self._mine, LEASE_S)
            if not renewed and self._held:
                renewed = await memos.change_memo(_KIND, _KEY, None, self._mine, LEASE_S)
        except StoreUnavailable:
            return False
        self._held = renewed
        if renewed:
            self._until = asked + LEASE_S
        return renewed

    async def _give_back(self) -> None:
        if self._held:
            with contextlib.suppress(StoreUnavailable):
                await self._context.port(Memos).change_memo(_KIND, _KEY, self._mine, None, LEASE_S)
