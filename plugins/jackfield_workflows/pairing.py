"""Following `pairedItem` back through the run: which item of an earlier node an item descends from.

Source: facts/workflow-service.md section 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jackfield.api.workflows import Item
from jackfield_workflows.outputs import references_of
from jackfield_workflows.scope import ExpressionProblem
from jackfield_workflows.tasks import NodeResult, Source


class Place(NamedTuple):
    """One item of one output of one run of a node."""

    node: str
    run: int
    output: int
    item: int


Results = Mapping[str, Sequence[NodeResult]]


def item_at(results: Results, place: Place) -> Item | None:
    """The item there, if there is one."""
    outputs = results[place.node][place.run].outputs
    if place.output < len(outputs) and place.item < len(outputs[place.output]):
        return outputs[place.output][place.item]
    return None


def trace(results: Results, source: Source | None, index: int, name: str) -> Place:
    """The item of node `name` that the item at `index` of an input descends from. source: where that input comes from.

    Of several runs of the node, the nearest. Raises `ExpressionProblem` when there is none or more than one.
    """
    if source is None:
        raise _untraceable(name)
    frontier = [Place(*source, index)]
    seen = set(frontier)
    found: set[Place] = set()
    broken: Place | None = None
    while frontier:
        place = frontier.pop()
        if place.node == name:
            found.add(place)
            continue
        parents = _parents(results, place)
        if not parents:
            broken = broken or place
        for parent in parents:
            if parent not in seen:
                seen.add(parent)
                frontier.append(parent)
    return _only(results, name, found, broken)


def _parents(results: Results, place: Place) -> list[Place]:
    item = item_at(results, place)
    if item is None:
        return []
    runs = results[place.node]
    parents: list[Place] = []
    for number, index, run in references_of(item.get("pairedItem")):
        sources = runs[place.run if run is None else min(run, place.run)].sources
        source = sources[index] if index < len(sources) else None
        if source is not None:
            parents.append(Place(*source, number))
    return parents


def _only(results: Results, name: str, found: set[Place], broken: Place | None) -> Place:
    there = [place for place in found if item_at(results, place) is not None]
    if len(there) == 1:
        return there[0]
    if there:
        raise ExpressionProblem(
            f"The item comes from {len(there)} items of the node '{name}', so that $('{name}').item is ambiguous; use "
            f"first(), last() or all() instead."
        )
    raise _untraceable(name, broken)


def _untraceable(name: str, broken: Place | None = None) -> ExpressionProblem:
    where = f" (the trace ends at the node '{broken.node}')" if broken is not None else ""
    return ExpressionProblem(
        f"The item cannot be traced back to an item of the node '{name}'{where}; use first(), last() or all() instead, "
        f"or let the nodes between set pairedItem."
    )
