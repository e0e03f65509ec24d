"""Following `pairedItem` back through the run: which item of an earlier node an item descends from."""

from __future__ import annotations

from collections.abc import Iterator

from jackfield.api.expressions import EndedRuns, ExpressionProblem, ItemPosition, references_of
from jackfield.api.records import state
from jackfield.api.workflows import Item


@state
class Origin:
    """The items that an item descends from. `found`: items of the node that is looked for, two when there are more.
    `broken`: where a trace ended without one."""

    found: tuple[ItemPosition, ...] = ()
    broken: ItemPosition | None = None

    def add(self, other: Origin) -> None:
        self.found = (*self.found, *(place for place in other.found if place not in self.found))[:2]
        self.broken = self.broken or other.broken


class ItemPairing:
    """`Pairing`. The result of earlier traces to the same node is known, so that many items made of the same many cost
    no more than one."""

    def __init__(self, runs: EndedRuns) -> None:
        self._runs = runs
        self.known: dict[str, dict[ItemPosition, Origin]] = {}
        """Per node that was looked for, the origins of the places that were looked at."""

    def item_at(self, place: ItemPosition) -> Item | None:
        outputs = self._runs[place.node][place.run].outputs
        if place.output < len(outputs) and place.item < len(outputs[place.output]):
            return outputs[place.output][place.item]
        return None

    def trace(self, source: tuple[str, int, int] | None, index: int, name: str) -> ItemPosition:
        if source is None:
            raise _untraceable(name)
        first = self._forked(ItemPosition(*source, index), name)
        return _only(name, self._origin(first, name, self.known.setdefault(name, {})))

    def _forked(self, place: ItemPosition, name: str) -> ItemPosition:
        """Back from one item to the only one before it, as far as that is so."""
        while place.node != name:
            item = self.item_at(place)
            if item is None or type(item.get("pairedItem")) is not dict or len(parents := self._parents(place)) != 1:
                break
            place = parents[0]
        return place

    def _origin(self, first: ItemPosition, name: str, known: dict[ItemPosition, Origin]) -> Origin:
        if first in known:
            return known[first]
        path = [(first, self._looked_at(first, name, known))]
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
                path.append((parent, self._looked_at(parent, name, known)))
        return known[first]

    def _looked_at(self, place: ItemPosition, name: str, known: dict[ItemPosition, Origin]) -> Iterator[ItemPosition]:
        """Remember the place; what has to be looked at next."""
        if place.node == name:
            known[place] = Origin((place,) if self.item_at(place) is not None else ())
            return iter(())
        parents = self._parents(place)
        known[place] = Origin(broken=None if parents else place)
        return iter(parents)

    def _parents(self, place: ItemPosition) -> list[ItemPosition]:
        item = self.item_at(place)
        if item is None:
            return []
        runs = self._runs[place.node]
        parents: list[ItemPosition] = []
        for number, index, run in references_of(item.get("pairedItem")):
            sources = runs[place.run if run is None else min(run, place.run)].sources
            source = sources[index] if index < len(sources) else None
            if source is not None:
                parents.append(ItemPosition(*source, number))
        return parents


def _only(name: str, origin: Origin) -> ItemPosition:
    if len(origin.found) == 1:
        return origin.found[0]
    if origin.found:
        raise ExpressionProblem(
            f"The item comes from at least 2 items of the node '{name}', so that $('{name}').item is ambiguous; use "
            f"first(), last() or all() instead."
        )
    raise _untraceable(name, origin.broken)


def _untraceable(name: str, broken: ItemPosition | None = None) -> ExpressionProblem:
    where = f" (the trace ends at the node '{broken.node}')" if broken is not None else ""
    return ExpressionProblem(
        f"The item cannot be traced back to an item of the node '{name}'{where}; use first(), last() or all(), or let "
        "the nodes between set pairedItem."
    )
