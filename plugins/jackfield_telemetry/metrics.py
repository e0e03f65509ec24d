"""Samples for `/metrics`: runs that have ended, and what runs and proxies have used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.diagnosis import Metric
from jackfield_telemetry.sinks.feed import SinkFeed

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.usage import RunUsage

MOST_LABELS = 400
"""Combinations of labels that one sample keeps apart; further agents and models are summed as `other`."""


class UsageCounts:
    """Tokens, cost and runs since this process began, as `/metrics` shows them."""

    def __init__(self, context: PluginContext) -> None:
        self._tokens: Counter[tuple[str, str, str]] = Counter()
        """(agent, model, kind) -> tokens of runs and proxies."""
        self._cost: dict[str, float] = {}
        """Agent -> US dollars of runs."""
        self._runs: Counter[tuple[str, str, str]] = Counter()
        """(agent, kind, result) -> runs that have ended."""

    def count_run(self, agent: str, kind: str, exit_code: int) -> None:
        result = "failure" if exit_code else "success"
        self._runs[_bounded(self._runs, (agent, kind, result), ("other", kind, result))] += 1

    def count_usage(self, agent: str, model: str, usage: RunUsage | None) -> None:
        if usage is None:
            return
        if usage.cost.total:
            self._cost[agent] = self._cost.get(agent, 0.0) + usage.cost.total
        for kind in ("input", "output", "cache_creation", "cache_read"):
            key = _bounded(self._tokens, (agent, model, kind), (agent, "other", kind))
            self._tokens[key] += getattr(usage.tokens, kind)

    def metrics(self) -> Sequence[Metric]:
        help = "Tokens that runs and proxies of this daemon have used."  # noqa: A001 - the sample's own word
        tokens = [
            Metric("usage_tokens_total", help, "counter", number, {"agent": agent, "model": model, "kind": kind})
            for (agent, model, kind), number in self._tokens.items()
        ]
        help = "US dollars that runs of this daemon have cost, where the price is known."  # noqa: A001
        cost = [
            Metric("usage_cost_usd_total", help, "counter", amount, {"agent": agent})
            for agent, amount in self._cost.items()
        ]
        help = "Runs of profiles and terminal sessions that have ended."  # noqa: A001
        runs = [
            Metric("usage_sessions_total", help, "counter", count, {"agent": agent, "kind": kind, "result": result})
            for (agent, kind, result), count in self._runs.items()
        ]
        return [*tokens, *cost, *runs]


def _bounded(
    counts: Counter[tuple[str, str, str]], key: tuple[str, str, str], other: tuple[str, str, str]
) -> tuple[str, str, str]:
    return key if key in counts or len(counts) < MOST_LABELS else other


def metrics(context: PluginContext) -> Sequence[Metric]:
    feed = context.built_port(SinkFeed)
    return [*context.port(UsageCounts).metrics(), *(feed.metrics() if feed is not None else ())]
