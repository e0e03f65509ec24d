"""Memory of executions that come back from the store: several large ones at once would take all there is."""

from __future__ import annotations

from weakref import WeakSet

from jackfield.api.body_budget import SMALL, TakenMemory, json_memory
from jackfield.api.storage import StoredExecution
from jackfield_engine.lifecycle.resuming import within_slices

_MOST_KNOWN = 10_000
"""Executions without room that are remembered."""


class ReadBack:
    """The memory that executions that came back take together, as long as they are in memory. Small ones do not count,
    and one may always come."""

    def __init__(self, limit: int) -> None:
        """limit: bytes of memory."""
        self._limit = limit
        self._taken: WeakSet[TakenMemory] = WeakSet()
        self._known: dict[str, int] = {}
        """Bytes of executions that had no room, so that nobody reads them again in vain."""

    def may_come(self, execution_id: str) -> bool:
        """False when there is still no room for an execution that had none."""
        return self._fits(self._known.get(execution_id, 0))

    async def reserve(self, stored: StoredExecution, *, always: bool = False) -> TakenMemory | None:
        """Its memory, which goes with whoever holds it; None when there is no room now. always: take it even so."""
        size = await within_slices(stored, lambda: _memory(stored))
        if not (always or self._fits(size)):
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[stored.row.id] = size
            return None
        self._known.pop(stored.row.id, None)
        taken = TakenMemory(size)
        if size:
            self._taken.add(taken)
        return taken

    def _fits(self, size: int) -> bool:
        used = sum(one.size for one in self._taken)
        return not (used and size) or used + size <= self._limit


def _memory(stored: StoredExecution) -> int:
    """About how many bytes its input and its steps take once they are parsed."""
    return sum(json_memory(data) for data in (stored.input, *stored.steps) if len(data) >= SMALL)
