"""Edit distance of texts, by Myers' bit vectors (J. ACM 46, 1999)."""

from __future__ import annotations

from collections.abc import Sequence


def units_of(text: str) -> Sequence[int]:
    """UTF-16 code units, by which JavaScript counts."""
    data = text.encode("utf-16-le", "surrogatepass")
    return memoryview(data).cast("H") if data else ()


def edit_distance(one: Sequence[int], other: Sequence[int]) -> int:
    """How many units have to be added, removed or replaced."""
    if not one or not other:
        return max(len(one), len(other))
    every = (1 << len(one)) - 1
    last = 1 << (len(one) - 1)
    places: dict[int, int] = {}
    for index, unit in enumerate(one):
        places[unit] = places.get(unit, 0) | (1 << index)
    plus, minus, distance = every, 0, len(one)
    for unit in other:
        equal = places.get(unit, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        more = minus | (~(horizontal | plus) & every)
        fewer = plus & horizontal
        distance += bool(more & last) - bool(fewer & last)
        more = ((more << 1) | 1) & every
        fewer = (fewer << 1) & every
        plus = fewer | (~(vertical | more) & every)
        minus = more & vertical
    return distance


def similarity(one: str, other: str) -> float:
    """1: they are the same; 0: nothing of them is."""
    first, second = units_of(one), units_of(other)
    longer = max(len(first), len(second))
    return 1.0 if not longer else 1 - edit_distance(first, second) / longer
