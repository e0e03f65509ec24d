"""Caps that a store over SQL holds by itself, beside what is added."""

from __future__ import annotations

from jackfield.api.storage import KEEP_ALL

_SHARE = 128
"""A cap may be passed by a part of it, of so many."""


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
