"""The account of one key: what it has used, what is reserved for its requests in flight, and whether one more fits.

All of it is in memory and decided at once, so that requests that come together see each other's reservations.
"""

from __future__ import annotations

import math

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import has_room
from jackfield.api.records import record, state
from jackfield_gateway.keys.virtual_key import PERIODS, KeyBudget, Period, Unit, VirtualKey
from jackfield_gateway.limits.day_names import DayNames
from jackfield_gateway.limits.minute import SlidingMinute
from jackfield_gateway.limits.periods import day_of, end_of, mark_of

SOON = 1.0
"""Seconds after which to try again where requests in flight hold what is left."""


@record
class Hold:
    """The most that a request may use. `at`: seconds of the clock that never goes back."""

    tokens: float
    usd: float
    at: float

    def amount(self, unit: Unit) -> float:
        return self.usd if unit == "usd" else self.tokens


@state
class PeriodUse:
    """Since the period's begin; mark: which one it is."""

    mark: int
    usd: float = 0.0
    tokens: float = 0.0

    def amount(self, unit: Unit) -> float:
        return self.usd if unit == "usd" else self.tokens


class KeyAccount:
    """Of one key, which may be replaced by a changed one."""

    def __init__(self, key: VirtualKey) -> None:
        self.key = key
        self.last_used_ms: int | None = None
        self.requests, self.usd, self.tokens = 0, 0.0, 0.0
        """Since the daemon has started."""
        self._used: dict[Period, PeriodUse] = {}
        self._held: dict[str, Hold] = {}
        self._names = DayNames()
        self._requests = SlidingMinute()
        self._tokens = SlidingMinute()

    @property
    def in_flight(self) -> int:
        """Requests that hold a reservation."""
        return len(self._held)

    def known(self, period: Period, usd: float, tokens: float, now_ms: int) -> None:
        """As it is kept of the current period."""
        found = self._present(period, now_ms)
        found.usd, found.tokens = usd, tokens

    def reserve(self, request: str, hold: Hold, now_ms: int) -> None:
        """Raises `DialectError` 402, 429."""
        self._require_request(hold.at)
        self._require_tokens(hold)
        for budget in self.key.budgets:
            self._require_budget(budget, hold, now_ms)
        self._hold(request, hold)
        self._tokens.add(hold.at, hold.tokens)

    def reserve_free(self, request: str, now: float) -> None:
        """One without a price, which takes neither tokens nor budgets. now: seconds of the clock that never goes back.
        Raises `DialectError` 429."""
        self._require_request(now)
        self._hold(request, Hold(0.0, 0.0, now))

    def release(self, request: str) -> Hold | None:
        """The request is over; what it held is free."""
        return self._held.pop(request, None)

    def withdraw(self, request: str) -> None:
        """The request is not sent after all: it counts nowhere."""
        hold = self.release(request)
        if hold is not None:
            self._requests.add(hold.at, -1)
            self._tokens.add(hold.at, -hold.tokens)

    def count(self, usd: float, tokens: float, hold: Hold | None, now_ms: int) -> None:
        """hold: what was reserved for it."""
        self.requests += 1
        self.usd += usd
        self.tokens += tokens
        for period in PERIODS:
            found = self._present(period, now_ms)
            found.usd += usd
            found.tokens += tokens
        if hold is not None:
            self._tokens.add(hold.at, tokens - hold.tokens)

    def counted_as(self, model: str, day: int, most: int) -> str:
        """Under which name its usage is kept: clients choose names as they like. most: names of one day."""
        return self._names.kept(model, day, most)

    def used(self, budget: KeyBudget, now_ms: int) -> tuple[float, float]:
        """The used and the reserved part of a budget."""
        held = sum(hold.amount(budget.unit) for hold in self._held.values())
        return self._present(budget.period, now_ms).amount(budget.unit), held

    def _hold(self, request: str, hold: Hold) -> None:
        self._held[request] = hold
        self._requests.add(hold.at, 1)

    def _require_request(self, now: float) -> None:
        """One more, whatever it costs."""
        most = self.key.parallel
        if most is not None and len(self._held) >= most:
            raise _limited(f"has {most} requests in flight already, as many as it may", SOON)
        each = self.key.requests
        if each is not None and self._requests.sum(now) >= each:
            raise _limited(f"may ask {each} requests a minute", self._requests.room_after(now, each, 1))

    def _require_tokens(self, hold: Hold) -> None:
        key, now = self.key, hold.at
        used = self._tokens.sum(now) if key.tokens is not None else 0.0
        # One request alone may be longer than a minute's share: it would never be served otherwise.
        if key.tokens is not None and used > 0 and used + hold.tokens > key.tokens:
            wait = self._tokens.room_after(now, key.tokens, min(hold.tokens, key.tokens))
            raise _limited(f"may use {key.tokens:,} tokens a minute", wait)

    def _require_budget(self, budget: KeyBudget, hold: Hold, now_ms: int) -> None:
        """Raises `DialectError` 402, 429."""
        used, held = self.used(budget, now_ms)
        if used >= budget.most:
            raise _used_up(budget, used, now_ms)
        if not has_room(budget.most, used, held, hold.amount(budget.unit)):
            raise _limited(
                f"has {budget.told(budget.most - used)} left of its budget {budget.name}, and its requests in flight "
                f"may need {budget.told(held)} of that",
                SOON,
            )

    def _present(self, period: Period, now_ms: int) -> PeriodUse:
        """A new period begins with nothing used."""
        mark = mark_of(period, day_of(now_ms))
        found = self._used.get(period)
        if found is None or found.mark != mark:
            found = self._used[period] = PeriodUse(mark)
        return found


def _limited(what: str, retry_after: float) -> DialectError:
    return DialectError(
        429, f"This key {what}.", "rate_limit_error", code="rate_limit_exceeded", retry_after=math.ceil(retry_after)
    )


def _used_up(budget: KeyBudget, used: float, now_ms: int) -> DialectError:
    """A budget that never comes back is a matter of billing; others come back."""
    told = f"This key has used up its budget {budget.name} of {budget.told(budget.most)} ({budget.told(used)})."
    end = end_of(budget.period, day_of(now_ms))
    if end is None:
        return DialectError(402, told, "billing_error", code="insufficient_quota")
    rest = max(1, math.ceil(end.timestamp() - now_ms / 1000))
    message = f"{told} It resets at {end.isoformat(timespec='seconds')}."
    return DialectError(429, message, "rate_limit_error", code="budget_exceeded", retry_after=rest)
