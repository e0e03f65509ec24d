"""Short rows in the store, all of a kind in one fact, so that every daemon of the store has the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, StoreUnavailable
from jackfield.api.json_values import Json

_LARGEST = 90_000
"""Characters of a fact's text, of the 100,000 that it may have."""
_TRIES = 20
RowT = TypeVar("RowT")
ResultT = TypeVar("ResultT")


class StoredRecords(Generic[RowT]):
    """Rows of one kind."""

    def __init__(
        self, context: PluginContext, fact: str, dump: Callable[[RowT], list[Json]], read: Callable[[list[Json]], RowT]
    ) -> None:
        self._context = context
        self._fact = fact
        self._dump = dump
        self._read = read
        self._kept: tuple[str | None, tuple[RowT, ...]] = (None, ())
        self._changing = asyncio.Lock()

    async def all(self) -> tuple[RowT, ...]:
        """As they were committed last, by whichever daemon. Raises `StoreUnavailable`."""
        return self._parsed(await self._context.store.fact(self._fact))

    def _parsed(self, text: str | None) -> tuple[RowT, ...]:
        if text == self._kept[0]:
            return self._kept[1]
        try:
            given = jsontext.loads((text or "[]").encode())
            rows = tuple(self._read(row) for row in given if isinstance(row, list)) if isinstance(given, list) else ()
        except (InvalidInput, TypeError, ValueError):
            self._context.log.error(
                "The fact %s of the store is damaged; whoever was let in by it has to be let in again.", self._fact
            )
            rows = ()
        self._kept = (text, rows)
        return rows

    def fits(self, rows: tuple[RowT, ...]) -> bool:
        """Whether the store has room for that many."""
        return len(self._text(rows)) <= _LARGEST

    def _text(self, rows: tuple[RowT, ...]) -> str:
        return jsontext.dumps([self._dump(row) for row in rows]).decode()

    async def change(self, work: Callable[[tuple[RowT, ...]], tuple[tuple[RowT, ...], ResultT]]) -> ResultT:
        """Replace the rows by what `work` makes of them; it may be asked again when another daemon was quicker. Returns
        its second part once it is durable. Raises `StoreUnavailable`, `TooMany`, and what `work` raises."""
        async with self._changing:
            for _ in range(_TRIES):
                before = await self._context.store.fact(self._fact)
                rows, result = work(self._parsed(before))
                text = self._text(rows)
                if len(text) > _LARGEST:
                    raise TooMany
                if text == before or await self._context.store.change_fact(self._fact, before, text):
                    return result
        raise StoreUnavailable("Many come at once; try again in a moment.")


class TooMany(Exception):
    """There is no room for one more."""
