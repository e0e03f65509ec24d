"""Lines of the log that a caller or a plugin may cause as often as it likes.

The log has few of a kind, and their number.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict

from jackfield.api.clock import Clock
from jackfield.api.limits import SlidingWindow

LINES, WINDOW = 3, 60.0
"""That many lines of a kind in that many seconds."""
KINDS = 1_000
"""That are remembered; the one that was quiet longest is forgotten first."""


class LineLimit:
    """May be asked on any thread."""

    def __init__(self, clock: Clock) -> None:
        self._lines = SlidingWindow(clock, LINES, WINDOW, KINDS)
        self._left_out: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def added(self, kind: str) -> str | None:
        """The text to add to a line of this kind: how many were left out since the last one. None: leave it out."""
        with self._lock:
            before = self._left_out.pop(kind, 0)
            if self._lines.hit(kind) is None:
                return f" ({before} more lines of this kind were left out.)" if before else ""
            self._left_out[kind] = before + 1
            if len(self._left_out) > KINDS:
                self._left_out.popitem(last=False)
            return None


class LimitedLines(logging.Filter):
    """For a library's logger: a kind of line is the text before its values are put in."""

    def __init__(self, limit: LineLimit) -> None:
        super().__init__()
        self._limit = limit

    def filter(self, record: logging.LogRecord) -> bool:
        added = self._limit.added(f"{record.name} {record.msg}")
        if added:
            record.msg, record.args = record.getMessage() + added, None
        return added is not None
