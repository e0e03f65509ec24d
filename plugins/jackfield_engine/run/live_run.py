"""One execution in memory: its life from the acceptance to the end, as `run.state` says it. Its nodes are the matter of
`run.progress`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from itertools import chain
from typing import Literal

from jackfield.api.clock import Clock
from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.errors import Fenced, JackfieldError, StoreUnavailable
from jackfield.api.history import NodeRecord
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Suspend
from jackfield.api.projects import Reach, RunReach, present_reach, task_context
from jackfield.api.records import record
from jackfield.api.storage import CallUpdate, FinishedExecution, StoredExecution
from jackfield.api.time_spreads import MOST_NOTED
from jackfield.api.workflows import Document, Items, Workflow
from jackfield_engine.loop.obstacles import Obstacle
from jackfield_engine.loop.tasks import Task
from jackfield_engine.node.execution_data import ExecutionState
from jackfield_engine.node.node_actions import NodeActions
from jackfield_engine.run.handles import Handle, settle
from jackfield_engine.run.marks import awaited_call, untaken_mark
from jackfield_engine.run.node_events import TOPIC
from jackfield_engine.run.persistence import ExecutionRefused, RunPersistence
from jackfield_engine.run.progress import RunProgress
from jackfield_engine.run.spans import RunSpans
from jackfield_engine.run.state import ENDING, RunEvent, RunState, TransitionTable, UnknownEvent
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.item_files import keep_files, replayed_items
from jackfield_engine.shared.services import Services
from jackfield_engine.shared.store_clock import StoreClock

SLICE_S = 0.01
"""So long the nodes of one execution may keep the event loop before the others get it."""
BROKEN = "The engine failed unexpectedly; see the daemon's log."


@record
class RunWait:
    """`until`: Unix ms; None: for a call. `for_call`: it goes on only from what is stored, as the call is stored there.
    `parked`: it waits in the middle of a node, so that it goes on only from what is stored, too."""

    until: int | None
    for_call: bool = False
    parked: bool = False


@record
class RunHooks:
    """The engine's services for its executions. `table`: what their events do. `strict`: whether an event that is not
    in it raises `UnknownEvent`. `failed`: hears of a failure before that is stored. The others: see `NodeRun`."""

    table: TransitionTable[LiveRun]
    strict: bool
    failed: Callable[[LiveRun, Outcome], Awaitable[None]]
    run_workflow: Callable[[LiveRun, Task, str | Document, Items], Awaitable[Items]]
    start_workflow: Callable[[LiveRun, Task, str | Document, Items], Awaitable[None]]


class LiveRun:
    """One execution that is queued, running or waiting in this process."""

    def __init__(
        self,
        services: Services,
        hooks: RunHooks,
        handle: Handle,
        request: ExecutionRequest,
        created_at: int,
        *,
        within: bool = False,
    ) -> None:
        """created_at: Unix ms. within: it runs in the slot of the execution that asked for it."""
        self.state = RunState.READY
        self.id = handle.id
        self.services = services
        self.handle = handle
        self.within = within
        self.clock: Clock = services.clock
        self.log: logging.Logger = services.context.log
        self._events = services.context.events
        self._limit = time_limit(request.workflow, services.settings)
        self.disk = RunPersistence(handle.id, request, created_at, services, self._added)
        self.request = self.disk.request
        self.data = ExecutionState(handle.id, self.request, services.plans.of(request.workflow), services)
        self.progress = RunProgress(self.data, self.request, self.disk, services)
        if services.tracer is not None and self.request.trace is not None:
            self.progress.spans = RunSpans(services.tracer, self.request.trace)
        self.task: asyncio.Task[None] | None = None
        self.refusal: BaseException | None = None
        """Why the store, or the engine, does not go on with it."""
        self.wait: RunWait | None = None
        """The wait that it is in, or was in last."""
        self.end: FinishedExecution | None = None
        """Its end, as the store gets it."""
        self.call: tuple[str, str] | None = None
        """Id and webhook of the call whose end is the end of this execution."""
        self._hooks = hooks
        self._starter = present_reach() if request.workflow.id is None else None
        """The caller who has started it, where it is not saved."""
        self._outcome = Outcome("cancelled")
        self._park_until = 0
        self._slice = 0.0
        self._spent = 0.0
        self._children = (0, 0)
        """Index of the node run that asked for sub-workflows last, and how many it asked for."""
        if request.call is not None and request.durability == "accept":
            self.call = (request.call.id, request.call.webhook_id)

    def restore(
        self, stored: StoredExecution, records: list[NodeRecord], left: list[NodeRecord] | None, *, earlier: bool
    ) -> None:
        """Go on from what the store has. left: see `untaken_runs`. earlier: an earlier process may have run it."""
        row = stored.row
        self.disk.restore(stored, earlier=earlier)
        self.progress.restore(records, left)
        if row.status == "waiting":
            self.wait = RunWait(row.resume_at, for_call=awaited_call(stored.steps) is not None)
        if stored.call is not None and stored.call_status == "pending":
            self.call = stored.call
        settle(self.handle.accepted, None)

    # -- its state

    def move(self, event: RunEvent) -> None:
        """Tell what happened. The table says what comes of it; `UnknownEvent` in tests when it does not."""
        found = self._hooks.table.get((self.state, event))
        if found is None:
            unknown = UnknownEvent(self.id, self.state, event)
            if self._hooks.strict:
                raise unknown
            self.log.error("refused: %s", unknown)
            return
        self.state, effects = found
        for effect in effects:
            effect(self)

    def park(self, until: int) -> None:
        """Leave the memory until a time (Unix ms), although a node runs: it runs again then."""
        self._park_until = until
        self.move(RunEvent.PARK)

    def launch(self) -> None:
        """Make its task."""
        projects, loop = self.services.projects, asyncio.get_running_loop()
        if projects is None or (not projects.in_use and present_reach() is None):
            self.task = loop.create_task(self._go())
        else:  # whoever launches it may be another execution, or somebody who waits for it
            self.task = loop.create_task(self._go(), context=task_context(self._reach()))

    def _reach(self) -> Reach:
        """A saved workflow has its own; one that is not saved may use what whoever starts it may."""
        return self._starter or RunReach(self.request.workflow.id, self.id)

    def stop_task(self) -> None:
        if self.task is not None:
            self.task.cancel()

    # -- what its nodes ask for

    def next_child(self, task: Task) -> int:
        """Counts the sub-workflows of one node run."""
        index, count = self._children
        number = count if index == task.index else 0
        self._children = (task.index, number + 1)
        return number

    def _actions(self) -> NodeActions:
        """Made for one task, as it refers to the execution: both are freed at once."""
        return NodeActions(
            breathe=self.breathe,
            before_effect=self._before_effect,
            run_workflow=partial(self._hooks.run_workflow, self),
            start_workflow=partial(self._hooks.start_workflow, self),
            answer=self.handle.answered,
            stream=self.handle.stream,
        )

    async def _before_effect(self, task: Task) -> None:
        if await self.disk.secure():
            self._slice = self.clock.monotonic() + SLICE_S  # others have had the event loop meanwhile
        task.effect = True

    async def breathe(self) -> None:
        """Let others have the event loop, when this execution had it long enough."""
        if self.clock.monotonic() > self._slice:
            await asyncio.sleep(0)
            self.progress.interrupt()
            self._slice = self.clock.monotonic() + SLICE_S

    def slow(self) -> None:
        """A node takes its time."""
        try:
            self.disk.show_running()
        except StoreUnavailable as exc:
            self.give_up(exc)

    def give_up(self, error: BaseException) -> None:
        """The engine does not go on with it here."""
        self.refusal = error
        self.move(RunEvent.REFUSED)

    # -- the store

    def accept(self, status: Literal["queued", "running"]) -> asyncio.Future[None]:
        """Queue the acceptance. Raises `StoreUnavailable`."""
        return self.disk.accept(status)

    def _added(self, error: BaseException | None) -> None:
        if error is None:
            settle(self.handle.accepted, None)
            self.move(RunEvent.ACCEPTED)
        else:
            if isinstance(error, Fenced):  # it is nobody's: who wants it asks again, as when the store does not answer
                error = StoreUnavailable(error.message)
            self.handle.refuse(error)
            self.give_up(error)

    def confirm(self) -> None:
        """The store has all of it: whoever waits for that hears so."""
        self.handle.close()
        if self.end is None:
            return
        figures, end = self.services.figures, self.end
        took = end.finished_at - end.started_at
        figures.executions.append((self.request.workflow.id, self.request.mode, end.status, took))
        if len(figures.executions) >= MOST_NOTED:
            figures.settle()
        if self.progress.spans is not None:
            self.progress.spans.ended(self.id, self.request, end)
        if self.services.lease.shared:  # else there is nobody elsewhere to wait for it
            self.services.ended.over(self.id)

    # -- running

    async def _go(self) -> None:
        """Run until the end or a wait."""
        try:
            outcome = await self._ran()
            if outcome is not None:
                await self._finish(outcome)
        except ExecutionRefused as exc:
            self._fail(exc.cause)
        except Exception:
            self.log.exception("execution %s cannot be ended", self.id)
            self._fail(JackfieldError(BROKEN))
        except BaseException:
            self.move(RunEvent.INTERRUPT)
            raise
        finally:
            self.task = None
            self.move(RunEvent.OVER)

    def _fail(self, error: BaseException) -> None:
        self.refusal = error
        self.move(RunEvent.FAIL)

    async def _ran(self) -> Outcome | None:
        """How it ended; None when it did not, for one of the reasons that the state tells."""
        try:
            outcome = await self._limited()
        except ExecutionRefused:
            raise
        except asyncio.CancelledError:
            return await self._stopped()
        except Exception:
            self.log.exception("execution %s failed in the engine", self.id)
            outcome = self.progress.failure(BROKEN, None, None)
        return None if self.state in (RunState.LEAVING, RunState.REFUSING) else outcome

    async def _stopped(self) -> Outcome | None:
        if self.state is RunState.PARKING:
            try:
                await self._suspend(RunWait(self._park_until, parked=True))
            except asyncio.CancelledError:
                return self._ended()
            return None
        return self._ended()

    def _ended(self) -> Outcome | None:
        if self.state is RunState.EXPIRING:
            return self.progress.failure(too_long(self._limit), None, None)
        if self.state is RunState.CANCELLING:
            return Outcome("cancelled", self.progress.last_items(), None, self.progress.last)
        self.move(RunEvent.INTERRUPT)
        return None

    async def _limited(self) -> Outcome | None:
        self.move(RunEvent.BEGIN)
        if not self._limit:
            return await self._work()
        begun = self.clock.monotonic()
        timer = self.services.timers.after(self._limit - self._spent, partial(self.move, RunEvent.EXPIRE))
        try:
            return await self._work()
        finally:
            timer.cancel()
            self._spent += self.clock.monotonic() - begun

    async def _work(self) -> Outcome | None:
        self._slice = self.clock.monotonic() + SLICE_S
        if self.progress.spans is not None:
            self.progress.spans.enter()
        if self.request.start not in self.data.plan.graph.steps:
            return self.progress.failure(f"The workflow has no node '{self.request.start}' to start at.", None, None)
        progress, actions, life = self.progress, self._actions(), self.disk.life
        monotonic, boottime = self.clock.monotonic, self.clock.boottime
        if self.data.loop is None:
            obstacle = self._obstacle() or await self._excluded()
            if obstacle is not None:
                return progress.failure(obstacle.message, obstacle.node, None)
            if self.wait is not None and self.wait.for_call:
                await self.disk.end_wait()
            await self._begin()
        while True:
            if self.state is not RunState.RUNNING:
                raise asyncio.CancelledError
            now = monotonic()
            if boottime() >= life.until:
                raise ExecutionRefused(Fenced())
            if now > self._slice:
                await self.breathe()
            outcome = await progress.step(actions, self.slow)
            if outcome is None:
                continue
            if isinstance(outcome, Outcome):
                return outcome
            await self._wait(outcome)
            return None

    def may_leave(self) -> bool:
        """Whether another daemon may begin it as well: it has not begun and is stored, and nobody waits for it here. It
        also has not run before in a daemon that crashed, which would be forgotten."""
        disk, handle = self.disk, self.handle
        stored = disk.status == "queued" and handle.accepted.done() and not disk.taken_over
        return stored and not handle.waiters and handle.stream is None

    def leave(self) -> None:
        """Queue what another process needs to go on from here."""
        left = self.progress.unstored()
        if left is not None:
            self.disk.keep_encoded(untaken_mark(left), 0, effect=False)
        self.disk.leave()

    def _obstacle(self) -> Obstacle | None:
        """Nothing for one that goes on where an earlier process stopped: it began under the rules of that time."""
        if self.progress.interrupted:
            return None
        return self.data.plan.obstacles[self.request.start, self.request.until, self.request.use_pin_data]

    async def _excluded(self) -> Obstacle | None:
        """The same of a node that a rule excludes, also where the execution would not reach it."""
        rules = self.services.node_rules
        if rules is None or not rules.in_use or self.progress.interrupted:
            return None
        found = await rules.excluded(self.request.workflow)
        return None if found is None else Obstacle(found.node, f"The execution did not start. {found.message}")

    async def _begin(self) -> None:
        progress = self.progress
        if progress.interrupted is None:
            given = [item for item in self.request.items if "binary" in item]
            if given or progress.earlier:
                replayed = replayed_items(progress.earlier or ())
                await keep_files(self.services.context, self.id, chain(given, replayed))
        if TOPIC in self._events.heard:
            self._publish("started")
        now = self.clock.now_ms()
        if self.disk.started_at is None:
            self.disk.started_at = now
        progress.begin(now)

    async def _wait(self, suspend: Suspend) -> None:
        """A node waits, unless the execution ends meanwhile: the order may have come while the node would not stop."""
        if self.state in ENDING or self.state is RunState.REFUSING:
            raise asyncio.CancelledError
        until = None if suspend.until is None else self.services.store_clock.of(suspend.until)
        again = suspend.state is not None
        await self._suspend(RunWait(until, for_call=suspend.call is not None, parked=again), suspend.call)

    async def _suspend(self, wait: RunWait, call: Mapping[str, Json] | None = None) -> None:
        """The wait is durable before the execution is left alone."""
        self.move(RunEvent.SUSPEND)
        left = self.progress.unstored()
        if left is not None:
            self.disk.keep_encoded(await asyncio.to_thread(untaken_mark, left), 0, effect=False)
        near = is_near(self.services.store_clock, self.services.settings, wait.until)
        keep = near and not (wait.for_call or wait.parked)
        await self.disk.wait(wait.until, call, keep=keep)
        self.wait = wait
        self.move(RunEvent.WAIT_STORED)
        self.progress.flush()
        if TOPIC in self._events.heard:
            self._publish("waiting", resumeAt=wait.until)

    # -- the end

    async def _finish(self, outcome: Outcome) -> None:
        self.move(RunEvent.FINISH)
        try:
            if outcome.status == "failed":
                await self._hooks.failed(self, outcome)
            if self.disk.checkpointing is not None:
                await self.disk.settle()
        except asyncio.CancelledError:
            self.move(RunEvent.INTERRUPT)
            return
        if self.state is RunState.FINISHING:
            self._outcome = outcome
            self.move(RunEvent.END)

    def store_end(self) -> None:
        """Queue the end, then tell whoever waits. One that never ran was cancelled."""
        outcome = self._outcome
        accepted = self.disk.status is not None
        call = self._call_update(outcome)
        self.end, stored = self.disk.finish(outcome, call, self.clock.now_ms())
        stored.add_done_callback(partial(self._end_answered, accepted))
        if self.progress.news is not None:
            self.progress.flush()
        if TOPIC in self._events.heard:
            self._publish("finished", status=outcome.status)
        self.handle.end(outcome)

    def _end_answered(self, accepted: bool, future: asyncio.Future[None]) -> None:
        error = StoreUnavailable() if future.cancelled() else future.exception()
        if error is None:
            self.move(RunEvent.END_STORED)
        elif isinstance(error, Fenced):
            self.services.lease.suspect(self.disk.life)
            self.lose_end(error)
        elif accepted and self.refusal is None:
            self.move(RunEvent.END_KEPT)
        else:
            self.lose_end(error)

    def lose_end(self, error: BaseException) -> None:
        """The end is not stored, and not tried again."""
        self.refusal = error
        self.move(RunEvent.END_LOST)

    def _call_update(self, outcome: Outcome) -> CallUpdate | None:
        if self.call is None:
            return None
        call_id, webhook_id = self.call
        return CallUpdate(call_id, webhook_id, status="success" if outcome.status == "success" else "failed")

    def _publish(self, what: str, **more: object) -> None:
        workflow = self.request.workflow
        data = {"id": self.id, "workflowId": workflow.id, "workflowName": workflow.name, "mode": self.request.mode}
        self._events.publish(TOPIC, f"execution.{what}", {**data, **more})


def time_limit(workflow: Workflow, settings: ExecutionsSettings) -> float:
    """Seconds; 0: none. `max_timeout` bounds the value that the workflow sets itself."""
    wanted = workflow.settings.timeout_s
    if wanted is None or wanted <= 0:
        return settings.timeout
    return min(wanted, settings.max_timeout) if settings.max_timeout else wanted


def is_near(clock: StoreClock, settings: ExecutionsSettings, until: int | None) -> bool:
    """Whether whoever looks for waits that are due could be late for this one (Unix ms by the store's clock; None: a
    call ends it)."""
    if until is None:
        return False
    return (until - clock.now_ms()) / 1000 <= max(settings.wait_in_memory, settings.poll_interval)


def too_long(limit: float) -> str:
    return f"The execution ran longer than its limit of {limit:g} seconds."
