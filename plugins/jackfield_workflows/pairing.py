"""Following `pairedItem` back through the run: which item of an earlier node an item descends from.

Source: facts/workflow-service.md section 2.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from jackfield.api.records import state
from jackfield.api.workflows import Item
from jackfield_engine.loop.outputs import references_of
from jackfield_engine.loop.tasks import NodeResult, Source
from jackfield_workflows.scope import ExpressionProblem


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


@state
class Origin:
    """What an item descends from. found: items of the node that is looked for, two when there are more; broken: where
    a trace ended without one."""

    found: tuple[Place, ...] = ()
    broken: Place | None = None

    def add(self, other: Origin) -> None:
        self.found = (*self.found, *(place for place in other.found if place not in self.found))[:2]
        self.broken = self.broken or other.broken


def trace(
    results: Results, source: Source | None, index: int, name: str, known: dict[Place, Origin] | None = None
) -> Place:
    """The item of node `name` that the item at `index` of an input descends from. source: where that input comes from;
    known: what earlier traces to the same node found, so that many items made of the same many cost no more than one.

    Of several runs of the node, the nearest. Raises `ExpressionProblem` when there is none or more than one.
    """
    if source is None:
        raise _untraceable(name)
    first = _forked(results, Place(*source, index), name)
    return _only(name, _origin(results, first, name, {} if known is None else known))


def _forked(results: Results, place: Place, name: str) -> Place:
    """Back from one item to the only one before it, as far as that is so."""
    while place.node != name:
        item = item_at(results, place)
        if item is None or type(item.get("pairedItem")) is not dict or len(parents := _parents(results, place)) != 1:
            break
        place = parents[0]
    return place


def _origin(results: Results, first: Place, name: str, known: dict[Place, Origin]) -> Origin:
    if first in known:
        return known[first]
    path = [(first, _looked_at(results, first, name, known))]
    while path:
        place, parents = path[-1]
        parent = next(parents, None) if len(known[place].found) < 2 else None
        if parent is None:
            path.pop()
            if path:
                known[path[-1][0]].add(known[place])
        elif parent in known:
            known[place].add(known[parent])
        else:
            path.append((parent, _looked_at(results, parent, name, known)))
    return known[first]


def _looked_at(results: Results, place: Place, name: str, known: dict[Place, Origin]) -> Iterator[Place]:
    """Remember the place; what has to be looked at next."""
    if place.node == name:
        known[place] = Origin((place,) if item_at(results, place) is not None else ())
        return iter(())
    parents = _parents(results, place)
    known[place] = Origin(broken=None if parents else place)
    return iter(parents)


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


def _only(name: str, origin: Origin) -> Place:
    if len(origin.found) == 1:
        return origin.found[0]
    if origin.found:
        raise ExpressionProblem(
            f"The item comes from at least 2 items of the node '{name}', so that $('{name}').item is ambiguous; use "
            f"first(), last() or all() instead."
        )
    raise _untraceable(name, origin.broken)


def _untraceable(name: str, broken: Place | None = None) -> ExpressionProblem:
    where = f" (the trace ends at the node '{broken.node}')" if broken is not None else ""
    return ExpressionProblem(
        f"The item cannot be traced back to an item of the node '{name}'{where}; use first(), last() or all() instead, "
        f"or let the nodes between set pairedItem."
    )
