"""How far one execution has come: which node runs came before, which comes next, and what each left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, TypeVar

from jackfield.api.binary import BinaryError
from jackfield.api.containment import passes
from jackfield.api.engine import ExecutionRequest, Failure, Outcome
from jackfield.api.history import NodeRecord, node_records, outputs_of
from jackfield.api.nodes import NodeError, NodeResult, NodeUnavailable, Resumed, Suspend
from jackfield.api.nodes.items import LONG, NodeInputs, failed_first, finished_outputs, has_files, is_long
from jackfield.api.time_spreads import MOST_NOTED
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.loop.graph import towards
from jackfield_engine.loop.plans import NodePlan
from jackfield_engine.loop.runloop import NeverReady, RunLoop, TooManyRuns
from jackfield_engine.loop.tasks import Task
from jackfield_engine.node.execution_data import ExecutionState
from jackfield_engine.node.node_actions import NodeActions
from jackfield_engine.node.node_run import EngineNodeRun
from jackfield_engine.run.earlier_runs import EarlierRuns, ResumedByNode, RunsByNode, RunsInOrder
from jackfield_engine.run.node_events import TOPIC, NodeEvents
from jackfield_engine.run.persistence import ExecutionRefused, RunPersistence
from jackfield_engine.run.spans import RunSpans
from jackfield_engine.run.spilling import encoded_long
from jackfield_engine.shared.item_files import without_large_data
from jackfield_engine.shared.letting_go import let_go
from jackfield_engine.shared.services import Services

T = TypeVar("T")
SLOW_S = 0.05
"""A node that takes longer makes the execution visible in the store as running."""


class RunProgress:
    """Node runs in their order. It holds nothing of the execution that follows it, so that both are freed at once."""

    def __init__(
        self, data: ExecutionState, request: ExecutionRequest, disk: RunPersistence, services: Services
    ) -> None:
        self.earlier: EarlierRuns | None = _earlier_runs(request)
        """Node runs of the past, still to be taken over; None where there never were any."""
        self.interrupted: int | None = None
        """How many node runs an earlier process had stored when it ended; a later one may have been in flight."""
        self._data = data
        self._request = request
        self._disk = disk
        self._services = services
        self._clock = services.clock
        self._loop: RunLoop
        self._bus = services.context.events
        self._given_long = len(request.items) > LONG
        self.long: list[Items] = []
        """Long outputs, to be let go of with the execution."""
        self.news: NodeEvents | None = None
        """Made when somebody listens."""
        self.spans: RunSpans | None = None
        """None: nothing is traced."""
        self._now: int | None = None
        """When the last node run ended, Unix ms: the next one begins in the same moment, unless others ran between."""

    def interrupt(self) -> None:
        """Others had the event loop."""
        self._now = None

    def flush(self) -> None:
        """Tell those who listen what is left to tell."""
        if self.news is not None:
            self.news.flush()

    def _told(self) -> NodeEvents:
        """To report while somebody listens."""
        if self.news is None:
            self.news = NodeEvents(
                self._data.execution_id, self._request, self._bus, self._services.timers, self._disk.hidden
            )
        return self.news

    @property
    def last(self) -> str | None:
        """The node that ran last; None before the first."""
        return self._loop.last if self._data.loop is not None else None

    def restore(self, records: list[NodeRecord], left: list[NodeRecord] | None) -> None:
        """The chunks that an earlier process had stored come first. `left`: see `marks.untaken_runs`."""
        stopped = RunsInOrder(records)
        self.earlier = stopped if left is None else ResumedByNode(stopped, RunsByNode(left))
        self.interrupted = len(records)

    def unstored(self) -> list[NodeRecord] | None:
        """See `EarlierRuns.unstored`."""
        return None if self.earlier is None else self.earlier.unstored()

    def begin(self, now: int) -> None:
        """now: Unix ms."""
        request = self._request
        graph = self._data.plan.graph
        self._now = now
        self._loop = self._data.loop = RunLoop(
            towards(graph, request.until) if request.until else graph,
            request.start,
            request.items,
            output=request.start_output,
            pin=request.use_pin_data,
            max_runs=self._services.settings.max_node_runs,
        )
        if self.earlier is not None and self.earlier.begun() and self.interrupted is not None:
            return
        if TOPIC in self._bus.heard:
            self._told().began(now)
        self._disk.keep(
            {
                "node": request.start,
                "index": 0,
                "startedAt": now,
                "duration": 0,
                "status": "success",
                "inputOutput": request.start_output,
            }
        )

    async def step(self, actions: NodeActions, slow: Callable[[], None]) -> Outcome | Suspend | None:
        """Run the next node, or take over what it gave before. An outcome ends the execution, a wait suspends it.
        slow: told when a node takes its time. Raises `ExecutionRefused` when the store does not take the execution."""
        try:
            # Only what is given, or what a node gave, can be long.
            if (self.long or self._given_long) and self._loop.next_is_long():
                task = await asyncio.to_thread(self._loop.next)
            else:
                task = self._loop.next()
        except TooManyRuns:
            return self.failure(too_many(self._services.settings.max_node_runs), self._loop.last, None)
        except NeverReady as exc:
            return self.failure(never_ready(exc.node), exc.node, None)
        if task is None and self._loop.error is not None:
            return self.failure(self._loop.error, self._loop.last, None)
        if task is None:
            return Outcome("success", self._loop.last_items(), None, self._loop.last)
        if self.earlier is not None and self.earlier and await self._taken_over(self.earlier, task):
            return None
        if self._disk.effect_pending:
            self._disk.checkpoint()
        if self._disk.taken_over:
            await self._disk.mark_resumed()
        return await self._node(actions, task, slow)

    async def _taken_over(self, earlier: EarlierRuns, task: Task) -> bool:
        """Take over the result of an earlier run of the node; False when there is none."""
        record = earlier.take(task.step.node.name, self._request.items)
        if record is not None and "suspended" in record:
            self._go_on(task, record)
            return False
        outputs = None if record is None else outputs_of(record, self._request.items)
        if record is None or outputs is None:
            return False
        self._loop.complete(task, outputs, record["error"]["message"] if "error" in record else None)
        if "context" in record:
            self._data.remember(record["node"], record["context"])
        if self.interrupted is None or task.index >= self.interrupted:
            again: NodeRecord = {**record, "index": task.index, "reused": True}
            if is_long(outputs):
                made = await encoded_long(self._services, self._data.execution_id, again, self._disk.hidden)
                self._disk.keep_encoded(made.data, 0, effect=False)
                self.long += outputs
            else:
                self._disk.keep(again)
        return True

    def _go_on(self, task: Task, record: NodeRecord) -> None:
        """The node runs on where it waits; in another execution it begins anew."""
        if self.interrupted is None or task.index >= self.interrupted:
            return
        if "context" in record:
            self._data.remember(record["node"], record["context"])
        waited = record["suspended"]
        task.resumed = Resumed(waited["state"], waited.get("items"))
        task.waits = waited.get("waits", 1)

    async def _node(self, actions: NodeActions, task: Task, slow: Callable[[], None]) -> Outcome | Suspend | None:
        """Run one node and keep what came of it."""
        if TOPIC in self._bus.heard:
            self._told().runs(task)
        started = self._clock.now_ms() if self._now is None else self._now
        if self.spans is not None and task.preset is None:
            self.spans.node_begins(task)
        suspend: Suspend | None = None
        try:
            if task.preset is not None:
                outputs = task.preset
            else:
                result = await self._result(actions, task, slow)
                if isinstance(result, Suspend):
                    suspend, result = checked(result), result.outputs
                if self._request.memory is not None or is_long(result):
                    return await self._long(task, started, result, suspend)
                outputs = finished_outputs(task.given, result)
                if has_files(outputs):
                    outputs = await without_large_data(self._services.context, self._data.execution_id, outputs)
            self._loop.complete(task, outputs)
        except NodeError as exc:
            return await self._node_failed(task, started, exc)
        try:
            self._keep(task, started, outputs, suspend=suspend)
        except NodeError as exc:
            self._keep(task, started, None, exc)
            return self.failure(exc.message, task.step.node.name, None)
        return suspend if suspend is not None and self._suspends(suspend) else None

    def _suspends(self, suspend: Suspend) -> bool:
        return suspend.until is None or suspend.state is not None or suspend.until > self._clock.now_ms()

    async def _long(self, task: Task, started: int, raw: Outputs, suspend: Suspend | None) -> Outcome | Suspend | None:
        """The result of a node that gave long outputs, without holding the event loop. Raises `NodeError` for outputs
        that are none."""
        outputs, files = await asyncio.to_thread(_finished, task.given, raw)
        if files:
            outputs = await without_large_data(self._services.context, self._data.execution_id, outputs)
        self._loop.complete(task, outputs)
        try:
            await self._keep_long(task, started, outputs, suspend=suspend)
        except NodeError as exc:
            self._keep(task, started, None, exc)
            return self.failure(exc.message, task.step.node.name, None)
        finally:
            self.long += outputs
            let_go(task.given.inputs)
        return suspend if suspend is not None and self._suspends(suspend) else None

    async def _keep_long(
        self,
        task: Task,
        started: int,
        outputs: Outputs | None,
        error: NodeError | None = None,
        suspend: Suspend | None = None,
    ) -> None:
        """As `_keep`."""
        record = self._record(task, started, outputs, error, suspend)
        made = await encoded_long(self._services, self._data.execution_id, record, self._disk.hidden)
        self._disk.keep_encoded(made.data, 0 if outputs is None else made.size, effect=task.effect)
        self._kept(task, record)

    async def _result(self, actions: NodeActions, task: Task, slow: Callable[[], None]) -> NodeResult:
        """Run the node, as often as it says; an error item in the first place is a failure, too. Raises `NodeError`,
        `ExecutionRefused`."""
        plan = self._data.plan.nodes.get(task.step.node.name) or self._data.plan.node(task.step.node.name)
        node = plan.node
        if plan.effect:
            await actions.before_effect(task)
        for left in range(node.tries - 1, -1, -1):
            try:
                result = await self._once(actions, plan, task, slow)
                if not left or not failed_first(result):
                    return result
            except NodeError:
                if not left:
                    raise
            except BinaryError as exc:
                if not left:
                    raise NodeError(exc.message) from None
            except ExecutionRefused:
                raise
            except BaseException as exc:
                if passes(exc):
                    raise
                self._services.context.log.exception(
                    "node %r of execution %s failed", node.name, self._data.execution_id
                )
                if not left:
                    kind = type(exc).__name__
                    raise NodeUnavailable(f"The node failed unexpectedly ({kind}); see the daemon's log.") from None
            await self._clock.sleep(node.wait_between_tries_ms / 1000)
        raise AssertionError("a node is tried at least once")

    async def _once(self, actions: NodeActions, plan: NodePlan, task: Task, slow: Callable[[], None]) -> NodeResult:
        run = EngineNodeRun(self._data, actions, plan, task)
        running = plan.type.execute(run)
        try:
            if self._disk.status == "running" or not isinstance(running, Coroutine):
                return await running
            try:
                first = running.send(None)  # most nodes end without ever giving up the event loop
            except StopIteration as stop:
                result: NodeResult = stop.value
                return result
            return await watched(running, first, SLOW_S, slow)
        except asyncio.CancelledError:
            if run.borrowed is not None:
                run.borrowed.abandon()
                run.borrowed = None
            raise
        finally:
            if run.kept is not None:
                await run.close_kept(run.kept)
            if run.borrowed is not None:
                await run.borrowed.give_back()

    async def _node_failed(self, task: Task, started: int, error: NodeError) -> Outcome | None:
        if self.spans is not None:
            self.spans.node_failed(error)
        long = is_long(task.given.inputs)
        outputs = await asyncio.to_thread(self._loop.fail, task, error) if long else self._loop.fail(task, error)
        try:
            if long:
                await self._keep_long(task, started, outputs, error)
            else:
                self._keep(task, started, outputs, error)
        except NodeError as exc:
            error, outputs = exc, None
        if outputs is not None:
            return None
        return self.failure(error.message, task.step.node.name, error.item, task.given.run)

    def _keep(
        self,
        task: Task,
        started: int,
        outputs: Outputs | None,
        error: NodeError | None = None,
        suspend: Suspend | None = None,
    ) -> None:
        """Raises `NodeError` when the outputs are not JSON, or more than the execution may have."""
        record = self._record(task, started, outputs, error, suspend)
        self._disk.keep(record, effect=task.effect, counted=outputs is not None)
        self._kept(task, record)

    def _kept(self, task: Task, record: NodeRecord) -> None:
        """The outputs that a node has given are kept: they count."""
        if task.preset is None:
            figures = self._services.figures
            figures.nodes.append((task.step.node.kind, record["status"], record["duration"]))
            if len(figures.nodes) >= MOST_NOTED:
                figures.settle()
            if self.spans is not None:
                self.spans.node_ended(record)
        if self.news is not None or TOPIC in self._bus.heard:
            self._told().ran(task, record)

    def _record(
        self,
        task: Task,
        started: int,
        outputs: Outputs | None,
        error: NodeError | None,
        suspend: Suspend | None,
    ) -> NodeRecord:
        """The stored form of a node run. `outputs`: None when it stopped the workflow."""
        name = task.step.node.name
        self._now = self._clock.now_ms()
        record: NodeRecord = {
            "node": name,
            "index": task.index,
            "startedAt": started,
            "duration": max(self._now - started, 0),
            "status": "success" if error is None else "failed",
        }
        if outputs is not None:
            record["outputs"] = outputs
        if error is not None:
            record["error"] = {"message": error.message}
            if error.item is not None:
                record["error"]["itemIndex"] = error.item
        memory = self._data.memories.get(name)
        if memory:
            record["context"] = memory
        if suspend is not None and suspend.state is not None:
            record["suspended"] = {"state": {**suspend.state}, "waits": task.waits + 1}
        return record

    def failure(self, message: str, node: str | None, item: int | None, run: int = 0) -> Outcome:
        return Outcome("failed", self.last_items(), Failure(message, node, item, run), node or self.last)

    def last_items(self) -> Items:
        """Of the last node's first output that has any."""
        return [] if self._data.loop is None else self._loop.last_items()


