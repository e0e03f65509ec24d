"""Keeping the lease, and what follows when it is lost: this daemon lets go of what it ran, and begins another life.

Renewals run in a thread, so that an event loop that something blocks does not look dead. A store that one daemon has
for itself needs none of them.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Protocol

from jackfield.api.errors import Fenced, JackfieldError
from jackfield.api.ids import new_id
from jackfield.api.storage import Renewals
from jackfield_engine.lifecycle.backlog import Backlog
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.run.state import RunEvent, RunState
from jackfield_engine.shared.lease import Life
from jackfield_engine.shared.services import Services

RETRY_S = 1.0
_SHORTEST = 0.05
"""Seconds between two looks at a lease that is not to be had."""
_LATE = (1, 10)
"""Leases from one later look to the next. A report that a broken connection has not confirmed may reach the store
behind those who have asked it over another one."""
_REFUSED = frozenset({RunState.QUEUED, RunState.STARTING, RunState.RUNNING, RunState.SUSPENDING, RunState.PARKING})
"""States in which an execution is stopped at once. The others write next, which the store refuses."""


class Runner(Protocol):
    """Runs a coroutine beside the engine's."""

    def __call__(self, work: Callable[[], Coroutine[object, object, None]]) -> Callable[[], Awaitable[None]]:
        """Begin; what is given back ends it."""


