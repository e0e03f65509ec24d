"""Executions that stand in the store and not in memory: what did not fit, and what an earlier process left open."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from jackfield.api.errors import BinaryStoreUnavailable, JackfieldError, StoreUnavailable
from jackfield.api.storage import Claimed, StoredExecution
from jackfield_engine.lifecycle.gathered import PAGE, together
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.offers import Offers
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.run.state import RunEvent
from jackfield_engine.shared.lease import LEAVE_S
from jackfield_engine.shared.services import Services

RETRY_S = 1.0


class Backlog:
    """Claims what is open in the store, oldest first, as far as there is room."""

    def __init__(
        self, services: Services, live: LiveRuns, scheduler: Scheduler, recovery: Recovery, offers: Offers
    ) -> None:
        self._services = services
        self._offers = offers
        self._lease = services.lease
        self._live = live
        self._scheduler = scheduler
        self._recovery = recovery
        self._closed = False
        self._marks = 0
        self._done = 0
        self._task: asyncio.Task[None] | None = None
        self._poller: asyncio.Task[None] | None = None
        self._claimed: deque[str] = deque()
        """This daemon's, and next to come into memory."""
        self._loading: str | None = None
        """The one of them that is being read: it comes into memory here, whatever happens meanwhile."""
        self._put_off: set[str] = set()
        """Executions whose resume is put off: the daemon ended unexpectedly with them, or they have no room."""
        self.awaited: set[str] = set()
        """Executions that a call has just made this daemon's, until they are in memory or queued here."""
        self.pending = False
        """Whether the store may hold executions that nobody runs."""

    def start(self) -> None:
        """Look for what other daemons have queued or left, where the store is shared: when they tell of it, and from
        time to time."""
        if self._lease.shared and self._poller is None:
            self._poller = self._services.context.spawn("executions.claims", self._poll())
            self._services.context.spawn("executions.offers", self._offers.listen(self._offered))

    def _offered(self) -> None:
        """Another daemon has given executions to whoever takes them."""
        if self._services.takes():
            self.mark()
            self.wake()

    def mark(self) -> None:
        """There are open executions that are not in memory."""
        self._marks += 1
        self.pending = True

    def _cleared(self, marks: int) -> None:
        """Everything that was marked so far is in memory."""
        self._done = marks
        self.pending = self._done < self._marks

    def wake(self) -> None:
        """There may be room."""
        if self.pending:
            self._look()

    def holds(self, execution_id: str) -> bool:
        """Whether an execution that is this daemon's is on its way into memory."""
        places = (self._put_off, self._claimed, self._lease.claimed, self.awaited)
        return any(execution_id in place for place in places)

    def add(self, execution_id: str) -> None:
        """An execution is this daemon's, and could not be read."""
        self._claimed.append(execution_id)
        self.mark()
        self.wake()

    def _give_back(self) -> None:
        """An execution that was accepted here and has not begun is for any daemon that has a free slot. Exceptions:
        somebody waits for it here, or it may have run before, and its crash would be forgotten. So is all that was
        claimed, once this daemon is drained."""
        if not self._services.takes():
            self._give_back_claimed()
        back = [run for run in self._scheduler.surplus() if run.may_leave() and run.disk.life is self._lease.present]
        if not back:
            return
        self._services.context.spawn("executions.release", self._release([run.id for run in back]))
        for run in back:
            run.move(RunEvent.FORGET)
        self.mark()

    def _give_back_claimed(self) -> None:
        """But not the one that is being read: it would begin here behind its release, beside whoever claims it then."""
        for execution_id in [one for one in self._claimed if one != self._loading]:
            self._claimed.remove(execution_id)
            claimed = self._lease.claimed.pop(execution_id, None)
            if claimed is None:
                self.hand_back(execution_id)
            else:
                self._services.context.spawn("executions.release", self._release_claimed(claimed[0]))

    async def _release_claimed(self, claimed: Claimed) -> None:
        try:
            await self._recovery.keep_crash(claimed)
        except JackfieldError as exc:
            self._services.context.log.info("a crash of execution %s is not counted: %s", claimed.id, exc.message)
        await self._release([claimed.id])

    def hand_back(self, execution_id: str) -> None:
        """An execution that is this daemon's leaves the memory, and is for anybody from then on."""
        self._services.context.spawn("executions.release", self._release([execution_id]))

    async def _release(self, execution_ids: Sequence[str]) -> None:
        await self._lease.release(execution_ids)
        self._offers.tell()

    def forget(self) -> None:
        """Nothing that was claimed is this daemon's any more."""
        self._claimed.clear()
        self._put_off.clear()

    async def close(self) -> None:
        """Claim nothing more."""
        self._closed = True
        self._cleared(self._marks)
        tasks = [task for task in (self._task, self._poller) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._keep_crashes()

    async def _keep_crashes(self) -> None:
        """Of what was claimed and has not come into memory: others get it as it is."""
        try:
            async with asyncio.timeout(LEAVE_S):
                for claimed, _ in list(self._lease.claimed.values()):
                    await self._recovery.keep_crash(claimed)
        except (JackfieldError, TimeoutError) as exc:
            self._services.context.log.info("crashes of executions that did not begin here are not counted: %s", exc)

    async def _poll(self) -> None:
        while True:
            self._give_back()
            self._scheduler.next()
            self._look()
            await self._services.clock.sleep(self._services.settings.claim_interval)

    def _look(self) -> None:
        if self._task is None and self._room() and (self._claimed or self._wanted()):
            self._task = asyncio.get_running_loop().create_task(self._claim(), name="executions.backlog")
            self._task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            self._services.context.log.error("claiming queued executions failed", exc_info=error)
        else:
            self.wake()

    async def _claim(self) -> None:
        marks = self._marks
        while True:
            try:
                while self._claimed:
                    if not self._room():
                        return self.mark()
                    await self._load_page(list(islice(self._claimed, PAGE)))
                wanted = self._wanted()
                if not self._room() or not wanted:
                    return self.mark()
                found = await self._lease.claim(("running", "queued"), min(PAGE, wanted))
                if not found:
                    return self._cleared(marks)
                self._scheduler.count_turns(len(found))
                self._claimed.extend(found)
            except StoreUnavailable:
                await self._services.clock.sleep(RETRY_S)

    async def _load_page(self, execution_ids: Sequence[str]) -> None:
        """The next of what was claimed, with one read for all, as long as there is room. Raises `StoreUnavailable`."""
        with contextlib.ExitStack() as reading:
            for execution_id in execution_ids:
                reading.enter_context(self._live.reading(execution_id))
            kept = {execution_id: self._lease.kept(execution_id) for execution_id in execution_ids}
            found = await together(self._services.store, execution_ids)
            for execution_id in execution_ids:
                if not (self._claimed and self._claimed[0] == execution_id and self._room()):
                    return  # some were given back meanwhile
                await self._try_load(execution_id, found.get(execution_id), kept[execution_id])
                if self._claimed and self._claimed[0] == execution_id:
                    self._claimed.popleft()

    async def _try_load(self, execution_id: str, stored: StoredExecution | None, kept: Callable[[], bool]) -> None:
        """One that cannot be loaded does not hold up those behind it. `stored`: None: it is still to be read. `kept`:
        see `Lease.kept`, from before it was read. Raises `StoreUnavailable`."""
        self._loading = execution_id
        try:
            await self._load(execution_id, stored, kept)
        except BinaryStoreUnavailable as exc:
            self._services.context.log.warning("execution %s is taken up later: %s", execution_id, exc.message)
            self._put_off_for(self._services.settings.poll_interval, execution_id)
        except StoreUnavailable:
            raise
        except Exception:
            self._services.context.log.exception("execution %s cannot be taken up now", execution_id)
            self._put_off_for(self._services.settings.poll_interval, execution_id)
        finally:
            self._loading = None

    async def _load(self, execution_id: str, stored: StoredExecution | None, kept: Callable[[], bool]) -> None:
        if self._live.stays(execution_id, self._lease.present):
            self._put_off_for(RETRY_S, execution_id)
            return
        if self._live.knows(execution_id):
            return
        if not self._recovery.read_back.may_come(execution_id):
            self._put_off_for(RETRY_S, execution_id)
            return
        if stored is None:
            stored = await self._recovery.stored(execution_id)
        if stored is None or not self._is_to_run(stored) or self._live.knows(execution_id):
            self._lease.claimed.pop(execution_id, None)
            return
        if (seconds := self._recovery.put_off(stored)) > 0:
            self._put_off_for(seconds, execution_id)
            return
        await self.take(stored, kept)

    def _is_to_run(self, stored: StoredExecution) -> bool:
        """Meanwhile it may have ended, such as by a cancel, or have come to somebody else."""
        mine = stored.owner == self._lease.life.id
        return mine and stored.row.finished_at is None and stored.row.status != "waiting"

    async def take(self, stored: StoredExecution, kept: Callable[[], bool]) -> None:
        """Put a stored execution of this daemon in its turn, now or when there is memory for it. kept: see
        `Recovery.load`. Raises `StoreUnavailable`."""
        memory = await self._recovery.read_back.reserve(stored)
        if memory is None:
            self._put_off_for(RETRY_S, stored.row.id)
            return
        run = await self._recovery.load(stored, kept, memory)
        if run is not None:
            self._scheduler.enter_claimed(run)

    def _put_off_for(self, seconds: float, execution_id: str) -> None:
        self._put_off.add(execution_id)
        self._services.timers.after(seconds, partial(self._due, execution_id))

    def _due(self, execution_id: str) -> None:
        if execution_id in self._put_off:
            self._put_off.remove(execution_id)
            self.add(execution_id)

    def _wanted(self) -> int:
        """How many more to claim: where others could run them, no more than begin soon."""
        return self._scheduler.wanted if self._lease.shared else self._scheduler.places

    def _room(self) -> bool:
        few = len(self._put_off) < max(self._services.settings.queue_size, PAGE)
        return few and self._scheduler.fits(0) and not self._closed
