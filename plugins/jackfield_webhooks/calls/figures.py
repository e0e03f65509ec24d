"""Calls of triggers for `/metrics`: how they were answered, and how long that took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield.api.time_spreads import TimeSpread

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0)
"""Seconds."""


class KindCalls:
    """Of one kind of trigger.

    Its labels are few: the status codes of HTTP. `noted`: the code of each answer and the seconds from the head of its
    call until it was known. Every call notes them, with the list's own `append`, and whoever finds `MOST_NOTED` there
    settles them.
    """

    __slots__ = ("codes", "noted", "spread")

    def __init__(self) -> None:
        self.noted: list[tuple[int, float]] = []
        self.codes: dict[int, int] = {}
        self.spread = TimeSpread(_BOUNDS)

    def settle(self) -> None:
        """Count what is noted."""
        for code, seconds in self.noted:
            self.codes[code] = self.codes.get(code, 0) + 1
            self.spread.add(seconds)
        self.noted.clear()


class CallFigures:
    """Calls of live triggers that this process has answered."""

    def __init__(self, _: PluginContext) -> None:
        self._kinds: dict[str, KindCalls] = {}

    def of(self, kind: str) -> KindCalls:
        """The figures of one kind of trigger, to be added to."""
        return self._kinds.setdefault(kind, KindCalls())

    def metrics(self) -> Iterator[Metric]:
        """For `/metrics`."""
        for calls in self._kinds.values():
            calls.settle()
        about = "Answered calls of webhooks and triggers like them, by kind of trigger and HTTP status code."
        for kind, calls in self._kinds.items():
            for code, count in calls.codes.items():
                yield Metric("webhook_calls_total", about, "counter", count, {"kind": kind, "code": str(code)})
        about = "From the head of a call until its answer is known."
        for kind, calls in self._kinds.items():
            yield from calls.spread.metrics("webhook_answer_seconds", about, {"kind": kind})


def metrics(context: PluginContext) -> Sequence[Metric]:
    """The plugin's samples; none before the first call."""
    figures = context.built_port(CallFigures)
    return [] if figures is None else list(figures.metrics())
