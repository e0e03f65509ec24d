"""The last executions that listeners of one daemon heard of, and those to look at next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Sequence

from ...api.storage import OPEN_STATUSES, ExecutionRow

_REMEMBERED = 2000
"""Open executions, and as many that are over: those that end do not displace those that run for long."""
_SPARE = 4
"""One of that many looks goes to a waiting execution, whatever else there is: somebody may cancel it before its
time."""
_LATER = 2**63 - 1


class SeenExecutions:
    """At most 4,000 of them."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, int] = OrderedDict()
        """Until when (Unix ms) it waits, 0 if it does not. The one that was heard of longest ago comes first."""
        self._over: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, execution_id: object) -> bool:
        return execution_id in self._open or execution_id in self._over

    def is_over(self, execution_id: str) -> bool:
        return execution_id in self._over

    def clear(self) -> None:
        self._open.clear()
        self._over.clear()

    def opened(self, execution_id: str, until: int = 0) -> None:
        """It runs, or waits until a time (Unix ms). One that is over stays so."""
        if execution_id in self._over:
            return
        self._open[execution_id] = until
        self._open.move_to_end(execution_id)
        if len(self._open) > _REMEMBERED:
            self._open.popitem(last=False)

    def found(self, row: ExecutionRow) -> None:
        """The same, as the store has it."""
        if row.status in OPEN_STATUSES:
            self.opened(row.id, waits_until(row))
        else:
            self.ended(row.id)

    def ended(self, execution_id: str) -> None:
        self._open.pop(execution_id, None)
        self._over[execution_id] = None
        self._over.move_to_end(execution_id)
        if len(self._over) > _REMEMBERED:
            self._over.popitem(last=False)

    def next(self, now: int, most: int, apart: Container[str]) -> Sequence[str]:
        """Open ones in turn, those first that do not wait. now: Unix ms; apart: those that are known anyway."""
        ids = [execution_id for execution_id in self._open if execution_id not in apart]
        due = [execution_id for execution_id in ids if self._open[execution_id] <= now]
        waiting = [execution_id for execution_id in ids if self._open[execution_id] > now]
        spare = min(len(waiting), most // _SPARE)
        found = due[: most - spare]
        found += waiting[: most - len(found)]
        for execution_id in found:
            self._open.move_to_end(execution_id)
        return found


def waits_until(row: ExecutionRow) -> int:
    """Unix ms; 0: it does not wait."""
    if row.status != "waiting":
        return 0
    return _LATER if row.resume_at is None else row.resume_at
