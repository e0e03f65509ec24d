"""The run loop: which node runs next, with which items. A synchronous state machine without I/O, time or randomness, so
that the same loop runs in the engine, in a property test and in a simulation, and a resumed execution is a replay.

Below it: what becomes of the items that a node gave or took, which are pairs, error items and empty outputs. Items are
never changed; what differs is a new item around the same data.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from jackfield.api.expressions import references_of
from jackfield.api.nodes import NodeError
from jackfield.api.records import state
from jackfield.api.workflows import Item, Items, Outputs, PairedItem
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


class RunLoop:
    """The state of one execution. Alternate `next` with `complete`, `fail` or `restore` until `next` gives None."""

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
        task = Task(step, [], [], (), run=0, index=0)
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

    def complete(self, task: Task, outputs: Outputs) -> Outputs:
        """The node gave these outputs; returns what they became. Raises `NodeError` when they are not lists of items;
        then the task is still open."""
        self._check(task)
        outcome = outputs if task.preset is not None else normal(task, outputs)
        self._advance(task, outcome)
        return outcome

    def fail(self, task: Task, message: str) -> Outputs | None:
        """The node failed. Returns the outputs with which the workflow goes on; None when it stops."""
        self._check(task)
        if task.step.node.on_error == "stopWorkflow":
            self.stopped = True
            self._running = None
            self.count += 1
            self.last = task.step.node.name
            return None
        outcome = failed(task, message)
        self._advance(task, outcome)
        return outcome

    def restore(self, task: Task, outputs: Outputs) -> None:
        """The node ran before the execution was interrupted, and this is what became of its outputs."""
        self._check(task)
        self._advance(task, outputs)

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
        seen = firsts(inputs) if node.execute_once else inputs
        task = Task(entry.step, inputs, seen, entry.sources, len(self.results.get(node.name, ())), self.count)
        if node.disabled:
            task.preset = [inputs[0]]
        elif node.name in self._pinned:
            pinned = [self._pinned[node.name]]
            check(pinned)
            task.preset = paired(inputs, pinned)
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
            source = ItemSource(task.step.node.name, task.run, link.output)
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


def has_files(outputs: Outputs) -> bool:
    """Whether an item carries files."""
    return any("binary" in item for items in outputs for item in items)


def firsts(inputs: list[Items]) -> list[Items]:
    """What a node with `executeOnce` is given of its inputs."""
    return [items[:1] for items in inputs]


def entered(items: Items, index: int) -> Items:
    """The items as an input hands them on: each paired with its own place."""
    if index == 0:
        return [{**item, "pairedItem": {"item": place}} for place, item in enumerate(items)]
    return [{**item, "pairedItem": {"item": place, "input": index}} for place, item in enumerate(items)]


def normal(task: Task, outputs: Outputs) -> Outputs:
    """The outputs of a node that ran: checked, paired, error items on their own output, filled when nothing came.

    Raises `NodeError` when they are not lists of items.
    """
    check(outputs)
    outputs = paired(task.seen, outputs)
    if task.step.error_output is not None:
        outputs = errors_apart(task, outputs, task.step.error_output)
    if task.step.node.always_output_data and not any(outputs):
        outputs = [[{"json": {}, "pairedItem": _all_inputs(task)}], *outputs[1:]]
    return outputs


def check(outputs: Outputs) -> None:
    """Whether a node gave what it has to. Raises `NodeError`."""
    if type(outputs) is not list:
        raise NodeError("The node gave no list of outputs; this is a mistake in its type.")
    for items in outputs:
        if type(items) is not list:
            raise NodeError("The node gave an output that is no list; this is a mistake in its type.")
        for item in items:
            if type(item) is not dict or type(item.get("json")) is not dict:
                raise NodeError("The node gave an item without an object under json; this is a mistake in its type.")


def paired(inputs: list[Items], outputs: Outputs) -> Outputs:
    """Pair items that say nothing: with the only input item, or by index where one output has as many as the input."""
    if all("pairedItem" in item for items in outputs for item in items):
        return outputs
    if len(inputs) != 1:
        return outputs
    if len(inputs[0]) == 1:
        return [[_with_pair(item, 0) for item in items] for items in outputs]
    if len(outputs) == 1 and len(outputs[0]) == len(inputs[0]):
        return [[_with_pair(item, index) for index, item in enumerate(outputs[0])]]
    return outputs


def _with_pair(item: Item, index: int) -> Item:
    return item if "pairedItem" in item else {**item, "pairedItem": {"item": index}}


def _all_inputs(task: Task) -> list[PairedItem]:
    return [
        {"item": place, "input": index} if index else {"item": place}
        for index, items in enumerate(task.inputs)
        for place in range(len(items))
    ]


def failed(task: Task, message: str) -> Outputs:
    """The outputs of a node that failed and whose workflow goes on: its input items with the error."""
    items = task.inputs[0] if task.inputs and task.inputs[0] else [Item(json={})]
    carrying = [_carrying(item, message) for item in items]
    output = task.step.error_output or 0
    return [*([] for _ in range(output)), carrying]


def _carrying(item: Item, message: str) -> Item:
    return {**item, "json": {**item["json"], "error": message}, "error": {"message": message}}


def errors_apart(task: Task, outputs: Outputs, error_output: int) -> Outputs:
    """Move the items that carry an error to the last output, merged with the input item that they are paired with."""
    kept: Outputs = [[] for _ in range(max(error_output, 0))]
    errors: Items = []
    for index, items in enumerate(outputs):
        for item in items:
            if is_error(item):
                errors.append(_merged(task, item))
            elif index < error_output:
                kept[index].append(item)
            else:
                errors.append(item)
    return [*kept, errors]


def is_error(item: Item) -> bool:
    """Whether an item stands for a failure: it carries an error, or its json is only one."""
    if item.get("error"):
        return True
    json = item["json"]
    return bool(json.get("error")) and (len(json) == 1 or (len(json) == 2 and "message" in json))


def _merged(task: Task, item: Item) -> Item:
    given = _paired_input(task, item)
    return item if given is None else {**item, "json": {**given["json"], **item["json"]}}


def _paired_input(task: Task, item: Item) -> Item | None:
    references = references_of(item.get("pairedItem"))
    if len(references) != 1:
        return None
    place, index, run = references[0]
    if run not in (None, task.run):
        return None
    if index < len(task.inputs) and place < len(task.inputs[index]):
        return task.inputs[index][place]
    return None
