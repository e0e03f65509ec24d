"""The facts that a proxy remembers of its targets: how busy, how fast, and whether they are to be left alone for a
while.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable

from jackfield.api.records import state
from jackfield_proxy.plan import ProxyLimits, Target

MOST = 10_000
"""Targets and sets of rules that are remembered; with a new one the oldest is forgotten."""
_NEW_SHARE = 0.3
"""Weight of the newest measurement in the moving average."""


@state
class _Record:
    busy: int = 0
    latency: float = 0.0
    failures: int = 0
    closed_until: float = 0.0


class TargetRecords:
    """now: a monotonic clock in seconds; draw: a random number in [0, 1)."""

    def __init__(self, now: Callable[[], float], draw: Callable[[], float] = random.random) -> None:
        self._now = now
        self.random = draw
        self._records: OrderedDict[Target, _Record] = OrderedDict()
        self._turns: OrderedDict[tuple[str, ...], int] = OrderedDict()

    def turn(self, names: tuple[str, ...]) -> int:
        """Counts up from 0 for each set of rules."""
        found = self._turns[names] = self.next_turn(names)
        if len(self._turns) > MOST:
            self._turns.popitem(last=False)
        return found

    def next_turn(self, names: tuple[str, ...]) -> int:
        """Which `turn` would give, without counting."""
        return self._turns.get(names, -1) + 1

    def busy(self, target: Target) -> int:
        return self._of(target).busy

    def latency(self, target: Target) -> float:
        """Seconds to the first byte, a moving average; 0: not measured yet."""
        return self._of(target).latency

    def open_for(self, target: Target) -> float:
        """Seconds for which it is to be left alone; 0: it may be asked."""
        return max(0.0, self._of(target).closed_until - self._now())

    def began(self, target: Target) -> None:
        self._of(target).busy += 1

    def ended(self, target: Target) -> None:
        self._of(target).busy -= 1

    def answered(self, target: Target, seconds: float) -> None:
        found = self._of(target)
        found.failures, found.closed_until = 0, 0.0
        found.latency += (seconds - found.latency) * (_NEW_SHARE if found.latency else 1.0)

    def failed(self, target: Target, limits: ProxyLimits, retry_after: float | None = None) -> None:
        """After several failures in a row, or when the provider says how long, it is left alone. When that time is
        over one more failure is enough."""
        found = self._of(target)
        found.failures += 1
        pause = 0.0 if retry_after is None else min(retry_after, limits.retry_after_limit)
        if found.failures >= limits.breaker_failures:
            pause = max(pause, limits.breaker_open)
        found.closed_until = max(found.closed_until, self._now() + pause) if pause else found.closed_until

    def _of(self, target: Target) -> _Record:
        found = self._records.get(target)
        if found is None:
            found = self._records[target] = _Record()
            if len(self._records) > MOST:
                oldest = next((key for key, one in self._records.items() if not one.busy and one is not found), None)
                if oldest is not None:
                    del self._records[oldest]
        return found


class TurnlessHealth:
    """`jackfield.api.proxy.TargetHealth` for an order by which no request for an answer is sent: it takes no turn."""

    def __init__(self, health: TargetRecords) -> None:
        self.turn, self.busy, self.latency, self.random = health.next_turn, health.busy, health.latency, health.random
