"""The embedded engine: executions run in the daemon's event loop, one task each, a bounded number side by side.

At least once: after a crash an execution goes on behind its last checkpoint, so that the node that was in flight runs
again. Checkpoints stand after every node that has an effect; what ran since is computed again.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial

from jackfield.api.context import PluginContext
from jackfield.api.engine import Execution, ExecutionRequest, Outcome, WaitingCall
from jackfield.api.errors import Conflict, ExecutionTimeout, Fenced, StoreUnavailable
from jackfield.api.hosts import Slots
from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield.api.storage import CallUpdate
from jackfield.api.tracing import present_trace
from jackfield.api.workflows import Items
from jackfield_engine.lifecycle.backlog import Backlog
from jackfield_engine.lifecycle.calls import Calls
from jackfield_engine.lifecycle.cancelling import Cancelling
from jackfield_engine.lifecycle.effects import RunEffects
from jackfield_engine.lifecycle.error_workflow import start_error_workflow
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.offers import Offers
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.lifecycle.renewing import Renewing, Runner, in_thread
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.stopping import Stopping
from jackfield_engine.lifecycle.subworkflows import Children, ChildStarter
from jackfield_engine.lifecycle.unsaved import Unsaved
from jackfield_engine.lifecycle.waiting import Waiting
from jackfield_engine.run.handles import Handle, settle_error
from jackfield_engine.run.live_run import LiveRun, RunHooks
from jackfield_engine.run.state import RunEvent
from jackfield_engine.shared.services import Services, build_services


def build(context: PluginContext) -> EmbeddedEngine:
    """The engine of the hook `jackfield_engine`."""
    return EmbeddedEngine(context)


class EmbeddedEngine:
    """`Engine` in the daemon's process."""

    name = "embedded"

    def __init__(self, context: PluginContext, *, strict: bool = False, runner: Runner = in_thread) -> None:
        """strict: an event that `run.state` does not know raises, which tests want, instead of being logged. runner:
        of the renewals."""
        self._context = context
        self._strict = strict
        self._runner = runner
        self._draining = False
        self.live = LiveRuns()

    # -- its parts

    @cached_property
    def services(self) -> Services:
        """Built when the ports are there."""
        return build_services(self._context)

    @cached_property
    def _scheduler(self) -> Scheduler:
        hosts, shared = self.services.hosts, self.services.lease.shared
        # Nobody drains a daemon whose store is its own: what it takes stays as it is, and is not asked for each call.
        takes = partial(hosts.takes, "flows") if shared else partial(bool, hosts.takes("flows"))
        return Scheduler(self.services.settings, takes)

    @cached_property
    def _recovery(self) -> Recovery:
        return Recovery(self.services, self.live, self._make, self._cancel_children)

    @cached_property
    def _backlog(self) -> Backlog:
        return Backlog(self.services, self.live, self._scheduler, self._recovery, self._offers)

    @cached_property
    def _offers(self) -> Offers:
        return Offers(self.services, self.live, self._recovery)

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self.services, self.live, self._recovery)

    @cached_property
    def _calls(self) -> Calls:
        return Calls(self.services, self.live, self._backlog)

    @cached_property
    def _unsaved(self) -> Unsaved:
        return Unsaved(self.services)

    @cached_property
    def _children(self) -> Children:
        starter = ChildStarter(self.begin, self.cancel, self._fill, self._offers.watch)
        return Children(self.services, self.live, self._scheduler, self._waiting, self._recovery, starter)

    @cached_property
    def _cancelling(self) -> Cancelling:
        return Cancelling(self.services, self.live)

    @cached_property
    def _renewing(self) -> Renewing:
        return Renewing(self.services, self.live, self._backlog, self.cancel, self._runner)

    @cached_property
    def _stopping(self) -> Stopping:
        return Stopping(self.services, self.live, self._scheduler, self._waiting, self._unsaved)

    @cached_property
    def hooks(self) -> RunHooks:
        """The use that its executions make of it."""
        effects = RunEffects(
            self.live,
            self._scheduler,
            self._waiting,
            self._unsaved,
            self._backlog,
            self._offers,
            self._children,
            self._fill,
        )
        failed = partial(start_error_workflow, self.services, self.begin)
        return RunHooks(effects.table(), self._strict, failed, self._children.run, self._children.start)

    # -- the port

    def submit(self, request: ExecutionRequest) -> Execution:
        if self._draining:
            raise Conflict("The daemon is stopping and takes no new executions; try again after its restart.")
        now = self.services.clock.now_ms()
        return self.begin(request, request.id or new_id(), now=now)

    def complete_call(self, execution: Execution, update: CallUpdate) -> asyncio.Future[None]:
        run = self.live.runs.get(execution.id)
        if run is not None and run.disk.status is None:
            run.disk.accept("queued" if run.task is None else "running")
        life = run.disk.life if run is not None else self.services.lease.life
        if _is_fenced(execution):  # it goes on elsewhere, and its end there is the call's
            fenced: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            settle_error(fenced, Fenced())
            return fenced
        # An orderly end does not keep the last answers from being stored.
        return self.services.store.update_call(update, owner=None if self._draining else life.id)

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        handle = self.live.handles.of(execution_id)
        handle.waiters += 1
        try:
            async with asyncio.timeout(timeout):
                return await self._ended(handle)
        except TimeoutError:
            raise ExecutionTimeout from None
        finally:
            handle.waiters -= 1

    async def _ended(self, handle: Handle) -> Outcome:
        """Wherever it runs. Raises `NotFound`, `StoreUnavailable`."""
        while True:
            if handle.id not in self.live.runs and (outcome := await self._stored_outcome(handle.id)) is not None:
                return outcome
            if not self.services.lease.shared:
                await asyncio.wait([handle.finished])
            elif not handle.finished.done() or isinstance(handle.finished.exception(), Fenced):
                await self._some_time(handle)
            if handle.finished.done() and not isinstance(handle.finished.exception(), Fenced):
                return handle.finished.result()

    async def _stored_outcome(self, execution_id: str) -> Outcome | None:
        """Raises `NotFound`, `StoreUnavailable` unless it is asked again soon."""
        try:
            return await self._recovery.outcome(execution_id)
        except StoreUnavailable:
            if not self.services.lease.shared:
                raise
            return None

    async def _some_time(self, handle: Handle) -> None:
        """Until another daemon may have ended what somebody waits for here, or until it ended here."""
        future = handle.finished
        sleep = asyncio.ensure_future(self.services.clock.sleep(self.services.settings.claim_interval))
        if not future.done():
            future.add_done_callback(lambda _: sleep.cancel())
        try:
            with self._heard(handle.id, sleep):
                await asyncio.wait([sleep])
        finally:
            sleep.cancel()

    def _heard(self, execution_id: str, sleep: asyncio.Future[None]) -> AbstractContextManager[None]:
        """Those whose end others tell; the end of those that run here is known."""
        if execution_id in self.live.runs:
            return nullcontext()
        return self.services.ended.heard(execution_id, sleep.cancel)

    async def waiting(self, execution_id: str) -> WaitingCall:
        return await self._calls.waiting(execution_id)

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Execution:
        if self._draining:
            raise StoreUnavailable("The daemon is stopping; call again in a moment.")
        return await self._calls.resume(waiting, items)

    async def cancel(self, execution_id: str) -> None:
        ended_here = await self._cancelling.cancel(execution_id)
        self._fill()
        if ended_here:  # else its owner ends the children, behind it: one that failed for them would not be cancelled
            await self._cancel_children(execution_id)

    async def recover(self) -> int:
        self.services.hosts.count("flows", lambda: Slots(self._scheduler.busy, self.services.settings.concurrency))
        found = await self._recovery.survey()
        self._renewing.start()
        if found:
            self._backlog.mark()
            self._backlog.wake()
        self._backlog.start()
        self._waiting.start()
        if self.services.lease.shared:
            self._context.spawn("ends elsewhere", self.services.ended.listen())
        await self.services.lease.begin()
        return found

    async def drain(self, timeout: float) -> int:
        self._draining = True
        end = self.services.clock.monotonic() + timeout
        await self._backlog.close()
        await self._waiting.close()
        left_over = await self._stopping.stop(end)
        await self._unsaved.close()
        await self._renewing.close()
        self.services.timers.close()
        self.services.begun.close()
        return left_over

    def state(self) -> dict[str, int]:
        return {
            "running": self._scheduler.busy,
            "queued": len(self._scheduler),
            "waiting": len(self._waiting),
            "unsaved": len(self._unsaved),
        }

    # -- beginning

    def begin(
        self, request: ExecutionRequest, execution_id: str, within: bool = False, now: int | None = None
    ) -> Handle:
        """Start under an id. within: in the slot of the execution that asks; now: Unix ms. Raises
        `StoreUnavailable`."""
        run = self._make(execution_id, request, now or self.services.clock.now_ms(), within=within)
        run.handle.stream = request.stream
        if request.durability != "finish":
            self._begin_accepted(run)
            return run.handle
        run.handle.waiters += 1  # for the end, so that the acceptance need not be stored first
        if run.within:
            self.live.add(run)
            run.move(RunEvent.START)
        elif not self._backlog.pending and self._scheduler.admit(run):
            self.live.runs[run.id] = run
        else:
            run.disk.spill()
            run.move(RunEvent.SPILL)
        return run.handle

    def _make(self, execution_id: str, request: ExecutionRequest, created_at: int, *, within: bool = False) -> LiveRun:
        if (tracer := self.services.tracer) is not None and request.trace is None:
            # Sub-workflows and error workflows begin in the task of the execution above.
            above = request.caller if request.depth == 0 else (request.caller or present_trace())
            request = replace(request, trace=tracer.begin(above))
        return LiveRun(
            self.services, self.hooks, self.live.handles.of(execution_id), request, created_at, within=within
        )

    def _begin_accepted(self, run: LiveRun) -> None:
        free = run.within or self._scheduler.free()
        if not free and not self._fits(run.disk.measure()):
            run.disk.spill()
            run.move(RunEvent.SPILL)
            return
        run.disk.accept("running" if free else "queued")
        self.live.add(run)
        run.move(RunEvent.ANNOUNCE)

    def _fits(self, size: int) -> bool:
        """Whether it may wait in memory. Behind a backlog nothing does, so that the older ones are not overtaken."""
        return not self._backlog.pending and self._scheduler.fits(size)

    def _fill(self, _: LiveRun | None = None) -> None:
        """Give free slots to those that wait for them, in memory and behind it in the store."""
        self.live.changed.set()
        if self._scheduler.queue:
            self._scheduler.next(waited_only=self._draining)
        if self._backlog.pending and not self._draining and self._scheduler.half_empty():
            self._backlog.wake()

    async def _cancel_children(self, execution_id: str) -> None:
        await self._children.cancel_all(execution_id)


def _is_fenced(execution: Execution) -> bool:
    finished = execution.finished
    return finished.done() and not finished.cancelled() and isinstance(finished.exception(), Fenced)
