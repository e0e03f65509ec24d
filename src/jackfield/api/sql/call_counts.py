"""Additions of a batch's operations to the figures of a webhook."""

from __future__ import annotations

from ..records import state


@state
class CallCounts:
    """Of one webhook."""

    total: int = 0
    success: int = 0
    failed: int = 0
    rejected: int = 0
    last_call: int | None = None

    def at(self, time: int, count: int) -> None:
        self.total += count
        if self.last_call is None or time > self.last_call:
            self.last_call = time

    def ended(self, status: str, count: int = 1) -> None:
        if status == "success":
            self.success += count
        elif status in ("failed", "timeout"):
            self.failed += count
        elif status == "rejected":
            self.rejected += count

    def values(self) -> tuple[int, int, int, int, int | None]:
        return self.total, self.success, self.failed, self.rejected, self.last_call
