"""Small graphs for the run loop, and strategies that make random ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import strategies as st

from jackfield.api.nodes import NodeError
from jackfield.api.nodes.items import finished_outputs
from jackfield.api.workflows import Items, Node, OnError, Outputs, Wire, Workflow, WorkflowSettings
from jackfield_engine.loop.graph import Graph, build_graph
from jackfield_engine.loop.runloop import NeverReady, RunLoop, TooManyRuns
from jackfield_engine.loop.tasks import Task

OUTPUTS = 2


def a_node(name: str, **changes: object) -> Node:
    fields: dict[str, object] = {"id": name, "name": name, "type": "jackfield.fake", "kind": "fake", "version": None}
    return Node(**{**fields, "parameters": {}, **changes})  # type: ignore[arg-type]


def a_workflow(
    nodes: Sequence[Node],
    wires: Sequence[tuple[str, int, str, int]],
    *,
    order: str = "v1",
    pin: Mapping[str, Items] | None = None,
) -> Workflow:
    """wires: (source, output, target, input)"""
    table: dict[str, list[list[Wire]]] = {}
    for source, output, target, index in wires:
        outputs = table.setdefault(source, [])
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        outputs[output].append(Wire(target, index))
    return Workflow(
        id=None,
        name="w",
        version=0,
        active=False,
        nodes={node.name: node for node in nodes},
        wires={name: tuple(tuple(targets) for targets in outputs) for name, outputs in table.items()},
        settings=WorkflowSettings(order=order),  # type: ignore[arg-type]
        pin_data=pin or {},
        document={},
    )


def a_graph(nodes: Sequence[Node], wires: Sequence[tuple[str, int, str, int]], **more: object) -> Graph:
    return build_graph(a_workflow(nodes, wires, **more), lambda node: OUTPUTS)  # type: ignore[arg-type]


def chain(*names: str, **more: object) -> Graph:
    nodes = [a_node(name) for name in names]
    return a_graph(nodes, [(a, 0, b, 0) for a, b in pairwise(names)], **more)


def numbers(*values: int) -> Items:
    return [{"json": {"n": value}} for value in values]


def plain(items: Items) -> list[dict[str, object]]:
    return [item["json"] for item in items]


@dataclass
class Trace:
    """What happened in one run of a loop."""

    tasks: list[Task] = field(default_factory=list)
    outputs: list[Outputs | None] = field(default_factory=list)
    limited: bool = False

    @property
    def names(self) -> list[str]:
        return [task.step.node.name for task in self.tasks]


@dataclass(frozen=True)
class Behaviour:
    """Random but repeatable nodes: what a node does depends on the seed and on its place in the run."""

    seed: int
    failures: float = 0.2
    reach: float = 0.6

    def run(self, task: Task) -> Outputs:
        """Raises `NodeError`."""
        choose = random.Random(f"{self.seed}:{task.index}")
        if choose.random() < self.failures:
            raise NodeError("it failed")
        given = task.given.seen[0]
        outputs: Outputs = []
        for output in range(OUTPUTS):
            kept = [item for item in given if choose.random() < self.reach]
            if choose.random() < 0.3:
                kept.append({"json": {"made": f"{task.index}.{output}"}})
            if choose.random() < 0.1:
                kept.append({"json": {"error": "of this item"}})
            outputs.append(kept)
        return outputs


def complete(loop: RunLoop, task: Task, outputs: Outputs) -> Outputs:
    """What becomes of a node's outputs, as the engine has it. Raises `NodeError`; then the task is still open."""
    made = outputs if task.preset is not None else finished_outputs(task.given, outputs)
    loop.complete(task, made)
    return made


def play(loop: RunLoop, behaviour: Behaviour, past: Sequence[Outputs | None] = ()) -> Trace:
    """Run to the end; the first runs are restored from `past`."""
    trace = Trace()
    while True:
        try:
            task = loop.next()
        except (NeverReady, TooManyRuns):
            trace.limited = True
            return trace
        if task is None:
            return trace
        trace.tasks.append(task)
        trace.outputs.append(one(loop, task, behaviour, past))


def one(loop: RunLoop, task: Task, behaviour: Behaviour, past: Sequence[Outputs | None]) -> Outputs | None:
    place = task.index - 1
    restored = past[place] if place < len(past) else None
    if restored is not None:
        loop.complete(task, restored)
        return restored
    try:
        return complete(loop, task, task.preset if task.preset is not None else behaviour.run(task))
    except NodeError as exc:
        return loop.fail(task, exc)


names = st.integers(1, 6).map(lambda count: [f"n{index}" for index in range(count)])
on_error: st.SearchStrategy[OnError] = st.sampled_from(("stopWorkflow", "continueRegularOutput", "continueErrorOutput"))


@st.composite
def graphs(draw: st.DrawFn, *, inputs: int = 3, order: str | None = None, modes: bool = True) -> Graph:
    """Graphs with cycles, fan-out, several wires into an input, several inputs."""
    chosen = draw(names)
    nodes = [
        a_node(
            name,
            position=draw(st.tuples(st.integers(0, 3), st.integers(0, 3))),
            disabled=modes and draw(st.booleans()) and draw(st.booleans()),
            on_error=draw(on_error) if modes else "stopWorkflow",
            execute_once=modes and draw(st.booleans()) and draw(st.booleans()),
            always_output_data=modes and draw(st.booleans()) and draw(st.booleans()),
        )
        for name in chosen
    ]
    wire = st.tuples(
        st.sampled_from(chosen), st.integers(0, OUTPUTS), st.sampled_from(chosen), st.integers(0, inputs - 1)
    )
    wires = draw(st.lists(wire, max_size=12, unique=True))
    return a_graph(nodes, wires, order=order or draw(st.sampled_from(("v0", "v1"))))
