"""The changes of several operations of a batch to one webhook or one call, taken together."""

from __future__ import annotations

from jackfield.api.records import state
from jackfield.api.storage import CallUpdate


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


@state
class CallChange:
    """The first status counts, and the last of everything else."""

    status: str | None = None
    response_status: int | None = None
    response_body: str | None = None
    response_truncated: bool | None = None
    duration_ms: int | None = None

    def add(self, update: CallUpdate) -> None:
        if self.status is None:
            self.status = update.status
        if update.response_status is not None:
            self.response_status = update.response_status
        if update.response_body is not None:
            self.response_body, self.response_truncated = update.response_body, update.response_truncated
        if update.duration_ms is not None:
            self.duration_ms = update.duration_ms

    def values(self) -> tuple[str | None, int | None, str | None, bool | None, int | None]:
        return self.status, self.response_status, self.response_body, self.response_truncated, self.duration_ms
