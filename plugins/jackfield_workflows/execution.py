"""One execution in memory: drives its run loop, runs its nodes, and keeps the store up to date.

What the store must know, and when: the acceptance before anything that has an effect outside the execution and before a
wait; the result of a node with an effect before the next such node runs; the end. A run of nodes without effects that
ends quickly therefore needs one write, or two when its acceptance was asked for first.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, Protocol

from jackfield.api.clock import Clock
from jackfield.api.engine import ExecutionRequest, Failure, Outcome
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo, NodeAnswer, NodeError, NodeResult, Suspend
from jackfield.api.storage import CallUpdate, ExecutionStatus, FinishedExecution, NewExecution
from jackfield.api.workflows import Items, Outputs
from jackfield_workflows.handles import Handle, settle, settle_error
from jackfield_workflows.noderun import EngineNodeRun
from jackfield_workflows.plans import NodePlan, Plan
from jackfield_workflows.records import Record, chunk, encode, outputs_of, to_json
from jackfield_workflows.runloop import RunLoop, TooManyRuns
from jackfield_workflows.services import Services
from jackfield_workflows.stepping import watched
from jackfield_workflows.tasks import Task

Ending = Literal["cancelled", "timeout", "left", "refused"]
SLICE_S = 0.01
"""So long the nodes of one execution may keep the event loop before the others get it."""
SLOW_S = 0.05
"""A node that takes longer makes the execution visible in the store as running."""
BACKOFF_S = (0.1, 0.2, 0.5, 1, 2, 5)


class Refused(Exception):
    """The store did not take the execution, so that it must not go on."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