def _earlier_runs(request: ExecutionRequest) -> EarlierRuns | None:
    if request.given:
        return RunsByNode(node_records(request.given))
    return RunsInOrder(node_records(request.replay)) if request.replay else None


def _finished(given: NodeInputs, raw: Outputs) -> tuple[Outputs, bool]:
    """The outcome of the outputs, and whether they have files. On a thread."""
    outputs = finished_outputs(given, raw)
    return outputs, has_files(outputs)


def checked(suspend: Suspend) -> Suspend:
    """Raises `NodeError` for a wait that nothing could end."""
    if suspend.until is None and suspend.call is None:
        raise NodeError("The node waits for nothing, neither a time nor a call; this is a mistake of its plugin.")
    return suspend


def too_many(limit: int) -> str:
    return (
        f"The execution reached the limit of {limit} node runs; does the workflow have a cycle without an end? "
        f"The setting executions.max_node_runs raises the limit."
    )


def never_ready(node: str) -> str:
    return (
        f"The node '{node}' has three inputs or more, and nothing reaches one of them. In the execution order v0 it "
        "waits for all of them; wire the input, or choose the order v1 in the workflow's settings."
    )


async def watched(work: Coroutine[Any, Any, T], first: Any, seconds: float, slow: Callable[[], None]) -> T:
    """Await work that has given out its first future; call `slow` once when it takes longer."""
    timer = asyncio.get_running_loop().call_later(seconds, slow)
    try:
        return await _Rest(work, first)
    finally:
        timer.cancel()


class _Rest(Awaitable[T]):
    """The rest of a coroutine that has given out its first future."""

    def __init__(self, work: Coroutine[Any, Any, T], first: Any) -> None:  # what it gives out is the event loop's own
        self._work = work
        self._first = first

    def __await__(self) -> Generator[Any, Any, T]:
        waits = self._first
        while True:
            thrown: BaseException | None = None
            sent = None
            try:
                sent = yield waits
            except BaseException as exc:
                thrown = exc
            try:
                waits = self._work.send(sent) if thrown is None else self._work.throw(thrown)
            except StopIteration as stop:
                result: T = stop.value
                return result
