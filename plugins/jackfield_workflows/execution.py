"""One execution in memory: drives its run loop and runs its nodes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, Protocol

from jackfield.api.clock import Clock
from jackfield.api.engine import ExecutionRequest, Failure, Outcome
from jackfield.api.errors import StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo, NodeAnswer, NodeError, NodeResult, Suspend
from jackfield.api.storage import CallUpdate, ExecutionStatus, FinishedExecution, NewExecution
from jackfield.api.workflows import Items, Outputs
from jackfield_workflows.handles import Handle, settle
from jackfield_workflows.noderun import EngineNodeRun
from jackfield_workflows.persistence import Persistence, Refused
from jackfield_workflows.plans import NodePlan, Plan
from jackfield_workflows.records import Record, decode, encode, failure_json, input_json, outputs_of
from jackfield_workflows.runloop import RunLoop, TooManyRuns
from jackfield_workflows.services import Services
from jackfield_workflows.stepping import watched
from jackfield_workflows.tasks import Task

Ending = Literal["cancelled", "timeout", "left", "refused"]
SLICE_S = 0.01
"""So long the nodes of one execution may keep the event loop before the others get it."""
SLOW_S = 0.05
"""A node that takes longer makes the execution visible in the store as running."""


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

    async def run_workflow(self, run: Run, task: Task, workflow_id: str, items: Items) -> Items:
        """See `NodeRun.run_workflow`."""


class Run:
    """One execution that is queued, running or waiting in this process."""

    def __init__(
        self,
        services: Services,
        owner: Owner,
        handle: Handle,
        request: ExecutionRequest,
        created_at: int,
        *,
        plan: Plan | None = None,
    ) -> None:
        self.services = services
        self.owner = owner
        self.handle = handle
        self.request = request
        self.clock: Clock = services.clock
        self.log: logging.Logger = services.context.log
        self.plan = plan or services.plans.of(request.workflow)
        self.environment = services.environment
        self.timezone = request.workflow.settings.timezone or services.settings.timezone
        self.created_at = created_at
        self.started_at: int | None = None
        self.disk = Persistence(handle.id, services.store, self.clock, self.log, self._new, self._added)
        self.records: list[Record] = decode(request.replay)
        """Node runs of the past, still to be replayed."""
        self.task: asyncio.Task[None] | None = None
        self.ending: Ending | None = None
        self.refusal: BaseException | None = None
        self.resume_at: int | None = None
        """When a waiting execution goes on; Unix ms."""
        self.interrupted: int | None = None
        """How many node runs an earlier process had stored when it ended; a later one may have been in flight."""
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
        self.variables: Mapping[str, str] = {}
        """`$vars`, once they were read."""
        self._knows_variables = False
        self.loop: RunLoop
        self._begun = False
        self._finishing = False
        self._slice = 0.0
        self._spent = 0.0
        self._children = (0, 0)
        """Index of the node run that asked for sub-workflows last, and how many it asked for."""
        self._memory: dict[str, dict[str, Json]] = {}
        if request.call is not None and request.durability == "accept":
            self.call = (request.call.id, request.call.webhook_id)

    @property
    def id(self) -> str:
        return self.handle.id

    # -- what nodes and expressions read

    async def read_variables(self) -> None:
        """Fill `variables`, once. Raises `StoreUnavailable`."""
        if not self._knows_variables:
            self.variables = await self.services.variables.read()
            self._knows_variables = True

    @cached_property
    def execution_facts(self) -> Mapping[str, Json]:
        test = self.request.mode in ("test", "manual")
        return {"id": self.id, "mode": "test" if test else "production", "resumeUrl": self._resume_url()}

    @cached_property
    def workflow_facts(self) -> Mapping[str, Json]:
        workflow = self.request.workflow
        return {"id": workflow.id, "name": workflow.name, "active": workflow.active}

    @property
    def info(self) -> ExecutionInfo:
        return ExecutionInfo(self.id, self.request.mode, self.request.workflow, self._resume_url(), self.variables)

    def memory(self, name: str) -> dict[str, Json]:
        return self._memory.setdefault(name, {})

    def next_child(self, task: Task) -> int:
        """Counts the sub-workflows of one node run."""
        index, count = self._children
        number = count if index == task.index else 0
        self._children = (task.index, number + 1)
        return number

    def answer(self, answer: NodeAnswer) -> None:
        settle(self.handle.answer, answer)

    def _resume_url(self) -> str:
        return f"{self.services.context.service.public_url}/webhook-waiting/{self.id}"

    # -- the store

    def accept(self, status: Literal["queued", "running"]) -> asyncio.Future[None]:
        """Queue the acceptance. Raises `StoreUnavailable`."""
        return self.disk.accept(status)

    def show_running(self) -> None:
        """Queue what the store lacks to know that the execution runs. Raises `StoreUnavailable`."""
        self.disk.show_running(self._since())

    def _since(self) -> int:
        return self.started_at or self.created_at

    def _new(self, status: ExecutionStatus) -> NewExecution:
        request, workflow = self.request, self.request.workflow
        unsaved = workflow.id is None or workflow.version < 1
        data = input_json(request)
        self.size = len(data)
        return NewExecution(
            id=self.id,
            workflow_id=workflow.id,
            workflow_version=workflow.version,
            mode=request.mode,
            status=status,
            created_at=self.created_at,
            input=data,
            started_at=None if status == "queued" else self._since(),
            document=workflow.document if unsaved else None,
            retry_of=request.retry_of,
            call=request.call,
            delivery=request.delivery,
        )

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

    def _slow(self) -> None:
        """A node takes its time."""
        try:
            self.show_running()
        except StoreUnavailable as exc:
            self.refusal = exc
            self.end("refused")

    # -- running

    async def go(self) -> None:
        """Run until the end or a wait; then `resume_at` is set."""
        try:
            await self._go()
        finally:
            self.owner.over(self)

    async def _go(self) -> None:
        outcome: Outcome | None = None
        try:
            outcome = await self._limited()
        except Refused as exc:
            self.refusal, self.ending = exc.cause, "refused"
        except asyncio.CancelledError:
            outcome = self._ended()
        except Exception:
            self.log.exception("execution %s failed in the engine", self.id)
            outcome = self._failure("The engine failed unexpectedly; see the daemon's log.", None, None)
        if outcome is not None and self.ending not in ("refused", "left"):
            await self._finish(outcome)

    def end(self, ending: Ending) -> None:
        """Stop as soon as possible. An execution that is being finished can only be left."""
        if self.ending is not None or (self._finishing and ending != "left"):
            return
        self.ending = ending
        if self.task is not None and self._begun:
            self.task.cancel()

    def _ended(self) -> Outcome | None:
        if self.ending == "timeout":
            return self._failure(f"The execution ran longer than its limit of {self._limit():g} seconds.", None, None)
        if self.ending != "cancelled":
            self.ending = self.ending or "left"
            return None
        return Outcome("cancelled", self._last_items(), None, self.loop.last if self._has_loop() else None)

    def _limit(self) -> float:
        settings = self.services.settings
        wanted = self.request.workflow.settings.timeout_s
        limit = settings.timeout if wanted is None or wanted <= 0 else wanted
        if wanted is not None and settings.max_timeout and limit > settings.max_timeout:
            limit = settings.max_timeout
        return limit

    async def _limited(self) -> Outcome | None:
        self._begun = True
        limit = self._limit()
        if limit <= 0:
            return await self._work()
        begun = self.clock.monotonic()
        timer = self.services.timers.after(limit - self._spent, lambda: self.end("timeout"))
        try:
            return await self._work()
        finally:
            timer.cancel()
            self._spent += self.clock.monotonic() - begun

    def _has_loop(self) -> bool:
        return hasattr(self, "loop")

    async def _work(self) -> Outcome | None:
        self.resume_at = None
        self._slice = self.clock.monotonic() + SLICE_S
        if not self._has_loop():
            self._begin()
        loop = self.loop
        while True:
            if self.ending is not None:
                raise asyncio.CancelledError
            try:
                task = loop.next()
            except TooManyRuns:
                return self._too_many()
            if task is None:
                return Outcome("success", self._last_items(), None, loop.last)
            if self.records and self._replayed(task):
                continue
            self.disk.before_node()
            outcome = await self._node(task)
            if outcome is not None or self.resume_at is not None:
                return outcome
            if self.clock.monotonic() > self._slice:
                await self.breathe()

    async def breathe(self) -> None:
        """Let others have the event loop, when this execution had it long enough."""
        if self.clock.monotonic() > self._slice:
            await asyncio.sleep(0)
            self._slice = self.clock.monotonic() + SLICE_S

    def _begin(self) -> None:
        request = self.request
        now = self.clock.now_ms()
        if self.started_at is None:
            self.started_at = now
        self.loop = RunLoop(
            self.plan.graph,
            request.start,
            request.items,
            output=request.start_output,
            pin=request.use_pin_data,
            max_runs=self.services.settings.max_node_runs,
        )
        self._publish("started")
        if self.records and self.records[0]["index"] == 0:
            self.records = self.records[1:]
            if self.interrupted is not None:
                return
        self.disk.keep(
            encode(
                {
                    "node": request.start,
                    "index": 0,
                    "startedAt": now,
                    "duration": 0,
                    "status": "success",
                    "inputOutput": request.start_output,
                }
            )
        )

    def _replayed(self, task: Task) -> bool:
        """Take over the result of an earlier run of the node."""
        record = self.records[0]
        outputs = outputs_of(record, self.request.items)
        if record["node"] != task.step.node.name or outputs is None:
            self.records = []
            return False
        self.records = self.records[1:]
        self.loop.restore(task, outputs)
        if "context" in record:
            self._memory[record["node"]] = record["context"]
        if self.interrupted is None:
            self.disk.keep(encode({**record, "index": task.index}))
        return True

    # -- one node

    async def _node(self, task: Task) -> Outcome | None:
        """Run one node and keep what came of it. An outcome ends the execution."""
        started = self.clock.now_ms()
        until: int | None = None
        try:
            if task.preset is not None:
                raw: Outputs = task.preset
            else:
                result = await self._result(task)
                if isinstance(result, Suspend):
                    until, raw = result.until, result.outputs
                else:
                    raw = result
            outputs = self.loop.complete(task, raw)
        except NodeError as exc:
            return self._node_failed(task, started, exc)
        try:
            self._keep(task, started, outputs)
        except NodeError as exc:
            self._keep(task, started, None, exc)
            return self._failure(exc.message, task.step.node.name, None)
        if until is not None and until > self.clock.now_ms():
            await self._wait(until)
        return None

    def _node_failed(self, task: Task, started: int, error: NodeError) -> Outcome | None:
        outputs = self.loop.fail(task, error.message)
        try:
            self._keep(task, started, outputs, error)
        except NodeError as exc:
            error, outputs = exc, None
        return self._failure(error.message, task.step.node.name, error.item) if outputs is None else None

    def _keep(self, task: Task, started: int, outputs: Outputs | None, error: NodeError | None = None) -> None:
        """Raises `NodeError` when the outputs are not JSON."""
        name = task.step.node.name
        record: Record = {
            "node": name,
            "index": task.index,
            "startedAt": started,
            "duration": max(self.clock.now_ms() - started, 0),
            "status": "success" if error is None else "failed",
        }
        if outputs is not None:
            record["outputs"] = outputs
        if error is not None:
            record["error"] = {"message": error.message}
            if error.item is not None:
                record["error"]["itemIndex"] = error.item
        memory = self._memory.get(name)
        if memory:
            record["context"] = memory
        self.disk.keep(encode(record), effect=task.effect)

    async def _result(self, task: Task) -> NodeResult:
        """Run the node type, again after failures as often as the node says. Raises `NodeError`."""
        plan = self.plan.node(task.step.node.name)
        node = plan.node
        if plan.effect:
            await self.disk.secure(self._since())
            task.effect = True
        for left in range(node.tries - 1, -1, -1):
            try:
                result = await self._once(plan, task)
            except NodeError:
                if not left:
                    raise
            except Exception as exc:
                self.log.exception("node %r of execution %s failed", node.name, self.id)
                if not left:
                    kind = type(exc).__name__
                    raise NodeError(f"The node failed unexpectedly ({kind}); see the daemon's log.") from None
            else:
                return result
            await self.clock.sleep(node.wait_between_tries_ms / 1000)
        raise AssertionError("a node is tried at least once")

    async def _once(self, plan: NodePlan, task: Task) -> NodeResult:
        running = plan.type.execute(EngineNodeRun(self, plan, task))
        if self.disk.status == "running":
            return await running
        return await watched(running, SLOW_S, self._slow)

    async def _wait(self, until: int) -> None:
        """Suspend: the wait is durable before the execution is left alone."""
        await self.disk.wait(until, self._since())
        self.resume_at = until
        self._publish("waiting", resumeAt=until)

    # -- the end

    def _failure(self, message: str, node: str | None, item: int | None) -> Outcome:
        last = self.loop.last if self._has_loop() else None
        return Outcome("failed", self._last_items(), Failure(message, node, item), node or last)

    def _too_many(self) -> Outcome:
        limit = self.services.settings.max_node_runs
        return self._failure(
            f"The execution reached the limit of {limit} node runs; does the workflow have a cycle without an end? "
            f"The setting executions.max_node_runs raises the limit.",
            self.loop.last,
            None,
        )

    def _last_items(self) -> Items:
        if not self._has_loop():
            return []
        runs = self.loop.results.get(self.loop.last)
        return next((items for items in runs[-1].outputs if items), []) if runs else []

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
            started_at=self._since(),
            steps=self.disk.take(),
            error=None if outcome.failure is None else failure_json(outcome.failure),
            call=self._call_update(outcome),
        )
        self.owner.stored(self, self.disk.finish(finished), finished, accepted=accepted)
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
