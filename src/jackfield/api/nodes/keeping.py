"""The things that a node run opens once and closes at its end: connections to databases, sessions of servers.

    async with run.kept_open("session", lambda: session_of(address)) as session:
        await session.ask(...)

Each thing is entered and left in its own task, so that it may be used from any task, whatever its library thinks
of tasks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar, cast

from ..containment import Escaped
from ..limits import contained
from .types import KeptBroken, NodeError

T = TypeVar("T")
_OVER = "The node run is over, so nothing more can be opened for it."
Opening = Callable[[], AbstractAsyncContextManager[Any]]
"""Opens a thing of any type, hence Any."""


class _Thing:
    """One open thing, in its task."""

    def __init__(self, opening: Opening) -> None:
        self.users = 0
        self._ready: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        self._task = asyncio.create_task(self._held(opening))

    async def _held(self, opening: Opening) -> None:
        try:
            await contained(lambda: self._entered(opening))
        except asyncio.CancelledError:
            if not self._ready.done():
                self._ready.set_exception(NodeError("The node run ended before what it opens was open."))
            raise
        except Exception as exc:
            if self._ready.done():
                raise
            self._ready.set_exception(exc)

    async def _entered(self, opening: Opening) -> None:
        async with opening() as thing:
            self._ready.set_result(thing)
            await self._leave.wait()

    @property
    def gone(self) -> bool:
        """Whether it has ended by itself, as when its server has left."""
        return self._task.done()

    async def opened(self) -> object:
        """Raises what opening it raised. A caller that gives up leaves it to others, and to `close`."""
        return await asyncio.shield(self._ready)

    async def close(self, seconds: float) -> BaseException | None:
        """The error that closing it, or the thing itself before, raised. `seconds`: until its task is cancelled."""
        self._leave.set()
        if not self._ready.done():
            self._task.cancel()
        _, left = await asyncio.wait({self._task}, timeout=seconds)
        if left:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=seconds)
        if not self._task.done():
            return TimeoutError("it does not end")
        if self._ready.done():
            self._ready.exception()  # nobody may have asked for it
        return None if self._task.cancelled() else self._task.exception()


class KeptThings:
    """The open things of one node run, by their keys.

    `most_idle`: how many stay open while nobody uses them; of more, the one used longest ago is closed. `seconds`: that
    one may take to close. Then its task is cancelled.
    """

    def __init__(self, log: logging.Logger, most_idle: int = 16, seconds: float = 10) -> None:
        self._log = log
        self._most_idle = most_idle
        self._seconds = seconds
        self._things: dict[str, _Thing] = {}
        self._broken: list[_Thing] = []
        """Lent to nobody any more; closed when those who have them still are done."""
        self._closed = False

    @contextlib.asynccontextmanager
    async def lent(self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]) -> AsyncIterator[T]:
        """See `NodeRun.kept_open`."""
        if self._closed:
            raise NodeError(_OVER)
        thing = self._things.pop(key, None)
        if thing is not None and thing.gone:
            self._note(key, await thing.close(self._seconds))
            thing = None
            if self._closed:
                raise NodeError(_OVER)
        if thing is None:
            thing = self._things.pop(key, None) or _Thing(opening)
        self._things[key] = thing
        thing.users += 1
        try:
            try:
                found = await thing.opened()
            except Escaped as exc:
                raise exc.cause from None
            yield cast("T", found)
        except KeptBroken:
            if self._things.get(key) is thing:
                del self._things[key]
                self._broken.append(thing)
            raise
        finally:
            thing.users -= 1
            if not thing.users and thing in self._broken:
                self._broken.remove(thing)
                self._note(key, await thing.close(self._seconds))
            await self._thin_out()

    async def _thin_out(self) -> None:
        # Counted anew each time: while one closes, others are lent and come back.
        while len(idle := [key for key, thing in self._things.items() if not thing.users]) > self._most_idle:
            self._note(idle[0], await self._things.pop(idle[0]).close(self._seconds))

    async def close(self) -> None:
        """Close all of them, the last one first. Failures are logged; a cancellation waits for the end."""
        self._closed = True
        while self._things or self._broken:
            key, thing = self._things.popitem() if self._things else ("", self._broken.pop())
            self._note(key, await thing.close(self._seconds))

    def _note(self, key: str, error: BaseException | None) -> None:
        if error is not None and not isinstance(error, NodeError):
            self._log.debug("what a node run kept open did not end in order", exc_info=error)
