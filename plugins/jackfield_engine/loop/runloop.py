"""The run loop: which node runs next, with which items. A synchronous state machine without I/O, time or randomness, so
that the same loop runs in the engine, in a property test and in a simulation, and a resumed execution is a replay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from jackfield.api.nodes.items import (
    LONG,
    NodeInputs,
    check_outputs,
    entered,
    failed_outputs,
    paired_outputs,
    seen_items,
)
from jackfield.api.records import state
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.loop.graph import Graph, GraphStep
from jackfield_engine.loop.tasks import ItemSource, NodeResult, Task


class TooManyRuns(Exception):
    """The execution reached its limit of node runs."""


class _Entry(NamedTuple):
    """A node that is ready to run."""

    step: GraphStep
    inputs: list[Items]
    sources: tuple[ItemSource | None, ...]


@state
class _PartialInput:
    """A node with several inputs that waits for more of them."""

    step: GraphStep
    inputs: list[Items | None]
    sources: list[ItemSource | None]

    def full(self) -> bool:
        return all(self.inputs[index] is not None for index in self.step.fan_in)

    def entry(self) -> _Entry:
        return _Entry(self.step, [items or [] for items in self.inputs], tuple(self.sources))


def _inputs_of(partial: dict[str, list[_PartialInput]]) -> Iterable[Items]:
    return (items for waiting in partial.values() for one in waiting for items in one.inputs if items)


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
        self._graph = graph
        self._pinned = graph.pinned if pin else {}
        self._max_runs = max_runs
        self._ready: deque[_Entry] = deque()
        self._partial: dict[str, list[_PartialInput]] = {}
        self._running: Task | None = None
        self._start(graph.steps[start], [*([] for _ in range(output)), items])

    def _start(self, step: GraphStep, outputs: Outputs) -> None:
        task = Task(step, NodeInputs(step.node, [], [], 0, step.error_output), (), index=0)
        self._running = task
        self._advance(task, outputs)

    # -- verbs

    def next(self) -> Task | None:
        """The next node run; None once the execution is over. Raises `TooManyRuns`, also when that many are ready: wide
        workflows with cycles would fill the memory otherwise."""
        if self._running is not None:
            raise RuntimeError("the node run before is not over")
        if self.stopped:
            return None
        entry = self._ready.popleft() if self._ready else self._release()
        if entry is None:
            return None
        if self.count + 1 + len(self._ready) > self._max_runs:
            self.stopped = True
            raise TooManyRuns
        self._running = self._task(entry)
        return self._running

    def next_is_long(self) -> bool:
        """Whether what `next` does belongs on a thread."""
        inputs = self._ready[0].inputs if self._ready else _inputs_of(self._partial)
        return any(len(items) > LONG for items in inputs)

    def complete(self, task: Task, outputs: Outputs) -> None:
        """The node ran, now or before the execution was interrupted, and this is what became of its outputs; see
        `finished_outputs`. Those of a task with a preset are the preset."""
        self._check(task)
        self._advance(task, outputs)

    def fail(self, task: Task, message: str) -> Outputs | None:
        """The node failed. Returns the outputs with which the workflow goes on; None when it stops."""
        self._check(task)
        if task.step.node.on_error == "stopWorkflow":
            self.stopped = True
            self._running = None
            self.count += 1
            self.last = task.step.node.name
            return None
        outcome = failed_outputs(task.given, message)
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

    def _task(self, entry: _Entry) -> Task:
        node = entry.step.node
        inputs = [entered(items, index) for index, items in enumerate(entry.inputs)]
        run = len(self.results.get(node.name, ()))
        given = NodeInputs(node, inputs, seen_items(node, inputs), run, entry.step.error_output)
        task = Task(entry.step, given, entry.sources, self.count)
        if node.disabled:
            task.preset = [inputs[0]]
        elif node.name in self._pinned:
            pinned = [self._pinned[node.name]]
            check_outputs(pinned)
            task.preset = paired_outputs(inputs, pinned)
        return task

    def _advance(self, task: Task, outputs: Outputs) -> None:
        name = task.step.node.name
        results = self.results.setdefault(name, [])
        results.append(NodeResult(outputs, task.sources))
        self._running = None
        self.count += 1
        self.last = name
        entries = self._reached(task, outputs)
        if self._graph.depth_first:
            self._ready.extendleft(reversed(entries))
        else:
            self._ready.extend(entries)

    def _reached(self, task: Task, outputs: Outputs) -> list[_Entry]:
        entries: list[_Entry] = []
        for link in task.step.links:
            if link.output >= len(outputs) or not outputs[link.output]:
                continue
            target = self._graph.steps[link.node]
            source = ItemSource(task.step.node.name, task.given.run, link.output)
            if target.fan_in:
                entry = self._hold(target, link.input, outputs[link.output], source)
                if entry is not None:
                    entries.append(entry)
            else:
                entries.append(_Entry(target, [outputs[link.output]], (source,)))
        return entries

    def _hold(self, target: GraphStep, index: int, items: Items, source: ItemSource) -> _Entry | None:
        """Put items to the first waiting run of the node whose input is still free; that run when it is complete."""
        waiting = self._partial.setdefault(target.node.name, [])
        partial = next((one for one in waiting if one.inputs[index] is None), None)
        if partial is None:
            partial = _PartialInput(target, [None] * target.inputs, [None] * target.inputs)
            waiting.append(partial)
        partial.inputs[index] = items
        partial.sources[index] = source
        if not partial.full():
            return None
        waiting.remove(partial)
        if not waiting:
            del self._partial[target.node.name]
        return partial.entry()

    def _release(self) -> _Entry | None:
        """Nothing else can run: the first waiting node that no other waiting node can reach runs with what it has."""
        if not self._partial:
            return None
        names = list(self._partial)
        free = (name for name in names if not self._graph.ancestors[name] & (self._partial.keys() - {name}))
        name = next(free, names[0])
        waiting = self._partial[name]
        partial = waiting.pop(0)
        if not waiting:
            del self._partial[name]
        return partial.entry()
