"""The execution as one node run sees it: what expressions in Python and scripts read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from jackfield.api.expressions import ExpressionProblem, ItemPosition, NodeReads, Pairing, Reads, projected_item
from jackfield.api.jsontext import Json
from jackfield.api.scripts import ScriptData
from jackfield.api.workflows import Item, Items, Node, Outputs
from jackfield_engine.loop.tasks import NodeResult, Task
from jackfield_engine.node.execution_data import ExecutionState

Pair: TypeAlias = "list[int] | None"
"""`[output, item]` of a node's last run, `[output, item, run]` of an earlier one; None: no item."""


class NodeSurroundings:
    """`RunSurroundings` of one node run, and the same as plain data for scripts."""

    def __init__(self, data: ExecutionState, task: Task, node: Node | None = None) -> None:
        """node: a part of the running node, which sees the same."""
        self._data = data
        self._task = task
        self._node = node or task.step.node
        self._results: Mapping[str, Sequence[NodeResult]] = data.loop.results if data.loop is not None else {}

    @cached_property
    def _pairing(self) -> Pairing:
        return self._data.plan.expressions.pairing(self._results)

    @property
    def run_index(self) -> int:
        return self._task.given.run

    @property
    def execution(self) -> Mapping[str, Json]:
        return self._data.execution

    @property
    def workflow(self) -> Mapping[str, Json]:
        return self._data.workflow

    @property
    def timezone(self) -> str:
        return self._data.timezone

    def now_ms(self) -> int:
        return self._data.now_ms()

    @property
    def variables(self) -> Mapping[str, str]:
        return self._data.variables

    @property
    def environment(self) -> Mapping[str, str]:
        return self._data.environment

    def paired(self, name: str, index: int) -> Item:
        place = self._trace(name, index)
        return self._results[place.node][place.run].outputs[place.output][place.item]

    def first(self, name: str) -> Item | None:
        items = self._items(name)
        return items[0] if items else None

    def last(self, name: str) -> Item | None:
        items = self._items(name)
        return items[-1] if items else None

    def all(self, name: str) -> Items:
        return self._items(name)

    def at(self, name: str, index: int) -> Item:
        items = self._items(name)
        if index >= len(items):
            raise ExpressionProblem(f"The node '{name}' gave no item with the index {index}.")
        return items[index]

    def script_data(self, items: Items, reads: Reads, now_ms: int, first: int = 0) -> ScriptData:
        """Everything that sources which read this can ask for. first: the index of the first item among those that the
        running node got."""
        wanted = [name for name in self._results if reads.everything or name in reads.nodes]
        node = self._node
        paired = {name: self._pairs(name, range(first, first + len(items))) for name in wanted} if reads.pairs else {}
        return ScriptData(
            input=items if reads.whole_items else [projected_item(item, reads.item) for item in items],
            nodes={name: self._node_data(name, reads.nodes.get(name), paired) for name in wanted},
            paired=paired,
            workflow=self._data.workflow,
            execution=self._data.execution,
            variables=self._data.variables,
            environment=self._data.environment,
            node={
                "name": node.name,
                "id": node.id,
                "type": node.kind,
                "version": node.version,
                "webhookId": node.webhook_id,
                "parameters": self._data.plan.shown_parameters(node.name) if reads.parameters else {},
                "context": self._data.memory(node.name),
                "runIndex": self._task.given.run,
                "onError": node.on_error,
                "previous": self._previous(),
            },
            timezone=self._data.timezone,
            now_ms=now_ms,
            known=list(self._data.plan.workflow.nodes) if reads.nodes or reads.everything else [],
        )

    def _runs(self, name: str) -> Sequence[NodeResult]:
        runs = self._results.get(name)
        if runs:
            return runs
        if name in self._data.plan.workflow.nodes:
            raise ExpressionProblem(f"The node '{name}' has not run in this execution.")
        raise ExpressionProblem(f"There is no node '{name}' in this workflow.")

    def _items(self, name: str) -> Items:
        """The items that the node's last run gave at the output that leads here."""
        outputs = self._runs(name)[-1].outputs
        output = self._data.plan.output_towards(name, self._task.step.node.name)
        return outputs[output] if output < len(outputs) else []

    def _trace(self, name: str, index: int) -> ItemPosition:
        self._runs(name)
        sources = self._task.sources
        return self._pairing.trace(sources[0] if sources else None, index, name)

    def _node_data(self, name: str, reads: NodeReads | None, paired: Mapping[str, Sequence[Pair]]) -> Json:
        params = self._data.plan.shown_parameters(name)
        runs: list[dict[str, Json]] = [
            {"outputs": outputs, "params": params}  # type: ignore[dict-item]
            for outputs in self._outputs_read(name, reads, paired)
        ]
        if (memory := self._data.remembered(name)) is not None:
            runs[-1]["context"] = memory
        return {
            "runs": runs,  # type: ignore[dict-item]
            "output": self._data.plan.output_towards(name, self._task.step.node.name),
        }

    def _outputs_read(
        self, name: str, reads: NodeReads | None, paired: Mapping[str, Sequence[Pair]]
    ) -> Sequence[object]:
        """Per run of the node, its outputs as far as they are read."""
        runs = self._results[name]
        if reads is None or reads.fields is None:
            return [run.outputs for run in runs]
        if reads.paired:
            return _paired_outputs(runs, reads, paired.get(name, ()))
        return [_projected_outputs(run.outputs, reads) for run in runs]

    def _pairs(self, name: str, indexes: range) -> list[Pair]:
        return [self._pair(name, index) for index in indexes]

    def _pair(self, name: str, index: int) -> Pair:
        try:
            place = self._trace(name, index)
        except ExpressionProblem:
            return None
        last = place.run == len(self._results[name]) - 1
        there = self._pairing.item_at(place)
        if there is None:
            return None
        return [place.output, place.item] if last else [place.output, place.item, place.run]

    def _previous(self) -> Json:
        source = self._task.sources[0] if self._task.sources else None
        if source is None:
            return None
        return {"name": source.node, "outputIndex": source.output, "runIndex": source.run}


def _projected_outputs(outputs: Outputs, reads: NodeReads) -> list[list[Item]]:
    return [[projected_item(item, reads.fields) for item in items] for items in outputs]


def _paired_outputs(runs: Sequence[NodeResult], reads: NodeReads, pairs: Sequence[Pair]) -> list[object]:
    """Per run its outputs, with those items alone that input items descend from; null stands for the others."""
    outputs: list[list[list[Item | None]]] = [[[None] * len(items) for items in run.outputs] for run in runs]
    last = len(runs) - 1
    for pair in pairs:
        if pair is not None:
            output, place, run = pair if len(pair) == 3 else (*pair, last)
            outputs[run][output][place] = projected_item(runs[run].outputs[output][place], reads.fields)
    return list(outputs)
