"""How much there was in the last 60 seconds, to the second. It takes the same memory however much there was."""

from __future__ import annotations

from jackfield.api.records import state

SECONDS = 60


@state
class _Second:
    """The requests that came in it. `last`: when the last of it came."""

    last: float
    amount: float = 0.0


class SlidingMinute:
    """Amounts by the second in which they came. Times: seconds of a clock that never goes back."""

    def __init__(self) -> None:
        self._seconds: dict[int, _Second] = {}

    def add(self, now: float, amount: float) -> None:
        """amount: below 0 takes back what was added too much in that second."""
        self._forget(now)
        found = self._seconds.setdefault(int(now), _Second(now))
        found.last = max(found.last, now)
        found.amount += amount

    def sum(self, now: float) -> float:
        self._forget(now)
        return sum(one.amount for one in self._seconds.values())

    def room_after(self, now: float, most: float, wanted: float) -> float:
        """Seconds until that much more fits under `most`: 1 to 60, and 60 where it never does."""
        left = self.sum(now)
        for _, one in sorted(self._seconds.items()):
            left -= one.amount
            if left + wanted <= most:
                return min(float(SECONDS), max(1.0, one.last + SECONDS - now))
        return float(SECONDS)

    def _forget(self, now: float) -> None:
        """A second goes when the last of it is old enough: nobody gets more in any 60 seconds, or waits longer."""
        for second in [second for second, one in self._seconds.items() if one.last + SECONDS <= now]:
            del self._seconds[second]
