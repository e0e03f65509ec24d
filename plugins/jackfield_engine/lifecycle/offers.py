"""Executions that stand in the store for any daemon. Others hear of them at once, and whoever waits for one of them
here hears of its end, wherever that comes. Only what makes it quick: others also look from time to time."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from functools import partial

from jackfield.api.bus import Bus
from jackfield.api.errors import NotFound, StoreUnavailable
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.run.handles import Handle
from jackfield_engine.shared.services import Services

OFFERED = "execution.offered"
"""Topic: executions stand in the store for anybody. Its payload is empty: whoever has room claims the oldest."""


class Offers:
    """Where the store belongs to one daemon, nothing of it happens."""

    def __init__(self, services: Services, live: LiveRuns, recovery: Recovery) -> None:
        self._services = services
        self._live = live
        self._recovery = recovery
        self._telling = False
        self._watched: set[str] = set()

    def offer(self, handle: Handle) -> None:
        """The store has it, and nobody runs it."""
        if not self._services.lease.shared:
            return
        if handle.waiters:
            self.watch(handle)
        self.tell()

    def watch(self, handle: Handle) -> None:
        """Somebody waits here for the end of an execution that any daemon may go on with."""
        if self._services.lease.shared and handle.id not in self._watched:
            self._watched.add(handle.id)
            task = self._services.context.spawn("executions.end", self._watch(handle.id, weakref.ref(handle)))
            task.add_done_callback(partial(self._unwatched, handle.id))

    def _unwatched(self, execution_id: str, _: asyncio.Task[None]) -> None:
        self._watched.discard(execution_id)

    def tell(self) -> None:
        """Once for all that the store has confirmed together."""
        if self._services.lease.shared and not self._telling:
            self._telling = True
            asyncio.get_running_loop().call_soon(self._tell)

    def _tell(self) -> None:
        self._telling = False
        self._services.context.port(Bus).publish(OFFERED, {})

    async def listen(self, offered: Callable[[], None]) -> None:
        """Until cancelled: call `offered` when another daemon tells."""
        with self._services.context.port(Bus).subscribe(OFFERED) as messages:
            async for _ in messages:
                offered()

    async def _watch(self, execution_id: str, kept: weakref.ref[Handle]) -> None:
        """As long as somebody holds the handle: give it the end, once the store has that. The bus is asked to tell; a
        look each `executions.claim_interval` makes up for it."""
        while True:
            told = await self._recovery.told_of_end(execution_id)
            if not _is_wanted(kept):
                return
            if execution_id in self._live.runs:
                continue
            try:
                look = self._recovery.ended if told else self._recovery.outcome
                outcome = await look(execution_id)
            except StoreUnavailable:
                continue
            except NotFound as exc:
                if (handle := kept()) is not None:
                    handle.refuse(exc)
                return
            if outcome is not None:
                if (handle := kept()) is not None:
                    handle.over(outcome)
                return


def _is_wanted(kept: weakref.ref[Handle]) -> bool:
    """Whether somebody still waits."""
    handle = kept()
    return handle is not None and not handle.finished.done()
