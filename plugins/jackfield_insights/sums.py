"""The sums of the counts of ended executions."""

from __future__ import annotations

from collections.abc import Iterable

from jackfield.api.records import record
from jackfield.api.storage.insights import EndedCount

PRODUCTION = ("webhook", "trigger", "retry", "error")
"""Modes of executions that nobody watches; those of sub-workflows are part of others."""


@record
class EndSums:
    """Executions by how they ended; `total` is all of them together. took_ms: of those that succeeded or failed.
    saved_minutes: that the successful ones have saved."""

    success: int = 0
    failed: int = 0
    cancelled: int = 0
    took_ms: int = 0
    saved_minutes: float = 0.0

    @property
    def total(self) -> int:
        return self.success + self.failed + self.cancelled

    @property
    def over(self) -> int:
        """Those that came to an end by themselves, as n8n counts them."""
        return self.success + self.failed

    @property
    def failure_rate(self) -> float:
        """From 0 to 1; 0 without any."""
        return self.failed / self.over if self.over else 0.0

    @property
    def average_ms(self) -> float:
        return self.took_ms / self.over if self.over else 0.0

    def and_of(self, count: EndedCount, minutes: float = 0.0) -> EndSums:
        """minutes: that one success saves."""
        took = 0 if count.status == "cancelled" else count.took_ms
        success, failed = count.number * (count.status == "success"), count.number * (count.status == "failed")
        return EndSums(
            self.success + success,
            self.failed + failed,
            self.cancelled + count.number - success - failed,
            self.took_ms + took,
            self.saved_minutes + success * minutes,
        )

    def together(self, other: EndSums) -> EndSums:
        return EndSums(
            self.success + other.success,
            self.failed + other.failed,
            self.cancelled + other.cancelled,
            self.took_ms + other.took_ms,
            self.saved_minutes + other.saved_minutes,
        )


def by_key(counts: Iterable[EndedCount], minutes: dict[str, float] | None = None) -> dict[str | int, EndSums]:
    """minutes: by workflow, where keys are workflows."""
    found: dict[str | int, EndSums] = {}
    for count in counts:
        saved = (minutes or {}).get(str(count.key), 0.0)
        found[count.key] = found.get(count.key, EndSums()).and_of(count, saved)
    return found


def all_of(sums: Iterable[EndSums]) -> EndSums:
    found = EndSums()
    for each in sums:
        found = found.together(each)
    return found
