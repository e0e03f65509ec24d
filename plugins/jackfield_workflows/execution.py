"""One execution in memory: its life from the acceptance to the end. Its nodes are the matter of `course`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from itertools import chain
from typing import Literal, Protocol

from jackfield.api.clock import Clock
from jackfield.api.engine import ExecutionRequest, Outcome
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeAnswer, Suspend
from jackfield.api.storage import CallUpdate, ExecutionStatus, FinishedExecution, NewExecution, StoredExecution
from jackfield.api.workflows import Document, Items
from jackfield_workflows.course import Course
from jackfield_workflows.facts import Facts
from jackfield_workflows.handles import Handle, settle
from jackfield_workflows.item_files import keep_files, replayed_items
from jackfield_workflows.limits import time_limit, too_long, too_many
from jackfield_workflows.persistence import Persistence, Refused
from jackfield_workflows.records import Record, awaited_call, failure_json, input_json, new_execution
from jackfield_workflows.runloop import TooManyRuns
from jackfield_workflows.services import Services
from jackfield_workflows.tasks import Task

Ending = Literal["cancelled", "timeout", "left", "refused", "parked"]
SLICE_S = 0.01
"""So long the nodes of one execution may keep the event loop before the others get it."""


class Owner(Protocol):
    """The engine, as its executions see it."""

    def stored(self, run: Run, future: asyncio.Future[None], finished: FinishedExecution, *, accepted: bool) -> None:
        """The end is queued to be stored. accepted: the acceptance was stored before."""

    def accepted(self, run: Run) -> None:
        """The acceptance is stored, or `refusal` says why not."""

    def over(self, run: Run) -> None:
        """The task ends: with the execution, at a wait, or because `ending` says so."""

    async def failed(self, run: Run, outcome: Outcome) -> None:
        """The execution failed; its end is stored after this."""

    async def run_workflow(self, run: Run, task: Task, workflow: str | Document, items: Items) -> Items:
        """See `NodeRun.run_workflow`."""

    async def start_workflow(self, run: Run, task: Task, workflow: str | Document, items: Items) -> None:
        """See `NodeRun.start_workflow`."""


class Run:
    """One execution that is queued, running or waiting in this process."""

    def __init__(
        self,
        services: Services,
        owner: Owner,
        handle: Handle,
        request: ExecutionRequest,
        created_at: int,
    ) -> None:
        self.services = services
        self.owner = owner
        self.handle = handle
        self.request = request
        self.clock: Clock = services.clock
        self.log: logging.Logger = services.context.log
        self.facts = Facts(handle.id, request, services.plans.of(request.workflow), services)
        self.created_at = created_at
        self.started_at: int | None = None
        self.disk = Persistence(handle.id, services.store, self.clock, self.log, self._new, self._added)
        self.course = Course(self.facts, request, self.disk, services)
        self.task: asyncio.Task[None] | None = None
        self.ending: Ending | None = None
        self.refusal: BaseException | None = None
        self.resume_at: int | None = None
        """When a waiting execution goes on; Unix ms. None: when a call comes."""
        self.waits = False
        self.for_call = False
        """Whether it waits for a call, so that it goes on only from what is stored."""
        self.suspending = False
        """Whether its wait is being stored."""
        self.resumed = False
        """Whether an earlier process left it open; noted in the store before it goes on."""
        self.call: tuple[str, str] | None = None
        """Id and webhook of the call whose end is the end of this execution."""
        self.accepting = False
        """Whether it starts once the store has it."""
        self.within = False
        """Whether it runs in the slot of the execution that asked for it."""
        self.has_slot = False
        self.lent = False
        """Whether its slot went to others while one of its children waits."""
        self.size = 0
        """Bytes of the input, once it is encoded."""
        self.counted = 0
        """Bytes that count for the queue in which it stands."""
        self.parked = False
        """Whether it waits in the middle of a node, so that it goes on only from what is stored."""
        self._park_until = 0
        self._begun = False
        self._finishing = False
        self._slice = 0.0
        self._spent = 0.0
        self._limit = time_limit(request.workflow, services.settings)
        self._children = (0, 0)
        """Index of the node run that asked for sub-workflows last, and how many it asked for."""
        if request.call is not None and request.durability == "accept":
            self.call = (request.call.id, request.call.webhook_id)

    @property
    def id(self) -> str:
        return self.handle.id

    def restore(self, stored: StoredExecution, records: list[Record], *, earlier: bool) -> None:
        """Go on from what the store has. earlier: an earlier process may have run it."""
        row = stored.row
        self.size = len(stored.input)
        self.started_at = row.started_at
        self.disk.status = row.status
        self.course.restore(records)
        self.resumed = earlier
        self.waits = row.status == "waiting"
        self.for_call = self.waits and awaited_call(stored.steps) is not None
        self.resume_at = row.resume_at if self.waits else None
        if stored.call is not None and stored.call_status == "pending":
            self.call = stored.call
        settle(self.handle.accepted, None)

    # -- what its nodes ask for

    def next_child(self, task: Task) -> int:
        """Counts the sub-workflows of one node run."""
        index, count = self._children
        number = count if index == task.index else 0
        self._children = (task.index, number + 1)
        return number

    def answer(self, answer: NodeAnswer) -> None:
        settle(self.handle.answer, answer)

    async def before_effect(self, task: Task) -> None:
        await self.disk.secure(self.since())
        task.effect = True

    async def run_workflow(self, task: Task, workflow: str | Document, items: Items) -> Items:
        return await self.owner.run_workflow(self, task, workflow, items)

    async def start_workflow(self, task: Task, workflow: str | Document, items: Items) -> None:
        await self.owner.start_workflow(self, task, workflow, items)

    # -- the store

    def accept(self, status: Literal["queued", "running"]) -> asyncio.Future[None]:
        """Queue the acceptance. Raises `StoreUnavailable`."""
        return self.disk.accept(status)

    def show_running(self) -> None:
        """Queue what the store lacks to know that the execution runs. Raises `StoreUnavailable`."""
        self.disk.show_running(self.since())

    def since(self) -> int:
        return self.started_at or self.created_at

    def _new(self, status: ExecutionStatus) -> NewExecution:
        data = input_json(self.request)
        self.size = len(data)
        return new_execution(self.request, self.id, data, status, self.created_at, self.since())

    def _added(self, error: BaseException | None) -> None:
        if error is None:
            settle(self.handle.accepted, None)
        else:
            self.refusal = error
            self.handle.refuse(error)
            self.end("refused")
        if self.accepting:
            self.accepting = False
            self.owner.accepted(self)

    def slow(self) -> None:
        """A node takes its time."""
        try:
            self.show_running()
        except StoreUnavailable as exc:
            self.refusal = exc
            self.end("refused")

    # -- running

    async def go(self) -> None:
        """Run until the end or a wait; then `waits` is set."""
        try:
            await self._go()
        except Exception:
            self.log.exception("execution %s cannot be ended", self.id)
            self.refusal = JackfieldError("The engine failed unexpectedly; see the daemon's log.")
            self.ending = "refused"
        finally:
            self.owner.over(self)

    async def _go(self) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await self._limited()
        except Refused as exc:
            self.refusal, self.ending = exc.cause, "refused"
        except asyncio.CancelledError:
            outcome = await self._parked() if self.ending == "parked" else self._ended()
        except Exception:
            self.log.exception("execution %s failed in the engine", self.id)
            outcome = self.course.failure("The engine failed unexpectedly; see the daemon's log.", None, None)
        if outcome is not None and self.ending not in ("refused", "left"):
            await self._finish(outcome)

    def end(self, ending: Ending) -> None:
        """Stop as soon as possible. An execution that is being finished can only be left; that it is about to be parked
        keeps none from its end."""
        if self.ending not in (None, "parked") or (self._finishing and ending != "left"):
            return
        self.ending = ending
        if self.task is not None and self._begun:
            self.task.cancel()

    def park(self, until: int) -> None:
        """Leave the memory until a time (Unix ms), although a node runs: it runs again then."""
        self._park_until = until
        self.end("parked")

    async def _parked(self) -> Outcome | None:
        self.ending = None
        try:
            await self._wait(self._park_until)
            self.parked = True
        except asyncio.CancelledError:
            return self._ended()
        return None

    def _ended(self) -> Outcome | None:
        if self.ending == "timeout":
            return self.course.failure(too_long(self._limit), None, None)
        if self.ending != "cancelled":
            self.ending = self.ending or "left"
            return None
        return Outcome("cancelled", self.course.last_items(), None, self.course.last)

    async def _limited(self) -> Outcome | None:
        self._begun = True
        if not self._limit:
            return await self._work()
        begun = self.clock.monotonic()
        timer = self.services.timers.after(self._limit - self._spent, lambda: self.end("timeout"))
        try:
            return await self._work()
        finally:
            timer.cancel()
            self._spent += self.clock.monotonic() - begun

    async def _work(self) -> Outcome | None:
        self.resume_at, self.waits = None, False
        if self.resumed:
            await self.disk.mark_resumed()
            self.resumed = False
        self._slice = self.clock.monotonic() + SLICE_S
        if self.request.start not in self.facts.plan.graph.steps:
            return self.course.failure(f"The workflow has no node '{self.request.start}' to start at.", None, None)
        await self._begin_once()
        course = self.course
        while True:
            if self.ending is not None:
                raise asyncio.CancelledError
            if self.clock.monotonic() > self._slice:
                await self.breathe()
            try:
                task = course.next()
            except TooManyRuns:
                return course.failure(too_many(self.services.settings.max_node_runs), course.last, None)
            if task is None:
                return Outcome("success", course.last_items(), None, course.last)
            if course.replayed(task):
                continue
            self.disk.before_node()
            outcome = await course.node(self, task)
            if isinstance(outcome, Suspend):
                await self._wait(outcome.until, outcome.call)
                return None
            if outcome is not None:
                return outcome

    async def _begin_once(self) -> None:
        course = self.course
        if course.begun:
            return
        if course.interrupted is None:
            given = chain(self.request.items, replayed_items(course.records))
            await keep_files(self.services.context, self.id, given)
        now = self.clock.now_ms()
        if self.started_at is None:
            self.started_at = now
        self._publish("started")
        course.begin(now)

    async def breathe(self) -> None:
        """Let others have the event loop, when this execution had it long enough."""
        if self.clock.monotonic() > self._slice:
            await asyncio.sleep(0)
            self._slice = self.clock.monotonic() + SLICE_S

    async def _wait(self, until: int | None, call: Mapping[str, Json] | None = None) -> None:
        """Suspend: the wait is durable before the execution is left alone."""
        self.suspending = True
        try:
            await self.disk.wait(until, self.since(), call)
        finally:
            self.suspending = False
        self.resume_at, self.waits, self.for_call = until, True, call is not None
        self.course.news.flush()
        self._publish("waiting", resumeAt=until)

    # -- the end

    async def _finish(self, outcome: Outcome) -> None:
        self._finishing = True
        try:
            if outcome.status == "failed":
                await self.owner.failed(self, outcome)
            await self.disk.settle()
        except asyncio.CancelledError:
            self.ending = "left"
            return
        self.finish(outcome)

    def finish(self, outcome: Outcome) -> None:
        """Queue the end, then tell whoever waits."""
        accepted = self.disk.status is not None
        finished = FinishedExecution(
            id=self.id,
            status=outcome.status,
            finished_at=self.clock.now_ms(),
            started_at=self.since(),
            steps=self.disk.take(),
            error=None if outcome.failure is None else failure_json(outcome.failure),
            call=self._call_update(outcome),
        )
        self.owner.stored(self, self.disk.finish(finished), finished, accepted=accepted)
        self.course.news.flush()
        self._publish("finished", status=outcome.status)
        settle(self.handle.answer, None)
        settle(self.handle.finished, outcome)

    def _call_update(self, outcome: Outcome) -> CallUpdate | None:
        if self.call is None:
            return None
        call_id, webhook_id = self.call
        return CallUpdate(call_id, webhook_id, status="success" if outcome.status == "success" else "failed")

    def _publish(self, what: str, **more: object) -> None:
        events = self.services.context.events
        if events.wanted("workflows"):
            workflow = self.request.workflow
            data = {"id": self.id, "workflowId": workflow.id, "workflowName": workflow.name, "mode": self.request.mode}
            events.publish("workflows", f"execution.{what}", {**data, **more})
