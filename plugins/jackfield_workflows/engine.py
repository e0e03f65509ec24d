"""The embedded engine: executions run in the daemon's event loop, one task each, a bounded number side by side.

At least once: after a crash an execution goes on behind its last checkpoint, so that the node that was in flight runs
again. Checkpoints stand after every node that has an effect; what ran since is computed again.
"""

from __future__ import annotations

import asyncio
from functools import cached_property, partial

from jackfield.api.context import PluginContext
from jackfield.api.engine import Execution, ExecutionRequest, Outcome, WaitingCall
from jackfield.api.errors import Conflict, ExecutionTimeout, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import CallUpdate, FinishedExecution, StoredExecution
from jackfield.api.workflows import Document, Items
from jackfield_workflows.backlog import Backlog
from jackfield_workflows.calls import Calls
from jackfield_workflows.cancelling import Cancelling
from jackfield_workflows.error_workflow import start_error_workflow
from jackfield_workflows.execution import Run
from jackfield_workflows.handles import Handle, settle, settle_error
from jackfield_workflows.residents import Residents
from jackfield_workflows.resuming import OPEN, outcome_of
from jackfield_workflows.services import Services, build_services
from jackfield_workflows.stopping import RESUMES, Stopping
from jackfield_workflows.subworkflows import Children
from jackfield_workflows.tasks import Task
from jackfield_workflows.turns import Turns
from jackfield_workflows.unsaved import Unsaved
from jackfield_workflows.uptake import Uptake
from jackfield_workflows.waiting import Waiting


def build(context: PluginContext) -> EmbeddedEngine:
    """The engine of the hook `jackfield_engine`."""
    return EmbeddedEngine(context)


