"""Caps that a store over SQL holds by itself, beside what is added."""

from __future__ import annotations

import time

from jackfield.api.storage import KEEP_ALL

_SHARE = 128
"""A cap may be passed by a part of it, of that many."""
_LATE = 500
"""Milliseconds by which an end may be stored after a later one: clocks differ, and writes wait."""
_EVERYWHERE = 60.0
"""Seconds after which what was passed over is looked at again."""


class Caps:
    """See `Store.hold_caps`. most: rows by which a cap may be passed before anything is deleted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._executions = self._calls = KEEP_ALL

    def hold(self, *, executions: int | None, calls: int | None) -> None:
        """None: as before. Called on the event loop's thread."""
        self._executions = self._executions if executions is None else executions
        self._calls = self._calls if calls is None else calls

    def _slack(self, cap: int) -> int:
        """By how much it is passed before anything is deleted."""
        return max(1, min(cap // _SHARE, self._most))

    def _is_passed(self, cap: int, by: int) -> bool:
        """Whether it is worth deleting what is beyond."""
        return by >= self._slack(cap) and cap < KEEP_ALL


class FirstEnd:
    """When the first of the kept executions have ended. Those that stay because open ones may ask for them are passed
    over, so that it does not matter how many there are. Now and then they are looked at again."""

    def __init__(self) -> None:
        self._since = 0
        self._again_at = 0.0

    def since(self) -> int:
        """Unix ms; what ended before needs no look now."""
        if time.monotonic() >= self._again_at:
            self._since = 0
            self._again_at = time.monotonic() + _EVERYWHERE
        return self._since

    def found(self, last: int | None, *, is_short: bool) -> bool:
        """Whether the rest of the wanted rows may be among the passed-over ones, such as rows that ended after a clock
        was set back. `last`: when the last one that went has ended, Unix ms; None: none went. `is_short`: there were
        fewer than wanted.
        """
        passed_over = self._since > 0
        if is_short:
            self._since = 0
        elif last is not None:
            self._since = max(last - _LATE, 0)
        return is_short and passed_over
