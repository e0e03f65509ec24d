"""Sessions that were used and may be used again: kept for a while, for whoever comes with the same credential."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

Opening = Callable[[], AbstractAsyncContextManager[Any]]
"""Opens a session of one of the drivers, of the driver's class, hence Any."""
Spawn = Callable[[str, Coroutine[object, object, None]], object]


class _Held:
    """An open session, in its own task: whoever closes it need not be the one who opened it. `since`: when it was used
    last, by the event loop's clock."""

    def __init__(self, opening: Opening) -> None:
        self.since = 0.0
        self._ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        self._task = asyncio.create_task(self._hold(opening))

    async def _hold(self, opening: Opening) -> None:
        try:
            async with opening() as session:
                self._ready.set_result(session)
                await self._leave.wait()
        except asyncio.CancelledError:
            self._ready.cancel()
            raise
        except Exception as exc:
            if not self._ready.done():
                self._ready.set_exception(exc)

    async def session(self) -> Any:  # of the driver's own class
        """Raises what opening it raised."""
        try:
            return await asyncio.shield(self._ready)
        except asyncio.CancelledError:
            self._task.cancel()
            raise

    async def close(self, seconds: float) -> None:
        """seconds: that it may take; then its task is cancelled, and left after as many again."""
        self._leave.set()
        _, left = await asyncio.wait({self._task}, timeout=seconds)
        if left:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=seconds)


class IdleSessions:
    """Keeps at most `most` sessions that nobody uses, each for at most `seconds`. A session serves one piece of work at
    a time. `patience`: seconds that a session may take to tell that it is alive, or to close."""

    def __init__(self, spawn: Spawn, most: int, seconds: float, patience: float) -> None:
        self._spawn = spawn
        self._most = most
        self._seconds = seconds
        self._patience = patience
        self._idle: dict[str, list[_Held]] = {}
        self._sweeping = False

    @contextlib.asynccontextmanager
    async def lent(
        self, key: str, opening: Opening, alive: Callable[[Any], Awaitable[bool]]
    ) -> AsyncIterator[Any]:  # of the driver's own class
        """key: tells credentials apart. alive: whether a session that was idle still answers. One whose work fails is
        closed: nobody knows in what state it is."""
        held = await self._again(key, alive) or _Held(opening)
        try:
            yield await held.session()
        except BaseException:
            await self._closed(held)
            raise
        await self._keep(key, held)

    async def _again(self, key: str, alive: Callable[[Any], Awaitable[bool]]) -> _Held | None:
        while rows := self._idle.get(key):
            held = rows.pop()
            if not rows:
                del self._idle[key]
            if await self._answers(held, alive):
                return held
            await self._closed(held)
        return None

    async def _answers(self, held: _Held, alive: Callable[[Any], Awaitable[bool]]) -> bool:
        """A connection that something on the way has dropped without a word does not answer at all."""
        try:
            async with asyncio.timeout(self._patience):
                return await alive(await held.session())
        except TimeoutError:
            return False
        except BaseException:
            await self._closed(held)
            raise

    async def _closed(self, held: _Held) -> None:
        """Also when whoever had it is cancelled meanwhile."""
        await asyncio.shield(asyncio.ensure_future(held.close(self._patience)))

    async def _keep(self, key: str, held: _Held) -> None:
        if sum(map(len, self._idle.values())) >= self._most:
            await self._closed(held)
            return
        held.since = asyncio.get_running_loop().time()
        self._idle.setdefault(key, []).append(held)
        if not self._sweeping:
            self._sweeping = True
            self._spawn("idle-sessions", self._sweep())

    async def _sweep(self) -> None:
        """Closes what nobody has wanted for too long, until nothing is left; at the daemon's end, all of it."""
        try:
            while self._idle:
                await asyncio.sleep(self._seconds / 2)
                await self._close_since(asyncio.get_running_loop().time() - self._seconds)
        finally:
            self._sweeping = False
            await asyncio.shield(asyncio.ensure_future(self._close_since(float("inf"))))

    async def _close_since(self, time: float) -> None:
        """Those that were used at that time or before."""
        old = [held for rows in self._idle.values() for held in rows if held.since <= time]
        self._idle = {
            key: left for key, rows in self._idle.items() if (left := [one for one in rows if one.since > time])
        }
        await asyncio.gather(*(held.close(self._patience) for held in old))
