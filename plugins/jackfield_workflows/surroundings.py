"""The execution as one node run sees it: what expressions in Python and scripts read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.jsontext import Json
from jackfield.api.scripts import ScriptData
from jackfield.api.workflows import Item, Items
from jackfield_workflows.expressions import Names
from jackfield_workflows.facts import Facts
from jackfield_workflows.pairing import Place, Results, item_at, trace
from jackfield_workflows.scope import ExpressionProblem
from jackfield_workflows.tasks import NodeResult, Task


class NodeSurroundings:
    """`Surroundings` of one node run, and the same as plain data for scripts."""

    def __init__(self, facts: Facts, task: Task) -> None:
        self._facts = facts
        self._task = task
        self._results: Results = facts.loop.results if facts.loop is not None else {}

    @property
    def run_index(self) -> int:
        return self._task.run

    @property
    def execution(self) -> Mapping[str, Json]:
        return self._facts.execution

    @property
    def workflow(self) -> Mapping[str, Json]:
        return self._facts.workflow

    @property
    def variables(self) -> Mapping[str, str]:
        return self._facts.variables

    @property
    def environment(self) -> Mapping[str, str]:
        return self._facts.environment

    def paired(self, name: str, index: int) -> Item:
        place = self._trace(name, index)
        return self._results[place.node][place.run].outputs[place.output][place.item]

    def first(self, name: str) -> Item | None:
        items = self._items(name)
        return items[0] if items else None

    def last(self, name: str) -> Item | None:
        items = self._items(name)
        return items[-1] if items else None

    def at(self, name: str, index: int) -> Item:
        items = self._items(name)
        if index >= len(items):
            raise ExpressionProblem(f"The node '{name}' gave no item with the index {index}.")
        return items[index]

    def script_data(self, items: Items, names: Names, now_ms: int) -> ScriptData:
        """Everything that sources which name these nodes can read."""
        wanted = [name for name in self._results if names.everything or name in names.known]
        node = self._task.step.node
        return ScriptData(
            input=items,
            nodes={name: self._node_data(name) for name in wanted},
            paired={name: self._pairs(name, len(items)) for name in wanted},
            workflow=self._facts.workflow,
            execution=self._facts.execution,
            variables=self._facts.variables,
            environment=self._facts.environment,
            node={
                "name": node.name,
                "id": node.id,
                "version": node.version,
                "parameters": dict(node.parameters),
                "context": self._facts.memory(node.name),
                "runIndex": self._task.run,
                "previous": self._previous(),
            },
            timezone=self._facts.timezone,
            now_ms=now_ms,
            known=list(self._facts.plan.workflow.nodes),
        )

    def _runs(self, name: str) -> Sequence[NodeResult]:
        runs = self._results.get(name)
        if runs:
            return runs
        if name in self._facts.plan.workflow.nodes:
            raise ExpressionProblem(f"The node '{name}' has not run in this execution.")
        raise ExpressionProblem(f"There is no node '{name}' in this workflow.")

    def _items(self, name: str) -> Items:
        """What the node's last run gave at the output that leads here."""
        outputs = self._runs(name)[-1].outputs
        output = self._facts.plan.output_towards(name, self._task.step.node.name)
        return outputs[output] if output < len(outputs) else []

    def _trace(self, name: str, index: int) -> Place:
        self._runs(name)
        sources = self._task.sources
        return trace(self._results, sources[0] if sources else None, index, name)

    def _node_data(self, name: str) -> Json:
        params = dict(self._facts.plan.workflow.nodes[name].parameters)
        return {
            "runs": [{"outputs": run.outputs, "params": params} for run in self._results[name]],  # type: ignore[dict-item]
            "output": self._facts.plan.output_towards(name, self._task.step.node.name),
        }

    def _pairs(self, name: str, count: int) -> list[list[int] | None]:
        return [self._pair(name, index) for index in range(count)]

    def _pair(self, name: str, index: int) -> list[int] | None:
        try:
            place = self._trace(name, index)
        except ExpressionProblem:
            return None
        last = place.run == len(self._results[name]) - 1
        there = item_at(self._results, place)
        if there is None:
            return None
        return [place.output, place.item] if last else [place.output, place.item, place.run]

    def _previous(self) -> Json:
        source = self._task.sources[0] if self._task.sources else None
        if source is None:
            return None
        return {"name": source.node, "outputIndex": source.output, "runIndex": source.run}
