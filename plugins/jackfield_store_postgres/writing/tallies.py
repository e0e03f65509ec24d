"""The changes of several operations of a batch to one call, taken together."""

from __future__ import annotations

from jackfield.api.records import state
from jackfield.api.storage import CallUpdate


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
