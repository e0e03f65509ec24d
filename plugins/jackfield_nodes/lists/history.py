"""The values that deduplication remembers across executions.

A node run that is repeated after a crash must see what it saw the first time, else its items were lost. So each entry
says which run made it, and a run takes its own entries for new. The values themselves are not kept, only digests: they
may be secret, and of any size.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, MutableMapping, Sequence
from hashlib import blake2b
from typing import TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError

KEPT_RUNS = 1_000
"""Node runs whose state before is remembered for their repetition, where one limit stands for all values."""

Values: TypeAlias = "Sequence[str | float]"


def digest(text: str, size: int) -> str:
    """`size`: bytes."""
    return b64encode(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()).decode()


def digests(values: Values) -> list[str]:
    """The digests that are kept of values that tell items apart."""
    return [digest(str(value), 12) for value in values]


class SeenValues:
    """One scope's memory, in the hands of one node run."""

    def __init__(self, data: MutableMapping[str, Json], run: str) -> None:
        """data: changed in place; run: names the node run."""
        self._data = data
        self.run = digest(run, 6)

    def section(self, name: str) -> dict[str, Json]:
        """A part of it; what is there in another shape counts as nothing."""
        found = self._data.get(name)
        if not isinstance(found, dict):
            found = self._data[name] = {}
        return found

    def clear(self) -> None:
        self._data.clear()


Seen: TypeAlias = Callable[[SeenValues, Values, int], list[int]]
"""(history, values, size) -> the indexes of the values that are new; they are remembered, at most `size` of them."""


def keyed(history: SeenValues, values: Values, size: int) -> list[int]:
    """New is what is not remembered; values: see `digests`. Equal new values are all new. Raises `NodeError` for
    more of them than `size`."""
    known = history.section("values")
    names = [str(value) for value in values]
    new = [index for index, name in enumerate(names) if known.get(name, history.run) == history.run]
    if len({names[index] for index in new}) > size:
        raise NodeError(
            f"The input has more new values than the parameter options.historySize, which is {size}; raise it."
        )
    known.update((names[index], history.run) for index in new)
    for oldest in list(known)[: max(len(known) - size, 0)]:
        del known[oldest]
    return new


def incremental(name: str) -> Seen:
    """New is what is above the highest value of the runs before. name: tells this memory from others."""

    def above(history: SeenValues, values: Values, size: int) -> list[int]:
        known = history.section(name)
        runs = known.setdefault("runs", {})
        if not isinstance(runs, dict):
            runs = known["runs"] = {}
        before = runs.setdefault(history.run, known.get("highest"))
        for oldest in list(runs)[: max(len(runs) - KEPT_RUNS, 0)]:
            del runs[oldest]
        new = [index for index, value in enumerate(values) if not _is_number(before) or value > before]  # type: ignore[operator]
        given = [value for value in values if not isinstance(value, str)]
        highest = known.get("highest")
        known["highest"] = max([*given, highest] if isinstance(highest, int | float) else given, default=None)
        return new

    return above


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float)
