"""Executions that stand in the store and come into memory: after a restart, from the backlog, when a wait is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from jackfield.api.body_budget import TakenMemory
from jackfield.api.engine import ExecutionRequest, Failure, Outcome
from jackfield.api.errors import DataDamaged, NotFound, StoreUnavailable
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import (
    OPEN_STATUSES,
    CallUpdate,
    Claimed,
    FinishedExecution,
    Standing,
    Store,
    StoredExecution,
)
from jackfield_engine.lifecycle.gathered import GatheredReads
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.read_back import ReadBack
from jackfield_engine.lifecycle.resuming import (
    back_off,
    check_resumes,
    ended,
    left_of,
    outcome_of,
    records_of,
    request_of,
    within_slices,
)
from jackfield_engine.lifecycle.stored_spans import end_stored_span
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.marks import CRASHED, has_crashed, resumes
from jackfield_engine.run.stored_form import failure_json
from jackfield_engine.shared.services import Services

PAGE = 1000


class Recovery:
    """Reads stored executions and makes of them what runs."""

    def __init__(
        self,
        services: Services,
        live: LiveRuns,
        make: Callable[[str, ExecutionRequest, int], LiveRun],
        cancel_children: Callable[[str], Awaitable[None]],
    ) -> None:
        """make: an execution in memory of an id, from when it was created (Unix ms)."""
        self._services = services
        self._live = live
        self._make = make
        self._cancel_children = cancel_children
        self._lease = services.lease
        self.read_back = ReadBack(services.settings.read_back_memory)
        self._reads = GatheredReads(services.store)
        self._began = services.clock.monotonic()
        """From then on resumes are put off, of what was claimed before it was read."""

    async def survey(self) -> int:
        """Take over the store: how many open executions it has that are not in memory."""
        found = 0
        after: str | None = None
        self._began = self._services.clock.monotonic()
        begun = self._services.begun
        noted = begun.read()
        kept: set[str] = set()
        while ids := await self._services.store.open_executions(statuses=OPEN_STATUSES, after=after, limit=PAGE):
            found += sum(1 for execution_id in ids if execution_id not in self._live.runs)
            kept |= noted.intersection(ids)
            after = ids[-1]
        begun.keep(kept)
        return found

    def put_off(self, stored: StoredExecution) -> float:
        """Seconds until an execution may be resumed with which a daemon ended unexpectedly; 0: at once."""
        settings = self._services.settings
        if not (count := self._resumes(stored)) or count >= settings.max_resumes:
            return 0.0
        wanted = back_off(stored.row.id, count, settings.resume_backoff, settings.resume_backoff_max)
        claimed = self._lease.claimed.get(stored.row.id)
        since = self._began if claimed is None else claimed[1]
        return max(0.0, since + wanted - self._services.clock.monotonic())

    def _resumes(self, stored: StoredExecution) -> int:
        begun, execution_id = self._services.begun, stored.row.id
        return resumes(stored.steps, self._lease.daemon, lambda life: begun.has(life, execution_id))

    async def load(
        self, stored: StoredExecution, kept: Callable[[], bool], memory: TakenMemory | None = None
    ) -> LiveRun | None:
        """A stored open execution in memory, to be started, queued or held at once. None when that cannot be, which
        ends it, or when it is there already, or this daemon's no more. `kept`: see `Lease.kept`, from before it was
        read. `memory`: what was reserved for it; None: it comes without. Raises `StoreUnavailable`."""
        if memory is None:
            memory = await self.read_back.reserve(stored, always=True)
        try:
            check_resumes(self._resumes(stored), self._services.settings.max_resumes)
            stored = await with_outputs(self._services.context, stored)
            request = await request_of(
                self._services.context, stored, memory if memory is not None and memory.size else None
            )
            records = await records_of(stored)
            left = await left_of(stored)
        except StoreUnavailable:
            raise
        except Exception as exc:
            await self._end_unusable(stored, exc)
            return None
        row = stored.row
        if self._live.knows(row.id) or self._live.has_ended(row.id):
            return None
        if not kept():
            self._services.context.log.info("execution %s was lost or given away while it was read", row.id)
            return None
        claimed = self._lease.claimed.pop(row.id, None)
        taken_over = claimed is not None and claimed[0].taken_over
        crashed = row.status != "waiting" and (taken_over or has_crashed(stored.steps))
        run = self._make(row.id, request, row.created_at)
        run.restore(stored, records, left, earlier=crashed)
        self._live.add(run)
        return run

    async def keep_crash(self, claimed: Claimed) -> None:
        """Before what this daemon has claimed is handed over, unread: a crash before stays one. Raises `Fenced`,
        `StoreUnavailable`."""
        if not claimed.taken_over or claimed.status == "waiting":
            return
        stored, life = await self.stored(claimed.id), self._lease.life
        if stored is None or stored.owner != life.id or has_crashed(stored.steps):
            return
        await self._services.store.append_steps(claimed.id, CRASHED, stored.next_chunk, life.id)

    async def _end_unusable(self, stored: StoredExecution, error: Exception) -> None:
        self._services.context.log.warning("execution %s cannot be resumed: %s", stored.row.id, error)
        message, now = f"The execution cannot be resumed. {error}", self._services.clock.now_ms()
        finished = ended(stored, "failed", message, now, self._lease.life.id)
        await asyncio.shield(self._services.store.finish_execution(finished))
        self._services.figures.ended_stored(stored.row, finished)
        await end_stored_span(self._services, stored, finished)
        self._lease.claimed.pop(stored.row.id, None)
        self._live.handles.of(stored.row.id).over(outcome_of(stored, finished))
        await self._cancel_children(stored.row.id)

    async def stored(self, execution_id: str) -> StoredExecution | None:
        """An open execution; None for one that is not there, or whose data is damaged, which ends it. Raises
        `StoreUnavailable`."""
        try:
            return await self._services.store.execution(execution_id)
        except DataDamaged as exc:
            self._services.context.log.error("execution %s cannot be resumed: %s", execution_id, exc.message)
            await self._end_damaged(execution_id, Failure(exc.message))
            return None

    async def _end_damaged(self, execution_id: str, failure: Failure) -> None:
        store, now = self._services.store, self._services.clock.now_ms()
        call = await store.pending_call(execution_id)
        finished = FinishedExecution(
            execution_id,
            "failed",
            now,
            now,
            error=failure_json(failure),
            call=CallUpdate(*call, status="failed") if call is not None else None,
            owner=self._lease.life.id,
        )
        await asyncio.shield(store.finish_execution(finished))
        self._live.handles.of(execution_id).over(Outcome("failed", [], failure))
        await self._cancel_children(execution_id)

    async def outcome(self, execution_id: str) -> Outcome | None:
        """The store's record of its end; None while it is open. Raises `NotFound`, `StoreUnavailable`."""
        if (await self._standing(execution_id)).is_open:
            return None
        return await self._outcome(execution_id)

    async def ended(self, execution_id: str) -> Outcome | None:
        """The same, of one that is over as far as is known: in one read, which it shares with others. Raises
        `NotFound`, `StoreUnavailable`."""
        stored = await self._reads.execution(execution_id)
        if stored is None:
            raise _unknown()
        if stored.row.finished_at is None:
            return None
        whole = await with_outputs(self._services.context, stored)
        return await within_slices(whole, lambda: outcome_of(whole))

    async def _outcome(self, execution_id: str) -> Outcome:
        stored = await find(self._services.store, execution_id)
        whole = await with_outputs(self._services.context, stored)
        return await within_slices(whole, lambda: outcome_of(whole))

    async def elsewhere(self, execution_id: str) -> Outcome | None:
        """How an execution ends that another daemon runs; None once it is this one's to go on with. Raises `NotFound`,
        `StoreUnavailable`."""
        while True:
            await self.told_of_end(execution_id)
            standing = await self._standing(execution_id)
            if not standing.is_open:
                return await self._outcome(execution_id)
            if await self._lease.own(execution_id, standing.owner):
                return None

    async def told_of_end(self, execution_id: str) -> bool:
        """Wait for the next look at one that another daemon runs, or until the bus tells of its end: whether it did."""
        sleep = asyncio.ensure_future(self._services.clock.sleep(self._services.settings.claim_interval))
        try:
            with self._services.ended.heard(execution_id, sleep.cancel):
                await asyncio.wait([sleep])
            return sleep.cancelled()
        finally:
            sleep.cancel()

    async def _standing(self, execution_id: str) -> Standing:
        """A waiting caller looks again and again: input and steps are read once, at the end."""
        standing = await self._services.store.standing(execution_id)
        if standing is None:
            raise _unknown()
        return standing


async def find(store: Store, execution_id: str) -> StoredExecution:
    """Raises `NotFound`, `StoreUnavailable`."""
    stored = await store.execution(execution_id)
    if stored is None:
        raise _unknown()
    return stored


def _unknown() -> NotFound:
    return NotFound("There is no execution with this id.")
