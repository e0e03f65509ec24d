"""Which traces are recorded."""

from __future__ import annotations

_DIGITS = 16
"""The last digits of a trace's id decide, as in OpenTelemetry's sampler by ratio: every daemon decides alike."""
_ALL = 1 << 4 * _DIGITS


def sampled_by_ratio(trace_id: str, ratio: float) -> bool:
    """ratio: share of all traces that are, from 0 to 1."""
    return int(trace_id[-_DIGITS:], 16) < round(ratio * _ALL)