class Owner(Protocol):
    """The engine, as its executions see it."""

    def stored(self, run: Run, future: asyncio.Future[None], finished: FinishedExecution, *, accepted: bool) -> None:
        """The end is queued to be stored. accepted: the acceptance was stored before."""

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
        self.status: ExecutionStatus | None = None
        """What the store has or is about to have; None: it does not know the execution."""
        self.records: list[Record] = []
        """Node runs of the past, still to be replayed."""
        self.task: asyncio.Task[None] | None = None
        self.ending: Ending | None = None
        self.refusal: BaseException | None = None
        self.resume_at: int | None = None
        """When a waiting execution goes on; Unix ms."""
        self.interrupted: int | None = None
        """Index of the node run that was in flight when an earlier process ended."""
        self.call: tuple[str, str] | None = None
        """Id and webhook of the call whose end is the end of this execution."""
        self.has_slot = False
        self.lent = False
        """Whether its slot went to others while one of its children waits."""
        self.size = 0
        """Bytes of the input, once it is encoded."""
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
        self._pending: list[bytes] = []
        self._effect_pending = False
        self._added: asyncio.Future[None] | None = None
        self._checkpoint: asyncio.Future[None] | None = None
        self._checkpoint_steps = b""
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
        future = self.services.store.add_execution(self._new(status))
        self.status = status
        self._added = future
        future.add_done_callback(self._was_added)
        return future

    def _new(self, status: ExecutionStatus) -> NewExecution:
        request, workflow = self.request, self.request.workflow
        unsaved = workflow.id is None or workflow.version < 1
        return NewExecution(
            id=self.id,
            workflow_id=workflow.id,
            workflow_version=workflow.version,
            mode=request.mode,
            status=status,
            created_at=self.created_at,
            input=self._input(),
            started_at=None if status == "queued" else self.started_at or self.created_at,
            document=workflow.document if unsaved else None,
            retry_of=request.retry_of,
            call=request.call,
            delivery=request.delivery,
        )

    def _input(self) -> bytes:
        request = self.request
        data = to_json(
            {
                "start": request.start,
                "items": request.items,
                "output": request.start_output,
                "pin": request.use_pin_data,
                "responseNode": request.response_node,
                "depth": request.depth,
            }
        )
        self.size = len(data)
        return data

    def _was_added(self, future: asyncio.Future[None]) -> None:
        error = StoreUnavailable() if future.cancelled() else future.exception()
        if error is None:
            settle(self.handle.accepted, None)
        else:
            self.refusal = error
            self.end("refused")

    def make_durable(self) -> None:
        """Queue what the store lacks to resume this execution as running. Raises `StoreUnavailable`."""
        if self.status is None:
            self.accept("running")
        elif self.status in ("queued", "waiting"):
            self.services.store.set_running(self.id, self.started_at or self.created_at).add_done_callback(_ignore)
            self.status = "running"

    def _slow(self) -> None:
        try:
            self.make_durable()
        except StoreUnavailable as exc:
            if self.status is None:
                self.refusal = exc
                self.end("refused")

    async def _secure(self) -> None:
        """Return once everything so far is durable. Raises `Refused` when the execution is not accepted."""
        try:
            self.make_durable()
            if self._added is not None and not self._added.done():
                await asyncio.shield(self._added)
        except JackfieldError as exc:
            raise Refused(exc) from None
        if self.refusal is not None:
            raise Refused(self.refusal)
        await self._settle_checkpoint()

    def _save(self) -> None:
        """Queue a checkpoint. There is at most one under way, because an effect waits for the one before."""
        self._checkpoint_steps = self._take_pending() or b"[]"
        self._effect_pending = False
        self._queue_checkpoint()

    def _queue_checkpoint(self) -> None:
        try:
            self._checkpoint = self.services.store.append_steps(self.id, self._checkpoint_steps)
        except StoreUnavailable as exc:
            self._checkpoint = asyncio.get_running_loop().create_future()
            settle_error(self._checkpoint, exc)

    async def _settle_checkpoint(self) -> None:
        """Wait for the checkpoint under way; while the store does not answer, try again."""
        attempt = 0
        while (future := self._checkpoint) is not None:
            try:
                await asyncio.shield(future)
                self._checkpoint = None
            except StoreUnavailable:
                await self._back_off(attempt)
                attempt += 1
                self._queue_checkpoint()

    async def _back_off(self, attempt: int) -> None:
        if attempt == 0:
            self.log.warning("the store does not answer; execution %s waits for it", self.id)
        await self.clock.sleep(BACKOFF_S[min(attempt, len(BACKOFF_S) - 1)])

    def _take_pending(self) -> bytes | None:
        if not self._pending:
            return None
        steps = chunk(self._pending)
        self._pending = []
        return steps

    # -- running

    async def go(self) -> None:
        """Run until the end or a wait; then `resume_at` is set. What the engine has to know it reads afterwards."""
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
            if self._effect_pending:
                self._save()
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
        events = self.services.context.events
        if events.wanted("workflows"):
            events.publish("workflows", "execution.started", self.event())
        if self.records and self.records[0]["index"] == 0:
            self.records = self.records[1:]
            if self.interrupted is not None:
                return
        self._pending.append(
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
            self._pending.append(encode({**record, "index": task.index}))
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
        self._pending.append(encode(record))

    async def _result(self, task: Task) -> NodeResult:
        """Run the node type, again after failures as often as the node says. Raises `NodeError`."""
        plan = self.plan.node(task.step.node.name)
        node = plan.node
        if plan.effect:
            await self._secure()
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
                self._effect_pending = self._effect_pending or plan.effect
                return result
            await self.clock.sleep(node.wait_between_tries_ms / 1000)
        raise AssertionError("a node is tried at least once")

    async def _once(self, plan: NodePlan, task: Task) -> NodeResult:
        running = plan.type.execute(EngineNodeRun(self, plan, task))
        if self.status == "running":
            return await running
        return await watched(running, SLOW_S, self._slow)

    async def _wait(self, until: int) -> None:
        """Suspend: the wait is durable before the execution is left alone."""
        if self.status is None:
            await self._secure()
        await self._settle_checkpoint()
        steps = self._take_pending() or b"[]"
        attempt = 0
        while True:
            try:
                await asyncio.shield(self.services.store.set_waiting(self.id, until, steps))
                break
            except StoreUnavailable:
                await self._back_off(attempt)
                attempt += 1
        self._effect_pending = False
        self.status = "waiting"
        self.resume_at = until

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
            if self._checkpoint is not None:
                await self._settle_checkpoint()
        except asyncio.CancelledError:
            self.ending = "left"
            return
        self.finish(outcome)

    def finish(self, outcome: Outcome) -> None:
        """Queue the end, then tell whoever waits."""
        finished = FinishedExecution(
            id=self.id,
            status=outcome.status,
            finished_at=self.clock.now_ms(),
            started_at=self.started_at or self.created_at,
            steps=self._take_pending(),
            error=None if outcome.failure is None else failure_json(outcome.failure),
            call=self._call_update(outcome),
        )
        accepted = self.status is not None
        store = self.services.store
        try:
            if accepted:
                future = store.finish_execution(finished)
            else:
                future = store.add_execution(self._new(outcome.status), finished)
        except StoreUnavailable as exc:
            future = asyncio.get_running_loop().create_future()
            settle_error(future, exc)
        self.status = outcome.status
        self.owner.stored(self, future, finished, accepted=accepted)
        settle(self.handle.answer, None)
        settle(self.handle.finished, outcome)

    def _call_update(self, outcome: Outcome) -> CallUpdate | None:
        if self.call is None:
            return None
        call_id, webhook_id = self.call
        return CallUpdate(call_id, webhook_id, status="success" if outcome.status == "success" else "failed")

    def leave(self) -> None:
        """Queue what another process needs to go on from here."""
        try:
            if self.status is None:
                self.accept("running")
            steps = self._take_pending()
            if steps is not None:
                self.services.store.append_steps(self.id, steps).add_done_callback(_ignore)
        except StoreUnavailable:
            self.log.warning("execution %s resumes from its last checkpoint", self.id)

    def event(self) -> dict[str, object]:
        """What events say of the execution."""
        workflow = self.request.workflow
        return {"id": self.id, "workflowId": workflow.id, "workflowName": workflow.name, "mode": self.request.mode}


def failure_json(failure: Failure) -> bytes:
    """`{message, node?, itemIndex?}`"""
    error: dict[str, Json] = {"message": failure.message}
    if failure.node is not None:
        error["node"] = failure.node
    if failure.item is not None:
        error["itemIndex"] = failure.item
    return to_json(error)


def _ignore(future: asyncio.Future[None]) -> None:
    """The store's end of a write that later writes make up for."""
    if not future.cancelled():
        future.exception()