def in_thread(work: Callable[[], Coroutine[object, object, None]]) -> Callable[[], Awaitable[None]]:
    """`Runner`: with its own event loop."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(work())

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(asyncio.wait([task]))
        finally:
            loop.close()

    thread = threading.Thread(target=run, name="jackfield-lease", daemon=True)
    thread.start()

    async def end() -> None:
        loop.call_soon_threadsafe(task.cancel)
        await asyncio.to_thread(thread.join, RETRY_S)

    return end


class Renewing:
    """Watches over the lease."""

    def __init__(
        self,
        services: Services,
        live: LiveRuns,
        backlog: Backlog,
        cancel: Callable[[str], Awaitable[None]],
        runner: Runner,
    ) -> None:
        """cancel: ends an execution of this daemon."""
        self._services = services
        self._lease = services.lease
        self._live = live
        self._backlog = backlog
        self._cancel = cancel
        self._runner = runner
        settings = services.settings
        self._interval = min(settings.renewal_interval, settings.lease / 4)
        """Seconds. A longer one would lose the lease between two renewals."""
        self._end: Callable[[], Awaitable[None]] | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._doubts = 0
        self._told: set[str] = set()
        """Executions that are being cancelled because somebody else wanted it."""
        self._lease.suspect = self._suspect
        self._lease.doubt = self._doubt
        self._lease.lost = self._lost

    def start(self) -> None:
        if self._lease.shared and self._end is None:
            loop = asyncio.get_running_loop()
            self._spawn("lease", self._watch())
            self._end = self._runner(lambda: self._renew(loop))

    async def close(self) -> None:
        """Renew nothing more, and hand over what is left."""
        end, self._end = self._end, None
        if end is not None:
            await end()
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        await self._lease.leave()

    # -- in the thread

    async def _renew(self, loop: asyncio.AbstractEventLoop) -> None:
        """As long as the daemon lives. loop: of the engine."""
        while True:
            life = self._lease.present
            if life is not None:
                renewals = self._services.store.renewals(life.id)
                try:
                    while life is self._lease.present:
                        await self._renew_once(renewals, life, loop)
                        await self._services.clock.sleep(self._interval)
                finally:
                    await renewals.close()
            else:
                await self._services.clock.sleep(self._interval)

    async def _renew_once(self, renewals: Renewals, life: Life, loop: asyncio.AbstractEventLoop) -> None:
        asked_at = self._services.clock.boottime()
        if not life.registered:
            return
        try:
            async with asyncio.timeout(self._services.settings.lease / 3):
                found = await renewals.renew()
        except Fenced:
            life.until = -math.inf  # at once, whatever holds the engine's loop
            loop.call_soon_threadsafe(self._lost, life)
        except (JackfieldError, TimeoutError, OSError):
            return  # the watch tells when it is too much
        except Exception:  # the thread must outlive everything: without it, every lease is lost
            self._services.context.log.exception("renewing the lease failed")
        else:
            self._services.store_clock.told(found.now_ms, asked_at)
            self._lease.renewed(life, asked_at)
            if found.cancelled:
                loop.call_soon_threadsafe(self._wanted, life, found.cancelled)

    # -- in the engine's loop

    async def _watch(self) -> None:
        """The fence of this daemon's own: when its renewals do not reach the store for too long."""
        clock = self._services.clock
        while True:
            life = self._lease.life
            left = life.until - clock.boottime()
            if left <= 0:
                self._lost(life)
                left = 0.0
            await clock.sleep(max(min(left, self._interval), _SHORTEST))

    def _lost(self, life: Life) -> None:
        """Let go of all that ran in this life, and begin another one."""
        if life is not self._lease.present:
            return
        self._services.context.log.log(
            logging.ERROR if life.registered else logging.DEBUG,
            "the lease is lost; executions that ran here are taken over, and this daemon goes on under a new one",
        )
        self._lease.lose(life)
        self._told.clear()
        self._backlog.forget()
        for run in [run for run in self._live.runs.values() if run.disk.life is life]:
            if run.state in _REFUSED:
                run.give_up(Fenced())
            elif run.state is RunState.WAITING:
                run.move(RunEvent.FORGET)
        self._backlog.mark()
        self._backlog.wake()

    def _suspect(self, life: Life) -> None:
        self._spawn("suspect", self._look(life))

    async def _look(self, life: Life) -> None:
        """Whether a write was refused because the life is over, or only for its execution."""
        renewals = self._services.store.renewals(life.id)
        try:
            if life.registered:
                await renewals.renew()
        except Fenced:
            self._lost(life)
        except JackfieldError as exc:
            self._services.context.log.info("the lease cannot be looked at: %s", exc.message)
        finally:
            await renewals.close()

    def _wanted(self, life: Life, executions: Sequence[str]) -> None:
        """Somebody else wants these to end."""
        if life is self._lease.present:
            fresh = [execution_id for execution_id in executions if execution_id not in self._told]
            self._told.intersection_update(executions)
            self._told.update(fresh)
            if fresh:
                self._spawn("cancel", self._cancel_all(fresh))

    async def _cancel_all(self, executions: Sequence[str]) -> None:
        for execution_id in executions:
            try:
                await self._cancel(execution_id)
            except JackfieldError as exc:
                self._services.context.log.info("execution %s is not cancelled: %s", execution_id, exc.message)
                self._told.discard(execution_id)

    def _doubt(self) -> None:
        self._doubts += 1
        if "doubt" not in self._tasks:
            self._spawn("doubt", self._settle_doubt(RETRY_S))
        if "late" not in self._tasks:
            self._spawn("late", self._settle_late())

    async def _settle_late(self) -> None:
        """Look again until all that was not confirmed has come, or can no longer come."""
        seen = 0
        while seen != self._doubts:
            seen = self._doubts
            for leases in _LATE:
                await self._settle_doubt(leases * self._services.settings.lease)

    async def _settle_doubt(self, seconds: float) -> None:
        """Hand over what stands in the store as this daemon's, and is not here. seconds: until then."""
        await self._services.clock.sleep(seconds)
        while True:
            try:
                await self._release_unknown()
                break
            except JackfieldError:
                await self._services.clock.sleep(RETRY_S)
        self._backlog.mark()
        self._backlog.wake()

    async def _release_unknown(self) -> None:
        lease, store = self._lease, self._services.store
        async with lease.claiming:
            life = lease.life
            mine = await store.owned_executions(life.id)
            unknown = [one for one in mine if not self._is_here(one)]
            if unknown:
                await store.release_executions(life.id, unknown)

    def _is_here(self, execution_id: str) -> bool:
        """In memory, or on its way there."""
        return self._live.knows(execution_id) or self._live.reads(execution_id) or self._backlog.holds(execution_id)

    def _spawn(self, name: str, work: Coroutine[object, object, None]) -> None:
        """One of each name; a further one of `suspect` and `cancel` comes beside it."""
        key = name if name not in self._tasks else f"{name} {new_id()}"
        task = asyncio.get_running_loop().create_task(work, name=f"executions.{name}")
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key, None))
