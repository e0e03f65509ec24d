"""The course of one execution: which node runs came before, which comes next, and what each left behind."""

from __future__ import annotations

from collections import deque

from jackfield.api.engine import ExecutionRequest, Failure, Outcome
from jackfield.api.nodes import NodeError, Suspend
from jackfield.api.workflows import Items, Outputs
from jackfield_workflows.facts import Facts
from jackfield_workflows.graph import towards
from jackfield_workflows.item_files import without_large_data
from jackfield_workflows.limits import too_much
from jackfield_workflows.node_events import NodeEvents
from jackfield_workflows.nodesteps import Runner, checked, record_of, result_of
from jackfield_workflows.persistence import Persistence
from jackfield_workflows.records import Record, decode, encode, outputs_of
from jackfield_workflows.runloop import RunLoop
from jackfield_workflows.services import Services
from jackfield_workflows.tasks import Task


class Course:
    """Node runs in their order. It holds nothing of the execution that follows it, so that both are freed at once."""

    def __init__(self, facts: Facts, request: ExecutionRequest, disk: Persistence, services: Services) -> None:
        self.records: deque[Record] = deque(decode(request.replay))
        """Node runs of the past, still to be replayed."""
        self.interrupted: int | None = None
        """How many node runs an earlier process had stored when it ended; a later one may have been in flight."""
        self._facts = facts
        self._request = request
        self._disk = disk
        self._services = services
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

    def restore(self, records: list[Record]) -> None:
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

    def next(self) -> Task | None:
        """None at the end. Raises `TooManyRuns`."""
        return self._loop.next()

    def replayed(self, task: Task) -> bool:
        """Take over the result of an earlier run of the node; False when there is none."""
        if not self.records:
            return False
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

    async def node(self, runner: Runner, task: Task) -> Outcome | Suspend | None:
        """Run one node and keep what came of it. An outcome ends the execution, a wait suspends it."""
        self.news.runs(task)
        started = runner.clock.now_ms()
        suspend: Suspend | None = None
        try:
            if task.preset is not None:
                raw: Outputs = task.preset
            else:
                result = await result_of(runner, task)
                if isinstance(result, Suspend):
                    suspend, raw = checked(result), result.outputs
                else:
                    raw = result
                raw = await without_large_data(self._services.context, runner.id, raw)
            outputs = self._loop.complete(task, raw)
        except NodeError as exc:
            return self._node_failed(runner, task, started, exc)
        try:
            self._keep(runner, task, started, outputs)
        except NodeError as exc:
            self._keep(runner, task, started, None, exc)
            return self.failure(exc.message, task.step.node.name, None)
        if suspend is not None and (suspend.until is None or suspend.until > runner.clock.now_ms()):
            return suspend
        return None

    def _node_failed(self, runner: Runner, task: Task, started: int, error: NodeError) -> Outcome | None:
        outputs = self._loop.fail(task, error.message)
        try:
            self._keep(runner, task, started, outputs, error)
        except NodeError as exc:
            error, outputs = exc, None
        return self.failure(error.message, task.step.node.name, error.item) if outputs is None else None

    def _keep(
        self, runner: Runner, task: Task, started: int, outputs: Outputs | None, error: NodeError | None = None
    ) -> None:
        """Raises `NodeError` when the outputs are not JSON, or more than the execution may have."""
        record = record_of(runner, task, started, outputs, error)
        kept = encode(record)
        limit = self._services.settings.max_data
        if outputs is not None and self._data + len(kept) > limit:
            raise NodeError(too_much(limit))
        self._data += len(kept)
        self._disk.keep(kept, effect=task.effect)
        self.news.ran(task, record)

    def failure(self, message: str, node: str | None, item: int | None) -> Outcome:
        return Outcome("failed", self.last_items(), Failure(message, node, item), node or self.last)

    def last_items(self) -> Items:
        """Of the last node's first output that has any."""
        if not self.begun:
            return []
        runs = self._loop.results.get(self._loop.last)
        return next((items for items in runs[-1].outputs if items), []) if runs else []
