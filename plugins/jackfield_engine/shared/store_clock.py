"""The clock of the store, by which executions that wait are due: daemons that share a store agree on it alone."""

from __future__ import annotations

from jackfield.api.clock import Clock

_SLOW_S = 0.5


class StoreClock:
    """As each renewal of the lease tells it, and as this machine has counted since, whatever happens to its own wall
    clock. A store that lacks its own clock goes by this machine's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: tuple[int, float] | None = None
        """Unix ms, and when that was (`boottime`). Renewals run in another thread: both change at once."""

    def told(self, now_ms: int | None, asked_at: float) -> None:
        """By the store. None: it has none. asked_at: when it was asked (`boottime`); it has looked half-way. An answer
        that took long says less than what was counted since an earlier one."""
        answered_at = self._clock.boottime()
        if now_ms is not None and (self._told is None or answered_at - asked_at < _SLOW_S):
            self._told = now_ms, (asked_at + answered_at) / 2

    @property
    def is_known(self) -> bool:
        """Whether the store has told its time yet."""
        return self._told is not None

    def now_ms(self) -> int:
        """Unix time in ms, UTC."""
        if self._told is None:
            return self._clock.now_ms()
        now, since = self._told
        return now + round((self._clock.boottime() - since) * 1000)

    def of(self, moment: int) -> int:
        """A time of this machine's clock by that of the store: as long from now. Both in Unix ms."""
        return moment if self._told is None else self.now_ms() + moment - self._clock.now_ms()