class EmbeddedEngine:
    """`Engine` in the daemon's process."""

    name = "embedded"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._draining = False
        self._residents = Residents()

    @cached_property
    def services(self) -> Services:
        """Built when the ports are there."""
        return build_services(self._context)

    @property
    def _active(self) -> dict[str, Run]:
        return self._residents.runs

    @cached_property
    def _turns(self) -> Turns:
        return Turns(self.services.settings, self._run)

    @cached_property
    def _backlog(self) -> Backlog:
        return Backlog(self.services, self)

    @cached_property
    def _waiting(self) -> Waiting:
        return Waiting(self.services, self)

    @cached_property
    def _calls(self) -> Calls:
        return Calls(self.services, self)

    @cached_property
    def _unsaved(self) -> Unsaved:
        return Unsaved(self.services, self._residents.drop)

    @cached_property
    def _children(self) -> Children:
        return Children(self.services, self)

    @cached_property
    def _uptake(self) -> Uptake:
        return Uptake(self.services, self._residents, self, self._children)

    @cached_property
    def _cancelling(self) -> Cancelling:
        return Cancelling(self.services, self._residents, self._turns, self._waiting)

    @cached_property
    def _stopping(self) -> Stopping:
        return Stopping(self.services, self._residents, self._turns, self._waiting, self._unsaved)

    # -- the port

    def submit(self, request: ExecutionRequest) -> Execution:
        if self._draining:
            raise Conflict("The daemon is stopping and takes no new executions; try again after its restart.")
        return self.begin(request, request.id or new_id())

    def complete_call(self, execution: Execution, update: CallUpdate) -> asyncio.Future[None]:
        run = self._active.get(execution.id)
        if run is not None and run.disk.status is None:
            run.accept("queued" if run.task is None else "running")
        return self.services.store.update_call(update)

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        handle = self._residents.handle(execution_id)
        handle.waiters += 1
        try:
            if execution_id not in self._active:
                outcome = await self._uptake.outcome(execution_id)
                if outcome is not None:
                    return outcome
            done, _ = await asyncio.wait([handle.finished], timeout=timeout)
        finally:
            handle.waiters -= 1
        if not done:
            raise ExecutionTimeout
        return handle.finished.result()

    async def waiting(self, execution_id: str) -> WaitingCall:
        return await self._calls.waiting(execution_id)

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Execution:
        if self._draining:
            raise StoreUnavailable("The daemon is stopping; call again in a moment.")
        return await self._calls.resume(waiting, items)

    async def cancel(self, execution_id: str) -> None:
        await self._cancelling.cancel(execution_id)
        self._next()
        await self._children.cancel_all(execution_id)

    async def recover(self) -> int:
        found = await self._uptake.survey()
        if found:
            self._backlog.mark()
            self._backlog.wake()
        self._waiting.start()
        return found

    async def drain(self, timeout: float) -> int:
        self._draining = True
        end = self.services.clock.monotonic() + timeout
        await self._backlog.close()
        await self._waiting.close()
        left_over = await self._stopping.stop(end)
        await self._unsaved.close()
        self.services.timers.close()
        return left_over

    def state(self) -> dict[str, int]:
        return {
            "running": self._turns.busy,
            "queued": len(self._turns),
            "waiting": len(self._waiting),
            "unsaved": len(self._unsaved),
        }

    # -- beginning

    def begin(self, request: ExecutionRequest, execution_id: str, *, within: bool = False) -> Handle:
        """Start under an id. within: in the slot of the execution that asks. Raises `StoreUnavailable`."""
        handle = self._residents.handle(execution_id)
        run = Run(self.services, self, handle, request, self.services.clock.now_ms())
        run.within = within
        if request.durability == "finish":
            handle.waiters += 1
            self._begin_waited(run)
        else:
            self._begin_accepted(run)
        return handle

    def _begin_waited(self, run: Run) -> None:
        """Somebody waits for the end, so that the acceptance need not be stored first."""
        if run.within:
            self._active[run.id] = run
            self._run(run)
        elif self._fits(0):
            self._active[run.id] = run
            self._turns.enter(run)
        else:
            self._spill(run.accept("queued"))

    def _begin_accepted(self, run: Run) -> None:
        free = run.within or self._turns.free()
        future = run.accept("running" if free else "queued")
        if not free and not self._fits(run.size):
            self._spill(future)
            return
        run.accepting = True
        self._active[run.id] = run
        self._turns.announce(run)

    def _spill(self, accepted: asyncio.Future[None]) -> None:
        """An execution leaves the memory for the store. It can be claimed once it is there."""
        self._backlog.mark()
        accepted.add_done_callback(lambda done: self._spilled())

    def _spilled(self) -> None:
        self._backlog.mark()
        self._next()

    def accepted(self, run: Run) -> None:
        self._turns.announced(run)
        if run.refusal is not None:
            self._refused(run)
        elif run.ending is not None or run.handle.finished.done():
            self._next()
        elif run.within:
            self._run(run)
        else:
            self._turns.enter(run)

    def _fits(self, size: int) -> bool:
        """Whether it may wait in memory. Behind a backlog nothing does, so that the older ones are not overtaken."""
        return not self._backlog.pending and self._turns.fits(size)

    # -- turns

    def _run(self, run: Run) -> None:
        run.task = asyncio.get_running_loop().create_task(run.go())

    def over(self, run: Run) -> None:
        run.task = None
        self._turns.leave(run)
        if run.ending == "refused":
            self._refused(run)
        elif run.ending == "left":
            self._left(run)
        elif run.waits and not run.handle.finished.done():
            self._children.parked(run)
            if run.parked or run.for_call:
                self._residents.drop(run)
            else:
                self._waiting.hold(run)
        self._next()

    def _next(self) -> None:
        self._residents.changed.set()
        self._turns.next(waited_only=self._draining)
        if self._backlog.pending and not self._draining and self._turns.half_empty():
            self._backlog.wake()

    # -- what executions report

    def stored(self, run: Run, future: asyncio.Future[None], finished: FinishedExecution, *, accepted: bool) -> None:
        future.add_done_callback(partial(self._end_stored, run, finished, accepted))

    def _end_stored(self, run: Run, finished: FinishedExecution, accepted: bool, future: asyncio.Future[None]) -> None:
        error = StoreUnavailable() if future.cancelled() else future.exception()
        if error is None:
            settle(run.handle.accepted, None)
            settle(run.handle.stored, None)
            self._residents.drop(run)
        elif accepted and run.refusal is None:
            self._unsaved.keep(run, finished)
        else:
            settle_error(run.handle.accepted, error)
            settle_error(run.handle.stored, error)
            self._residents.drop(run)

    def _refused(self, run: Run) -> None:
        run.handle.refuse(run.refusal or StoreUnavailable())
        self._residents.drop(run)
        self._next()

    def _left(self, run: Run) -> None:
        """Stopped without an end: the store has what the next process needs."""
        run.disk.leave()
        run.handle.refuse(StoreUnavailable(RESUMES))
        self._residents.drop(run)

    async def failed(self, run: Run, outcome: Outcome) -> None:
        await start_error_workflow(self.services, self, run, outcome)

    async def run_workflow(self, run: Run, task: Task, workflow: str | Document, items: Items) -> Items:
        return await self._children.run(run, task, workflow, items)

    async def start_workflow(self, run: Run, task: Task, workflow: str | Document, items: Items) -> None:
        await self._children.start(run, task, workflow, items)

    # -- taking up what is stored

    def room(self) -> bool:
        return self._turns.fits(0) and not self._draining

    def knows(self, execution_id: str) -> bool:
        return execution_id in self._active or self._calls.resuming(execution_id)

    async def take(self, stored: StoredExecution) -> None:
        """Put a stored execution in its turn. Raises `StoreUnavailable`."""
        run = await self.load(stored)
        if run is not None:
            self._turns.enter(run)

    async def load(self, stored: StoredExecution) -> Run | None:
        """See `Uptake.load`."""
        return await self._uptake.load(stored)

    def soon(self, run: Run) -> bool:
        """Whether its wait is short enough for the memory."""
        return self._waiting.soon(run)

    async def suspended(self, execution_id: str) -> None:
        """Return once no wait of the execution is about to be stored."""
        run = self._active.get(execution_id)
        if run is not None and run.task is not None and run.suspending:
            await asyncio.wait([run.task])

    def let_go(self, execution_id: str) -> bool:
        """Forget an execution that waits; False when it does not wait, as it runs already."""
        run = self._active.get(execution_id)
        if run is None:
            return True
        if not self._waiting.drop(run):
            return False
        self._residents.drop(run)
        return True

    async def called(self, stored: StoredExecution) -> Handle:
        """Go on with an execution whose call is stored."""
        handle = self._residents.handle(stored.row.id)
        handle.renew()
        if stored.row.status in OPEN:
            await self.take(stored)
        else:
            handle.close(outcome_of(stored))
        return handle

    def called_later(self, execution_id: str) -> Handle:
        """The same for one that could not be read."""
        handle = self._residents.handle(execution_id)
        handle.renew()
        self._backlog.mark()
        self._backlog.wake()
        return handle

    def go_on(self, run: Run) -> None:
        """A wait is over."""
        if run.id in self._active:
            self._turns.enter(run, first=True)

    def forget(self, run: Run) -> None:
        """A waiting execution leaves the memory; the store has it."""
        self._residents.drop(run)

    # -- slots of parents

    async def adopt(self, execution_id: str) -> Handle | Outcome | None:
        """An execution that an earlier process had started for a parent: its end, or what to wait for; it runs at once,
        because the parent has a slot for it. Raises `StoreUnavailable`."""
        handle = self._residents.handle(execution_id)
        run = self._active.get(execution_id)
        if run is None:
            stored = await self.services.store.execution(execution_id)
            if stored is None:
                return None
            if stored.row.status not in OPEN:
                return outcome_of(stored)
            run = await self.load(stored)
            if run is not None and not run.waits:
                self._run(run)
                return handle
            if run is not None:
                self._waiting.hold(run)
        self._go_on(run or self._active.get(execution_id))
        return handle

    def _go_on(self, child: Run | None) -> None:
        """One that waits for its turn runs at once. One that waits for a time leaves the slot to others, as soon as its
        parent waits for it."""
        if child is None:
            return
        if self._turns.withdraw(child):
            self._run(child)
        elif child.task is None and child.waits:
            asyncio.get_running_loop().call_soon(self._children.parked, child)

    def lend(self, run: Run) -> None:
        self._turns.lend(run)
        self._next()

    def give_back(self, run: Run) -> None:
        self._turns.take_back(run)
