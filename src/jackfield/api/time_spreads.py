"""How long things take, as histograms of `/metrics`, by labels of which only that many are kept apart."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from .diagnosis import Metric

MOST_NOTED = 1_000
"""Figures that a hot path notes until they are counted together, unless somebody reads them before."""
OTHER = "other"
"""Stands for every name without figures."""


class TimeSpread:
    """How many took how long. Prometheus counts each in all buckets above it. One thread adds; any may read."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        """bounds: seconds, ascending; above the last one is one bucket more."""
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._sum += seconds

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self._counts)

    def metrics(self, name: str, about: str, labels: Mapping[str, str]) -> Iterator[Metric]:
        """The samples of one histogram. None without any."""
        total = 0
        counts, spent = list(self._counts), self._sum
        if not any(counts):
            return
        for bound, count in zip((*map(str, self._bounds), "+Inf"), counts, strict=True):
            total += count
            yield Metric(name, about, "histogram", total, {**labels, "le": bound}, "bucket")
        yield Metric(name, about, "histogram", spent, labels, "sum")
        yield Metric(name, about, "histogram", total, labels, "count")


class BoundedSpreads:
    """Spreads by a name, of which the first `most` have their own; all others are one, `other`."""

    def __init__(self, bounds: Sequence[float], most: int) -> None:
        self._bounds = bounds
        self._most = most
        self._names: set[str] = set()
        self._spreads: dict[str, dict[str, dict[str, TimeSpread]]] = {}

    def add(self, name: str, first: str, second: str, seconds: float) -> None:
        """first, second: further labels, whose values are few. It is on hot paths: nothing is made for a known one."""
        try:
            self._spreads[name][first][second].add(seconds)
        except KeyError:
            self._made(name, first, second).add(seconds)

    def _made(self, name: str, first: str, second: str) -> TimeSpread:
        if name not in self._names:
            if len(self._names) >= self._most:
                name = OTHER
            else:
                self._names.add(name)
        seconds = self._spreads.setdefault(name, {}).setdefault(first, {})
        return seconds.setdefault(second, TimeSpread(self._bounds))

    def __iter__(self) -> Iterator[tuple[str, str, str, TimeSpread]]:
        for name, firsts in self._spreads.items():
            for first, seconds in firsts.items():
                for second, spread in seconds.items():
                    yield name, first, second, spread
