"""Which items are sent together, and whose results are whose."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.jsontext import dumps
from jackfield.api.nodes.items import pairs, repaired
from jackfield.api.nodes.unresolved import is_resolved
from jackfield.api.workflows import Items
from jackfield_vendors.parameters import OperationParameters


def grouped(resolved: Sequence[OperationParameters]) -> list[list[int]]:
    """Indexes of items: those of an operation with `together` that agree in its parameters, else each alone; in the
    order of their first."""
    groups: dict[tuple[int, bytes], list[int]] = {}
    for index, one in enumerate(resolved):
        together = one.compiled.described.together if is_resolved(one) else None
        if together is None:
            groups[(-1 - index, b"")] = [index]
            continue
        given = one.given()
        key = (id(one.compiled), dumps([given.get(name) for name in together]))
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def shared(made: Items, group: Sequence[int]) -> Items:
    """Results of items that were sent together: one each when there are as many, else each of all."""
    if len(group) == 1:
        return made
    if len(made) == len(group):
        return [repaired(item, index) for item, index in zip(made, group, strict=True)]
    return [repaired(item, pairs(group)) for item in made]
