"""Figures for `/metrics`, of the streams that this daemon has delivered since its start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Metric
from jackfield_log_streams.delivering import Deliveries

_FIGURES: Sequence[tuple[str, str, Literal["counter", "gauge"], str]] = (
    ("log_stream_sent_total", "Messages that a log stream's receiver has taken.", "counter", "sent"),
    ("log_stream_failures_total", "Batches that a log stream's receiver did not take.", "counter", "failures"),
    ("log_stream_dropped_total", "Events for which a log stream had no room.", "counter", "dropped"),
    ("log_stream_lost_total", "Records that retention dropped before a log stream had sent them.", "counter", "lost"),
    ("log_stream_behind", "Records of the audit log in the batch that a log stream sends just now.", "gauge", "behind"),
)  # fmt: skip


def metrics(context: PluginContext) -> Sequence[Metric]:
    deliveries = context.built_port(Deliveries)
    found = {} if deliveries is None else deliveries.figures
    return [
        Metric(name, told, kind, getattr(figures, field), {"stream": ident})
        for name, told, kind, field in _FIGURES
        for ident, figures in found.items()
    ]
