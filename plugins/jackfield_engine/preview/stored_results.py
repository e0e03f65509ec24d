"""The outputs of the nodes of a stored execution, as a node that is looked at afterwards sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.history import node_records, original_input, outputs_of
from jackfield.api.nodes.items import NodeInputs, entered, seen_items
from jackfield.api.records import record
from jackfield.api.storage import StoredExecution
from jackfield.api.workflows import Items, Workflow
from jackfield_engine.loop.graph import Graph, towards
from jackfield_engine.loop.plans import WorkflowPlan
from jackfield_engine.loop.runloop import NeverReady, RunLoop, TooManyRuns
from jackfield_engine.loop.tasks import ItemSource, NodeResult, Task

Results = Mapping[str, Sequence[NodeResult]]


def stored_results(graph: Graph, stored: StoredExecution, max_runs: int) -> dict[str, list[NodeResult]]:
    """Per node its runs, as far as the graph, of the workflow that ran, leads along what is stored. Raises ValueError
    when that is damaged."""
    records = node_records(stored.steps)
    given = original_input(stored)
    if given.start not in graph.steps:
        return {}
    led = towards(graph, given.until)
    loop = RunLoop(led, given.start, given.items, output=given.output, pin=given.pin, max_runs=max_runs)
    for step in records[1:]:
        try:
            task = loop.next()
        except (NeverReady, TooManyRuns):
            break
        outputs = outputs_of(step, given.items)
        if task is None or outputs is None or task.step.node.name != step["node"]:
            break
        loop.complete(task, outputs)
    return loop.results


def with_pinned(results: Results, workflow: Workflow) -> dict[str, list[NodeResult]]:
    """These results; a node that has pinned data gave that."""
    pinned = {name: [NodeResult([items], ())] for name, items in workflow.pin_data.items() if name in workflow.nodes}
    return {**{name: list(runs) for name, runs in results.items() if name in workflow.nodes}, **pinned}


@record
class ReachingItems:
    """The data that reaches a node: its items per input, and where they come from."""

    inputs: list[Items]
    sources: tuple[ItemSource | None, ...]


def reaching(workflow: Workflow, results: Results, name: str) -> ReachingItems:
    """The data that reached the node when it ran last; where it did not run, what its wires would bring it."""
    ran = results.get(name, ())
    sources = ran[-1].sources if ran else ()
    if not any(sources):
        sources = _wired(workflow, results, name)
    inputs = [entered(_items(results, source), index) for index, source in enumerate(sources)]
    return ReachingItems(inputs or [[]], sources or (None,))


def task_of(plan: WorkflowPlan, name: str, results: Results, reached: ReachingItems) -> Task:
    """The node's next run."""
    count = sum(len(runs) for runs in results.values())
    step = plan.graph.steps[name]
    seen = seen_items(step.node, reached.inputs)
    given = NodeInputs(step.node, reached.inputs, seen, len(results.get(name, ())), step.error_output)
    return Task(step, given, reached.sources, count)


def _wired(workflow: Workflow, results: Results, name: str) -> tuple[ItemSource | None, ...]:
    """Per input, the last run of the first node that brings it items."""
    found: dict[int, ItemSource] = {}
    for source, outputs in workflow.wires.items():
        runs = results.get(source, ())
        for output, targets in enumerate(outputs):
            if not runs or output >= len(runs[-1].outputs) or not runs[-1].outputs[output]:
                continue
            for wire in targets:
                if wire.node == name:
                    found.setdefault(wire.input, ItemSource(source, len(runs) - 1, output))
    return tuple(found.get(index) for index in range(max(found, default=-1) + 1))


def _items(results: Results, source: ItemSource | None) -> Items:
    if source is None or source.node not in results or source.run >= len(results[source.node]):
        return []
    outputs = results[source.node][source.run].outputs
    return outputs[source.output] if source.output < len(outputs) else []
