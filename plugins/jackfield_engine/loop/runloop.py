"""The run loop: which node runs next, with which items. A synchronous state machine without I/O, time or randomness. So
the same loop runs in the engine, in a property test and in a simulation, and a resumed execution is a replay.

Both orders are n8n's, with all that follows from its ways: a workflow that comes from there gives what it gave there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from jackfield.api.nodes import NodeError
from jackfield.api.nodes.items import (
    LONG,
    NodeInputs,
    check_outputs,
    entered,
    failed_outputs,
    finished_outputs,
    pinned_outputs,
    seen_items,
    stand_in,
)
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.loop.forced import forced_sources
from jackfield_engine.loop.graph import Graph, GraphLink, GraphStep
from jackfield_engine.loop.partial import PartialInput, PartialInputs
from jackfield_engine.loop.tasks import ItemSource, NodeResult, Task


class TooManyRuns(Exception):
    """The execution reached its limit of node runs."""


class NeverReady(Exception):
    """A node that order v0 began early lacks an input that nothing can reach."""

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self.node = node


class _Entry(NamedTuple):
    """A node that is ready to run. inputs, sources: as many as it has, or the first alone."""

    step: GraphStep
    inputs: Sequence[Items]
    sources: tuple[ItemSource | None, ...]


class RunLoop:
    """The state of one execution. Alternate `next` with `complete` or `fail` until `next` gives None."""

    def __init__(
        self,
        graph: Graph,
        start: str,
        items: Items,
        *,
        output: int = 0,
        pin: bool = False,
        max_runs: int = 10_000,
    ) -> None:
        """start: the node to start at; its output `output` is `items`. pin: use pinned data instead of running nodes.
        Raises KeyError when there is no such node."""
        self.results: dict[str, list[NodeResult]] = {}
        self.count = 0
        """Node runs so far, the start node's included."""
        self.last: str = start
        """The node that ran last."""
        self.stopped = False
        self.error: str | None = None
        """Of the node that ran last, when it failed: also where the workflow went on, the execution failed if nothing
        follows."""
        self._graph = graph
        self._pinned = graph.pinned if pin else {}
        self._max_runs = max_runs
        self._ready: deque[_Entry] = deque()
        self._partial: PartialInputs | None = None
        """Made when a node with several inputs gets the first of them."""
        self._put_back: tuple[str, int] | None = None
        """Name and run of the node that lacked an input last."""
        self._running: Task | None = None
        self._start(graph.steps[start], [*([] for _ in range(output)), items])

    def _start(self, step: GraphStep, outputs: Outputs) -> None:
        task = Task(step, NodeInputs(step.node, [], [], 0, step.error_output), (), index=0)
        self._running = task
        self._advance(task, outputs)

    # -- verbs

    def next(self) -> Task | None:
        """The next node run; None once the execution is over. Raises `NeverReady`, and `TooManyRuns`, also when that
        many are ready: wide workflows with cycles would fill the memory otherwise."""
        if self._running is not None:
            raise RuntimeError("the node run before is not over")
        while self._ready and not self.stopped:
            entry = self._ready.popleft()
            self.error = None
            if self.count + 1 + len(self._ready) > self._max_runs:
                self.stopped = True
                raise TooManyRuns
            if self._lacks_input(entry):
                continue
            task = self._task(entry)
            if task is not None:
                self._running = task
                return task
        return None

    def next_is_long(self) -> bool:
        """Whether what `next` does belongs on a thread."""
        return bool(self._ready) and any(len(items) > LONG for items in self._ready[0].inputs)

    def complete(self, task: Task, outputs: Outputs, error: str | None = None) -> None:
        """The node ran, now or before the execution was interrupted, and this is what became of its outputs; see
        `finished_outputs`. Those of a task with a preset are the preset. error: see `fail`; of a run before."""
        self._check(task)
        self.error = error
        self._advance(task, outputs)

    def fail(self, task: Task, error: NodeError) -> Outputs | None:
        """The node failed. Returns the outputs with which the workflow goes on; None when it stops."""
        self._check(task)
        self.error = error.message
        if task.step.node.on_error == "stopWorkflow":
            self.stopped = True
            self._running = None
            self.count += 1
            self.last = task.step.node.name
            return None
        outcome = failed_outputs(task.given, error)
        self._advance(task, outcome)
        return outcome

    def last_items(self) -> Items:
        """Of the last node's first output that has any."""
        runs = self.results.get(self.last)
        return next((items for items in runs[-1].outputs if items), []) if runs else []

    # -- inside

    def _check(self, task: Task) -> None:
        if task is not self._running:
            raise RuntimeError("this node run is not the one that is open")

    def _lacks_input(self, entry: _Entry) -> bool:
        """Put back a node that order v0 began with its first input alone, although it has three or more. Raises
        `NeverReady` when it was the last to be put back."""
        if self._graph.depth_first:
            return False
        name = entry.step.node.name
        place = (name, len(self.results.get(name, ())))
        if place == self._put_back:
            self.stopped = True
            raise NeverReady(name)
        given, enabled = len(entry.inputs), self._graph.ancestors.enabled
        if given + 1 >= entry.step.inputs:
            return False
        if not all(enabled(name, index) for index in range(given + 2)):
            return False
        self._ready.append(entry)
        self._put_back = place
        return True

    def _task(self, entry: _Entry) -> Task | None:
        """None when the node gets nothing and gives nothing."""
        node = entry.step.node
        inputs = [entered(items, index) for index, items in enumerate(entry.inputs)]
        run = len(self.results.get(node.name, ()))
        given = NodeInputs(node, inputs, seen_items(node, inputs), run, entry.step.error_output)
        task = Task(entry.step, given, entry.sources, self.count)
        if node.disabled:
            task.preset = finished_outputs(given, [inputs[0]])
        elif node.name in self._pinned:
            pinned = [self._pinned[node.name]]
            check_outputs(pinned)
            task.preset = pinned_outputs(given, pinned)
        elif not (any(entry.inputs) if self._graph.depth_first or len(entry.inputs) == 1 else self._has_input(entry)):
            if not node.always_output_data:
                return None
            task.preset = stand_in(given, [])
        return task

    def _has_input(self, entry: _Entry) -> bool:
        """In order v0 the first input decides, unless nothing reached it and another one's items went in a circle."""
        if entry.inputs[0] or entry.sources[0] is not None:
            return bool(entry.inputs[0])
        name, before = entry.step.node.name, self._graph.ancestors.of
        return any(
            items and source is not None and (source.node == name or name in before(source.node))
            for items, source in zip(entry.inputs, entry.sources, strict=True)
        )

    def _advance(self, task: Task, outputs: Outputs) -> None:
        name = task.step.node.name
        if outputs:
            self.results.setdefault(name, []).append(NodeResult(outputs, task.sources))
        self._running = None
        self.count += 1
        self.last = name
        for link in task.step.links:
            if link.output < len(outputs) and (outputs[link.output] or self._takes_nothing(link)):
                self._follow(task, link, outputs)
        if not self._ready and self._partial is not None:
            partial = self._partial.release()
            if partial is not None:
                self._push(_complete(partial))

    def _takes_nothing(self, link: GraphLink) -> bool:
        """Whether an output without items reaches this input."""
        return link.input > 0 and not self._graph.depth_first

    def _follow(self, task: Task, link: GraphLink, outputs: Outputs) -> None:
        target = self._graph.steps[link.node]
        source = ItemSource(task.step.node.name, task.given.run, link.output)
        items = outputs[link.output]
        if target.inputs == 1:
            self._push(_Entry(target, [items], (source,)))
            return
        if self._partial is None:
            self._partial = PartialInputs(self._graph)
        first = link.node not in self._partial
        partial = self._partial.put(link, items, source)
        if partial is not None:
            self._push(_complete(partial))
        elif first and not self._graph.depth_first:
            self._force(task, link, outputs, source)

    def _force(self, task: Task, link: GraphLink, outputs: Outputs, source: ItemSource) -> None:
        queued = {entry.step.node.name for entry in self._ready}
        for name in forced_sources(self._graph, task, link, outputs, self.results, queued):
            queued.add(name)
            self._push(_Entry(self._graph.steps[name], [[{"json": {}}]], (source,)))

    def _push(self, entry: _Entry) -> None:
        if self._graph.depth_first:
            self._ready.appendleft(entry)
        else:
            self._ready.append(entry)


def _complete(partial: PartialInput) -> _Entry:
    return _Entry(partial.step, [items or [] for items in partial.inputs], tuple(partial.sources))
