"""Can Prometheus read a plugin's samples? One that it cannot read would spoil the whole answer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from jackfield.api.diagnosis import Metric

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]{0,199}")
_LABEL = re.compile(r"(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,199}")
KERNEL_METRICS = frozenset(
    {
        "info",
        "http_requests_total",
        "http_request_seconds_total",
        "executions",
        "plugins_failed",
        "host_slots",
        "host_slots_used",
        "event_loop_lag_seconds",
    }
)
"""Names that the kernel writes itself."""


class SampleCheck:
    """The check of one answer: of two samples with the same name and labels the first counts."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._known: set[tuple[str, str, frozenset[tuple[str, str]]]] = set()

    def __call__(self, metric: Metric) -> Iterator[str]:
        """One clause, with the remedy, per mistake. It names the sample and never its value, which changes."""
        found = list(_mistakes(metric)) or list(self._conflicts(metric))
        shown = repr(metric.name)[:80]
        return (f"{mistake} (the sample {shown})" for mistake in found)

    def _conflicts(self, metric: Metric) -> Iterator[str]:
        if self._kinds.setdefault(metric.name, metric.kind) != metric.kind:
            yield f"its kind is not the {self._kinds[metric.name]} of the samples before it; name it otherwise"
            return
        known = (metric.name, metric.part, frozenset(metric.labels.items()))
        if known in self._known:
            yield "its name and labels are given already; tell them apart by a label"
        self._known.add(known)


def _mistakes(metric: Metric) -> Iterator[str]:
    name: object = metric.name
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        yield "its name is none; write letters, digits and _"
    elif name in KERNEL_METRICS:
        yield "its name is the kernel's; name it otherwise"
    text: object = metric.help
    if not isinstance(text, str) or len(text.splitlines()) > 1 or "\\" in text:
        yield "its help is no text of one line without a backslash"
    if metric.kind not in ("counter", "gauge", "histogram"):
        yield "its kind is none of counter, gauge and histogram"
    elif metric.part not in (("bucket", "sum", "count") if metric.kind == "histogram" else ("",)):
        yield "its part is none of its kind's; a histogram has bucket, sum and count, others have none"
    value: object = metric.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        yield "its value is no finite number"
    labels: object = metric.labels
    if not isinstance(labels, Mapping) or not all(
        isinstance(key, str) and _LABEL.fullmatch(key) and isinstance(label, str) for key, label in labels.items()
    ):
        yield "its labels are no mapping of names (letters, digits, _) to texts"


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False
