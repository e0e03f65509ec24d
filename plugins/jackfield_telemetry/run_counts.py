"""Ended runs, for `/metrics`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.diagnosis import Metric
from jackfield.api.telemetry import TELEMETRY_SINKS

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.profiles import Launch
    from jackfield.api.telemetry import RunUsage

MOST_LABELS = 400
"""Combinations of agent, kind and result that are told apart; further agents are summed as `other`."""


class RunCounts:
    """`TelemetrySink` that only counts."""

    name = "run counts"

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    async def run_ended(self, launch: Launch, exit_code: int, usage: RunUsage | None) -> None:
        result = "failure" if exit_code else "success"
        key = (launch.profile.agent_id, launch.kind, result)
        if key not in self._counts and len(self._counts) >= MOST_LABELS:
            key = ("other", launch.kind, result)
        self._counts[key] += 1

    async def close(self) -> None:
        """Nothing is open."""

    def metrics(self) -> Sequence[Metric]:
        help = "Runs of profiles and terminal sessions that have ended."  # noqa: A001 - the sample's own word
        return [
            Metric("usage_sessions_total", help, "counter", count, {"agent": agent, "kind": kind, "result": result})
            for (agent, kind, result), count in self._counts.items()
        ]


def metrics(context: PluginContext) -> Sequence[Metric]:
    return [
        metric
        for sink in context.extensions(TELEMETRY_SINKS).values()
        if isinstance(sink, RunCounts)
        for metric in sink.metrics()
    ]
