"""How far one execution has come: which node runs came before, which comes next, and what each left behind."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from jackfield.api.binary import BinaryError
from jackfield.api.engine import ExecutionRequest, Failure, Outcome
from jackfield.api.history import NodeRecord, node_records, outputs_of
from jackfield.api.nodes import NodeError, NodeResult, Suspend
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.loop.graph import towards
from jackfield_engine.loop.plans import NodePlan
from jackfield_engine.loop.runloop import RunLoop, TooManyRuns
from jackfield_engine.loop.tasks import Task
from jackfield_engine.node.execution_data import Facts
from jackfield_engine.node.node_run import EngineNodeRun, NodeHost
from jackfield_engine.run.limits import too_many, too_much
from jackfield_engine.run.node_events import NodeEvents
from jackfield_engine.run.persistence import Persistence, Refused
from jackfield_engine.run.stepping import watched
from jackfield_engine.shared.item_files import without_large_data
from jackfield_engine.shared.records import encode
from jackfield_engine.shared.services import Services

SLOW_S = 0.05
"""A node that takes longer makes the execution visible in the store as running."""


class RunProgress:
    """Node runs in their order. It holds nothing of the execution that follows it, so that both are freed at once."""

    def __init__(self, facts: Facts, request: ExecutionRequest, disk: Persistence, services: Services) -> None:
        self.records: deque[NodeRecord] = deque(node_records(request.replay) if request.replay else ())
        """Node runs of the past, still to be replayed."""
        self.interrupted: int | None = None
        """How many node runs an earlier process had stored when it ended; a later one may have been in flight."""
        self._facts = facts
        self._request = request
        self._disk = disk
        self._services = services
        self._clock = services.clock
        self._loop: RunLoop
        self.news = NodeEvents(facts.execution_id, request, services.context.events, services.timers)
        self._data = 0
        """Bytes of the results so far."""

    @property
    def begun(self) -> bool:
        return self._facts.loop is not None

    @property
    def last(self) -> str | None:
        """The node that ran last; None before the first."""
        return self._loop.last if self.begun else None

    def restore(self, records: list[NodeRecord]) -> None:
        """What an earlier process had stored comes first."""
        self.records = deque(records)
        self.interrupted = len(records)

    def begin(self, now: int) -> None:
        """now: Unix ms."""
        request = self._request
        self._loop = self._facts.loop = RunLoop(
            towards(self._facts.plan.graph, request.until),
            request.start,
            request.items,
            output=request.start_output,
            pin=request.use_pin_data,
            max_runs=self._services.settings.max_node_runs,
        )
        if self.records and self.records[0]["index"] == 0:
            self.records.popleft()
            if self.interrupted is not None:
                return
        self.news.began(now)
        self._disk.keep(
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

    async def step(self, host: NodeHost, slow: Callable[[], None]) -> Outcome | Suspend | None:
        """Run the next node, or take over what it gave before. An outcome ends the execution, a wait suspends it.
        slow: told when a node takes its time. Raises `Refused` when the store does not take the execution."""
        try:
            task = self._loop.next()
        except TooManyRuns:
            return self.failure(too_many(self._services.settings.max_node_runs), self._loop.last, None)
        if task is None:
            return Outcome("success", self.last_items(), None, self._loop.last)
        if self.records and self._replayed(task):
            return None
        if self._disk.effect_pending:
            self._disk.checkpoint()
        return await self._node(host, task, slow)

    def _replayed(self, task: Task) -> bool:
        """Take over the result of an earlier run of the node; False when there is none."""
        record = self.records[0]
        outputs = outputs_of(record, self._request.items)
        if record["node"] != task.step.node.name or outputs is None:
            self.records.clear()
            return False
        self.records.popleft()
        self._loop.restore(task, outputs)
        if "context" in record:
            self._facts.remember(record["node"], record["context"])
        if self.interrupted is None:
            self._disk.keep(encode({**record, "index": task.index}))
        return True

    async def _node(self, host: NodeHost, task: Task, slow: Callable[[], None]) -> Outcome | Suspend | None:
        """Run one node and keep what came of it."""
        self.news.runs(task)
        started = self._clock.now_ms()
        suspend: Suspend | None = None
        try:
            if task.preset is not None:
                raw: Outputs = task.preset
            else:
                result = await self._result(host, task, slow)
                if isinstance(result, Suspend):
                    suspend, raw = checked(result), result.outputs
                else:
                    raw = result
                raw = await without_large_data(self._services.context, self._facts.execution_id, raw)
            outputs = self._loop.complete(task, raw)
        except NodeError as exc:
            return self._node_failed(task, started, exc)
        try:
            self._keep(task, started, outputs)
        except NodeError as exc:
            self._keep(task, started, None, exc)
            return self.failure(exc.message, task.step.node.name, None)
        if suspend is not None and (suspend.until is None or suspend.until > self._clock.now_ms()):
            return suspend
        return None

    async def _result(self, host: NodeHost, task: Task, slow: Callable[[], None]) -> NodeResult:
        """Run the node, as often as it says. Raises `NodeError`, `Refused`."""
        plan = self._facts.plan.node(task.step.node.name)
        node = plan.node
        if plan.effect:
            await host.before_effect(task)
        for left in range(node.tries - 1, -1, -1):
            try:
                return await self._once(host, plan, task, slow)
            except NodeError:
                if not left:
                    raise
            except BinaryError as exc:
                if not left:
                    raise NodeError(exc.message) from None
            except Refused:
                raise
            except Exception as exc:
                host.log.exception("node %r of execution %s failed", node.name, self._facts.execution_id)
                if not left:
                    kind = type(exc).__name__
                    raise NodeError(f"The node failed unexpectedly ({kind}); see the daemon's log.") from None
            await self._clock.sleep(node.wait_between_tries_ms / 1000)
        raise AssertionError("a node is tried at least once")

    async def _once(self, host: NodeHost, plan: NodePlan, task: Task, slow: Callable[[], None]) -> NodeResult:
        run = EngineNodeRun(host, plan, task)
        running = plan.type.execute(run)
        try:
            if self._disk.status == "running":
                return await running
            return await watched(running, SLOW_S, slow)
        except asyncio.CancelledError:
            if run.borrowed is not None:
                run.borrowed.abandon()
                run.borrowed = None
            raise
        finally:
            if run.borrowed is not None:
                await run.borrowed.give_back()

    def _node_failed(self, task: Task, started: int, error: NodeError) -> Outcome | None:
        outputs = self._loop.fail(task, error.message)
        try:
            self._keep(task, started, outputs, error)
        except NodeError as exc:
            error, outputs = exc, None
        return self.failure(error.message, task.step.node.name, error.item) if outputs is None else None

    def _keep(self, task: Task, started: int, outputs: Outputs | None, error: NodeError | None = None) -> None:
        """Raises `NodeError` when the outputs are not JSON, or more than the execution may have."""
        record = self._record(task, started, outputs, error)
        kept = encode(record)
        limit = self._services.settings.max_data
        if outputs is not None and self._data + len(kept) > limit:
            raise NodeError(too_much(limit))
        self._data += len(kept)
        self._disk.keep(kept, effect=task.effect)
        self.news.ran(task, record)

    def _record(self, task: Task, started: int, outputs: Outputs | None, error: NodeError | None) -> NodeRecord:
        """What is stored of a node run. outputs: None when it stopped the workflow."""
        name = task.step.node.name
        record: NodeRecord = {
            "node": name,
            "index": task.index,
            "startedAt": started,
            "duration": max(self._clock.now_ms() - started, 0),
            "status": "success" if error is None else "failed",
        }
        if outputs is not None:
            record["outputs"] = outputs
        if error is not None:
            record["error"] = {"message": error.message}
            if error.item is not None:
                record["error"]["itemIndex"] = error.item
        memory = self._facts.memories.get(name)
        if memory:
            record["context"] = memory
        return record

    def failure(self, message: str, node: str | None, item: int | None) -> Outcome:
        return Outcome("failed", self.last_items(), Failure(message, node, item), node or self.last)

    def last_items(self) -> Items:
        """Of the last node's first output that has any."""
        if not self.begun:
            return []
        runs = self._loop.results.get(self._loop.last)
        return next((items for items in runs[-1].outputs if items), []) if runs else []


def checked(suspend: Suspend) -> Suspend:
    """Raises `NodeError` for a wait that nothing could end."""
    if suspend.until is None and suspend.call is None:
        raise NodeError("The node waits for nothing, neither a time nor a call; this is a mistake of its plugin.")
    return suspend
