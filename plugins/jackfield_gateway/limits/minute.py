"""How much there was in the last 60 seconds, to the second. It takes the same memory however much there was."""

from __future__ import annotations

SECONDS = 60


class SlidingMinute:
    """Amounts by the second in which they came. Times: seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._amounts: dict[int, float] = {}

    def add(self, now: float, amount: float) -> None:
        """amount: below 0 takes back what was added too much in that second."""
        self._forget(now)
        second = int(now)
        self._amounts[second] = self._amounts.get(second, 0.0) + amount

    def sum(self, now: float) -> float:
        self._forget(now)
        return sum(self._amounts.values())

    def room_after(self, now: float, most: float, wanted: float) -> float:
        """Seconds until so much more fits under `most`, at least 1; 60 where it never does."""
        left = self.sum(now)
        for second in sorted(self._amounts):
            left -= self._amounts[second]
            if left + wanted <= most:
                return max(1.0, second + SECONDS + 1 - now)
        return float(SECONDS)

    def _forget(self, now: float) -> None:
        """A second goes when all of it is old enough."""
        for second in [second for second in self._amounts if second + 1 + SECONDS <= now]:
            del self._amounts[second]
