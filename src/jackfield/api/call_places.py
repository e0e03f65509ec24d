"""Bodies of calls that stand in the inputs of their executions, and are stored there alone.

A body is what stands at some places of the input, with `***` between them: there the history hides something.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from .caller_secrets import MASK

Places: TypeAlias = "tuple[tuple[int, int], ...]"
"""Offset and length of each, in bytes, in order; none: the body stands nowhere else."""
_MASK = MASK.encode()
_MOST = 64
"""Places of one body; one that hides more has its own text."""


def places_of(given: bytes, shown: str) -> Places:
    """Where a masked body stands in the one that came; none when something else than `***` was put into it."""
    parts = shown.encode("utf-8", "replace").split(_MASK, _MOST)
    if len(parts) > _MOST or not given.startswith(parts[0]):
        return ()
    found = [(0, len(parts[0]))]
    for part in parts[1:-1]:
        at = given.find(part, sum(found[-1]))
        if at < 0:
            return ()
        found.append((at, len(part)))
    if len(parts) > 1:
        found.append((len(given) - len(parts[-1]), len(parts[-1])))
        if found[-1][0] < sum(found[-2]) or not given.endswith(parts[-1]):
            return ()
    return tuple(found) if len(parts) > 1 or len(parts[0]) == len(given) else ()


def moved(places: Places, by: int) -> Places:
    """The same in a document that has the former one at this offset."""
    return tuple((at + by, size) for at, size in places)


def body_in(data: bytes, places: Iterable[tuple[int, int]]) -> str:
    """The body."""
    return _MASK.join(data[at : at + size] for at, size in places).decode("utf-8", "replace")


def told(places: Places) -> str:
    """As a store keeps them: `offset length offset length`."""
    return " ".join(f"{at} {size}" for at, size in places)


def read(text: str) -> Places:
    """Raises ValueError."""
    numbers = [int(part) for part in text.split()]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))
