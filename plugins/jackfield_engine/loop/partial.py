"""Nodes with several inputs that wait for more of them."""

from __future__ import annotations

from jackfield.api.records import state
from jackfield.api.workflows import Items
from jackfield_engine.loop.graph import Graph, GraphLink, GraphStep
from jackfield_engine.loop.tasks import ItemSource


@state
class PartialInput:
    """One run that waits. inputs: None where nothing is yet; no items count as something."""

    step: GraphStep
    inputs: list[Items | None]
    sources: list[ItemSource | None]

    def full(self) -> bool:
        return all(items is not None for items in self.inputs)

    def releasable(self) -> bool:
        """Whether it may run with what it has."""
        return all(self.inputs[index] is not None for index in self.step.required if index < len(self.inputs))


class PartialInputs:
    """By node, the runs that wait, each under a number."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._waiting: dict[str, dict[int, PartialInput]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._waiting

    def put(self, link: GraphLink, items: Items, source: ItemSource) -> PartialInput | None:
        """Put items to the first waiting run of the node whose input is still free; that run when it is complete.

        A new run gets the count of those that wait as its number. Where an earlier one has it already, as n8n may have
        it, the new one takes its place.
        """
        waiting = self._waiting.setdefault(link.node, {})
        number = next((one for one in sorted(waiting) if waiting[one].inputs[link.input] is None), None)
        if number is None:
            number = len(waiting)
            step = self._graph.steps[link.node]
            waiting[number] = PartialInput(step, [None] * step.inputs, [None] * step.inputs)
        partial = waiting[number]
        partial.inputs[link.input] = items
        partial.sources[link.input] = source
        if not partial.full():
            return None
        self._drop(link.node, number)
        return partial

    def release(self) -> PartialInput | None:
        """Nothing else can run: the first waiting node that no other waiting node leads to runs with what it has. Runs
        without any item end here."""
        while (found := self._releasable()) is not None:
            name, number = found
            partial = self._waiting[name][number]
            self._drop(name, number)
            if any(partial.inputs):
                return partial
        return None

    def _releasable(self) -> tuple[str, int] | None:
        for name, waiting in self._waiting.items():
            number = min(waiting, key=str)
            if not self._leads(name) and waiting[number].releasable():
                return name, number
        return None

    def _leads(self, name: str) -> bool:
        """Whether another waiting node leads to this one."""
        return any(one in self._waiting for one in self._graph.ancestors.of(name))

    def _drop(self, name: str, number: int) -> None:
        del self._waiting[name][number]
        if not self._waiting[name]:
            del self._waiting[name]
