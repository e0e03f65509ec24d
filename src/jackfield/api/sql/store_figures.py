"""How long a store takes, for `/metrics`."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnosis import Metric
from ..time_spreads import TimeSpread

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Seconds."""


class StoreFigures:
    """Of one store in this process. Writes are added on the writer's thread, one by one."""

    def __init__(self) -> None:
        self._commits = TimeSpread(_BOUNDS)
        self._writes = TimeSpread(_BOUNDS)
        self._failures = 0

    def committed(self, waited: float, took: float) -> None:
        """A transaction is durable.

        `waited`: seconds that its oldest write waited for it. `took`: seconds of the transaction itself.
        """
        self._commits.add(took)
        self._writes.add(waited + took)

    def failed(self) -> None:
        """A transaction is not."""
        self._failures += 1

    def metrics(self, waiting: int) -> Iterator[Metric]:
        """For `/metrics`. waiting: writes that are not answered yet."""
        yield from self._commits.metrics("store_commit_seconds", "Transactions that write to the store.", {})
        about = "From the oldest write of a transaction until it is durable, its turn in the queue included."
        yield from self._writes.metrics("store_write_seconds", about, {})
        yield Metric("store_failures_total", "Transactions that the store did not take.", "counter", self._failures)
        yield Metric("store_writes_waiting", "Writes that the store has not answered yet.", "gauge", waiting)
