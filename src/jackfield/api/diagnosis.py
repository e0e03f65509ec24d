"""The findings of `jackfield doctor`, and figures for `/metrics`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from .records import record


@record
class Finding:
    """One line of `jackfield doctor`. message: one sentence, with the remedy when it is not good."""

    subject: str
    good: bool
    message: str


@record
class Metric:
    """One sample of `/metrics`. name: without the prefix `jackfield_`; a counter's ends in `_total`. part: of a
    histogram. Its buckets have the label `le`, come from the lowest to `+Inf`, and each counts those below it too."""

    name: str
    help: str
    kind: Literal["counter", "gauge", "histogram"]
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    part: Literal["", "bucket", "sum", "count"] = ""
