"""The list that a program gives, as its elements come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from jackfield.api.json_slices import stored
from jackfield.api.jsontext import LARGE, Json
from jackfield.api.nodes.items import LONG
from jackfield.api.scripting.carried_over import CarriedOver
from jackfield.api.scripting.frames import Body, Frame, fitting
from jackfield.api.scripts import ScriptError
from jackfield.api.shared_keys import SHAPES
from jackfield.api.workflows import Item, Items

FIRST_ITEMS = 16
"""Items in the first batch; those after it have as many as fit."""
UNREADABLE = "The answer of the script's process can't be read."


def json_of(body: Body) -> Json:
    """Raises `ScriptError`: a program can spoil the answer for itself."""
    try:
        return orjson.loads(body) if len(body) < LARGE else stored(body)
    except ValueError:
        raise ScriptError(UNREADABLE, kind="crash") from None


async def long_json_of(body: Body) -> Json:
    """As `json_of`, of a body that may be long: on a thread then."""
    return json_of(body) if len(body) < LARGE else await asyncio.to_thread(json_of, body)


def batches(items: Items, line: Callable[[Items], bytes]) -> Iterator[tuple[bytes, int]]:
    """The items as lists in JSON, which have about the size of a frame, and how many are in each. line: writes one."""
    start, count = 0, FIRST_ITEMS
    while start < len(items):
        batch = items[start : start + count]
        written = line(batch)
        yield written, len(batch)
        start, count = start + count, fitting(len(batch), len(written))


class ScriptRows:
    """Takes the frames of one answer, from each as many elements as its number says. Of a long list, objects of the
    same form share their keys."""

    def __init__(self, given: Sequence[Item] = ()) -> None:
        """given: the input, from which a long list may have much."""
        self.rows: list[Json] = []
        self._carried_over = CarriedOver(given)

    async def take(self, frame: Frame) -> None:
        """Raises `ScriptError`."""
        if len(frame.body) < LARGE:
            self._add(frame)
        else:
            await asyncio.to_thread(self._add, frame)

    def value(self, answer: dict[str, Any]) -> Json:  # the answer's shape is the worker's
        """Of an answer whose list came before it, `rows` long, or which has its `value` with it. Raises
        `ScriptError`."""
        if "rows" not in answer and not self.rows:
            return answer.get("value")
        if answer.get("rows") != len(self.rows):
            raise ScriptError(UNREADABLE, kind="crash")
        return self.rows

    def _add(self, frame: Frame) -> None:
        found = json_of(frame.body)
        if not isinstance(found, list) or len(found) != frame.number:
            raise ScriptError(UNREADABLE, kind="crash")
        rows: Sequence[Json] = found
        if len(self.rows) >= LONG:
            rows = SHAPES.shared(found)
            self._carried_over.share(rows, len(self.rows))
        self.rows += rows
