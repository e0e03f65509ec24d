"""Memory of bodies by what they cost once they are parsed, which may be more than twenty times what was sent.

The daemon estimates the cost from the bytes before it parses them, and takes it from its budget. It gives the cost back
when nobody holds the `TakenMemory` any more. That object goes along with the body, into the execution that the body
starts.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import ParamSpec, TypeAlias, TypeVar
from weakref import WeakSet

from .errors import MemoryExhausted, PayloadTooLarge
from .headroom import Headroom

ParamsT = ParamSpec("ParamsT")
ResultT = TypeVar("ResultT")
SMALL = 64 * 1024
"""The daemon does not count bodies below that many bytes. They become 2.5 MB at worst, and the limits of requests and
of executions in memory bound their number."""
RETRY_AFTER_S = 2
BODY_BUDGET = "jackfield.body_budget"
"""Key of the daemon's `BodyBudget` in every request's scope."""
_PARSER = 16
"""Bytes that orjson needs for each byte of a document while it parses it: twelve, and what lies between."""
_XML = 400
"""Bytes that an element of XML costs: an object, its name and its place."""

# Bytes of CPython 3.11's objects, with what its allocator adds.
_EMPTY_OBJECT, _OBJECT, _FIELD, _FIELDS_IN_OBJECT = 64, 184, 50, 3
_EMPTY_LIST, _LIST, _PLACE = 56, 88, 9
_TEXT, _SCALAR = 57, 32
_WIDE_BYTES = tuple(bytes([first]) for first in range(0xF0, 0xF5))
"""The first byte of a character beyond the first plane: each of its text's characters then takes four bytes."""
_WIDE_ESCAPE = re.compile(rb"\\u[dD][89abAB]")
"""The first half of such a character."""

_LONGEST_ESCAPE = 4
"""Bytes of what `_WIDE_ESCAPE` finds."""
_SLICE = 256 * 1024
"""Bytes that are searched at a time: a few milliseconds, in which no other thread runs."""

Measured: TypeAlias = int
"""Bytes of memory."""


class TakenMemory:
    """Part of the budget, for as long as somebody holds this object."""

    __slots__ = ("__weakref__", "size")

    def __init__(self, size: int) -> None:
        """size: bytes."""
        self.size = size

    def release(self) -> None:
        """Give it back before the last holder goes."""
        self.size = 0


class BodyBudget:
    """The memory that bodies may take, together and each.

    One for the daemon; for the event loop's thread alone, but memory that was taken may be let go of anywhere.
    """

    def __init__(self, total: int, each: int, headroom: Headroom | None = None) -> None:
        """In bytes. each: of the body of one execution, or of one request of the API. headroom: where the system limits
        the process."""
        self._headroom = headroom
        self._total = total
        self._each = each
        self._taken: WeakSet[TakenMemory] = WeakSet()
        self.turn = asyncio.Semaphore(1)
        """Of the body that is worked on now: several threads that compute would keep the event loop waiting."""

    @property
    def used(self) -> int:
        """Bytes."""
        return sum(one.size for one in self._taken)

    def take(self, size: Measured, sent: int = 0) -> TakenMemory:
        """`sent`: bytes of the body, where a parser takes memory beside it.

        Raises `PayloadTooLarge` when one body may not have that much, and `MemoryExhausted` when there is not enough
        left now. Raises `MemoryShort` when the system would not give it.
        """
        if self._headroom is not None:
            # Others may be parsed at the same time, and have not taken all of theirs yet.
            self._headroom.check(size + sent * _PARSER + 2 * self.used)
        most = min(self._each, self._total)
        if size > most:
            name = "server.body_memory_per_execution" if self._each <= self._total else "server.body_memory"
            raise PayloadTooLarge(
                f"The body would take about {_megabytes(size)} MB of memory once it is parsed, and may take "
                f"{_megabytes(most)} MB. Send less at a time, or raise the setting {name}."
            )
        if self.used + size > self._total:
            raise MemoryExhausted(
                f"Large bodies take all the memory that they may have together ({_megabytes(self._total)} MB, the "
                "setting server.body_memory); send this one again in a moment.",
                headers=[("Retry-After", str(RETRY_AFTER_S))],
            )
        taken = TakenMemory(size)
        self._taken.add(taken)
        return taken


def budget_of(scope: Mapping[str, object]) -> BodyBudget | None:
    """The daemon's budget; None where a request did not come through the daemon."""
    found = scope.get(BODY_BUDGET)
    return found if isinstance(found, BodyBudget) else None


async def apart(
    budget: BodyBudget | None, work: Callable[ParamsT, ResultT], *args: ParamsT.args, **kwargs: ParamsT.kwargs
) -> ResultT:
    """The result of work on a large body, on a thread, one body after another."""
    async with nullcontext() if budget is None else budget.turn:
        return await asyncio.to_thread(work, *args, **kwargs)


def taken_for(scope: Mapping[str, object], size: Measured, sent: int = 0) -> TakenMemory | None:
    """Memory for a body of this request. Raises `PayloadTooLarge`, `MemoryExhausted`."""
    budget = budget_of(scope)
    return None if budget is None else budget.take(size, sent)


def json_memory(data: bytes) -> Measured:
    """About how many bytes the objects of this JSON take. It counts characters, also within texts, so that the answer
    is rather too high. 16 MiB take 60 to 200 ms, during which other threads run."""
    objects, lists = _count(data, b"{"), _count(data, b"[")
    empty_objects, empty_lists = _count(data, b"{}"), _count(data, b"[]")
    commas, fields = _count(data, b","), _count(data, b":")
    texts = _count(data, b'"') // 2
    filled_objects, filled_lists = objects - empty_objects, lists - empty_lists
    values = commas + filled_objects + filled_lists
    scalars = max(0, values - max(0, texts - fields) - objects - lists)
    size = empty_objects * _EMPTY_OBJECT + filled_objects * _OBJECT
    size += max(0, fields - _FIELDS_IN_OBJECT * filled_objects) * _FIELD
    size += empty_lists * _EMPTY_LIST + filled_lists * _LIST + max(0, values - fields) * _PLACE
    written = max(0, len(data) - commas - fields - 2 * (objects + lists + texts))
    return size + texts * _TEXT + scalars * _SCALAR + written * _width(data)


def body_memory(data: bytes, kind: str) -> Measured:
    """The same for a body of any media type. kind: without parameters, in lower case."""
    if kind == "application/json" or kind.endswith("+json"):
        return json_memory(data)
    if kind.endswith(("/xml", "+xml")):
        return _count(data, b"<") * _XML + len(data) * _width(data)
    if kind.startswith("text/") or kind == "application/x-www-form-urlencoded":
        return _count(data, b"&") * (_TEXT + _FIELD) + len(data) * _width(data)
    return 2 * len(data)


def _count(data: bytes, sign: bytes) -> int:
    """As `bytes.count`, which holds the interpreter to its end."""
    beyond = _SLICE + len(sign) - 1
    return sum(data.count(sign, begin, begin + beyond) for begin in range(0, len(data), _SLICE))


def _width(data: bytes) -> int:
    """Bytes that a character of the widest text may take."""
    if any(first in data for first in _WIDE_BYTES):
        return 4
    if not _count(data, b"\\u"):
        return 1 if data.isascii() else 2
    beyond = _SLICE + _LONGEST_ESCAPE - 1
    return 4 if any(_WIDE_ESCAPE.search(data, begin, begin + beyond) for begin in range(0, len(data), _SLICE)) else 2


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.0f}"
