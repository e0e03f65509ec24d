"""The counts of a daemon's processes, added up for `/metrics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jackfield.api.diagnosis import Metric
from jackfield.api.records import record, replace


@record
class ProcessCounts:
    """One process's figures of itself.

    `answers`: status -> requests. `seconds`: on them. `executions`: state -> number.
    """

    answers: dict[int, int]
    seconds: float
    executions: dict[str, int]
    metrics: Sequence[Metric]


class Sum:
    """Of several processes."""

    def __init__(self) -> None:
        self._answers: Counter[int] = Counter()
        self._seconds = 0.0
        self._executions: Counter[str] = Counter()
        self._metrics: dict[tuple[str, tuple[tuple[str, str], ...], str], Metric] = {}

    def add(self, counts: ProcessCounts, *, ended: bool = False) -> None:
        """ended: of a process that is gone: its counters stay, or the sums would go back; what it had then does not."""
        self._answers.update(counts.answers)
        self._seconds += counts.seconds
        if not ended:
            self._executions.update(counts.executions)
        for metric in counts.metrics:
            if not (ended and metric.kind == "gauge"):
                key = metric.name, tuple(sorted(metric.labels.items())), metric.part
                known = self._metrics.get(key)
                self._metrics[key] = metric if known is None else replace(known, value=known.value + metric.value)

    def counts(self) -> ProcessCounts:
        metrics = list(self._metrics.values())
        return ProcessCounts(dict(self._answers), self._seconds, dict(self._executions), metrics)
