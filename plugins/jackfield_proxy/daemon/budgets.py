"""Budgets of a profile: how much its proxy may spend in a day and in a month.

The ledger of usage tells how much was spent before, so that a budget survives restarts; from then on every record
counts as it comes. The amount that a request may use is held while it is in flight, so that requests that come together
do not all pass. Requests that are in flight when a budget ends are served to their end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.dialects.model import DialectError
from jackfield.api.errors import JackfieldError
from jackfield.api.gateway import has_room
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile
from jackfield.api.records import record, state
from jackfield.api.telemetry import Usage
from jackfield_proxy.plan import Refusal

Period: TypeAlias = Literal["day", "month"]
SOON = 1.0
"""Seconds after which to try again where requests in flight hold what is left."""
WARN_AT = 0.8
"""Share of a budget from which on listeners are warned."""


@record
class BudgetLimit:
    """Of one period in one unit."""

    period: Period
    unit: Literal["usd", "tokens"]
    most: float

    @property
    def name(self) -> str:
        return f"{self.period}.{self.unit}"

    def told(self, amount: float) -> str:
        return f"{amount:,.2f} USD" if self.unit == "usd" else f"{round(amount):,} tokens"


@record
class HeldAmount:
    """The most that a request in flight may use."""

    tokens: int
    usd: float

    def amount(self, unit: Literal["usd", "tokens"]) -> float:
        return self.usd if unit == "usd" else self.tokens


@state
class _Spent:
    """Since the period's begin, Unix ms."""

    start_ms: int
    end_ms: int
    usd: float = 0.0
    tokens: float = 0.0


class BudgetTracker:
    """The amount that one profile has spent in each period, and which of its limits that has reached."""

    def __init__(self, context: PluginContext, alias: str) -> None:
        self._context = context
        self._alias = alias
        self._limits: tuple[BudgetLimit, ...] = ()
        self._spent: dict[Period, _Spent] = {}
        self._read: set[Period] = set()
        self._warned: set[tuple[str, int, float]] = set()
        self._held: dict[str, HeldAmount] = {}

    @property
    def limited(self) -> bool:
        """Whether there is any budget."""
        return bool(self._limits)

    @property
    def in_usd(self) -> bool:
        """Whether any is in US dollars."""
        return any(limit.unit == "usd" for limit in self._limits)

    async def follow(self, profile: Profile) -> None:
        """Take its limits; what was spent is read once, and when a limit of another period comes."""
        self._limits = limits_of(profile.proxy_config or {})
        for period in dict.fromkeys(limit.period for limit in self._limits):
            if period not in self._read:
                await self._read_ledger(period)

    async def _read_ledger(self, period: Period) -> None:
        """A ledger that does not answer is asked again with the next look at the profile."""
        found = self._present(period)
        try:
            used = await self._context.port(Usage).spent(self._alias, found.start_ms)
        except JackfieldError as exc:
            self._context.log.warning(
                "The budget of %s does not know what was spent before: %s", self._alias, exc.message
            )
            return
        found.usd, found.tokens = used.cost.total, used.tokens.total
        self._read.add(period)

    def hold(self, request: str, tokens: int, usd: float) -> None:
        """Until `release`. Raises `DialectError` 429 where it does not fit beside other requests in flight, and where a
        budget is used up."""
        refusal = self.refusal()
        if refusal is not None:
            rest = max(1, math.ceil((refusal.until_ms - self._context.clock.now_ms()) / 1000))
            raise exceeded(refusal.message, rest)
        wanted = HeldAmount(tokens, usd)
        for limit in self._limits:
            used = _amount(self._present(limit.period), limit)
            held = sum(one.amount(limit.unit) for one in self._held.values())
            if not has_room(limit.most, used, held, wanted.amount(limit.unit)):
                left, needed = limit.told(limit.most - used), limit.told(held)
                message = f"{left} are left of the budget {limit.name}, and requests in flight may need {needed} of it."
                raise exceeded(message, SOON)
        self._held[request] = wanted

    def release(self, request: str) -> HeldAmount:
        """The request is over; what was held for it."""
        return self._held.pop(request, HeldAmount(0, 0.0))

    def add(self, tokens: int, usd: float) -> None:
        """A request was served."""
        for period in self._spent:
            found = self._present(period)
            found.usd += usd
            found.tokens += tokens
        for limit in self._limits:
            self._tell(limit)

    def refusal(self) -> Refusal | None:
        """Of the budget that is used up and resets last."""
        found: Refusal | None = None
        for limit in self._limits:
            spent = self._present(limit.period)
            used = _amount(spent, limit)
            if used >= limit.most and (found is None or spent.end_ms > found.until_ms):
                found = Refusal(self._message(limit, used, spent), spent.end_ms)
        return found

    def view(self) -> list[dict[str, Json]]:
        return [
            {
                "period": limit.period,
                "unit": limit.unit,
                "limit": limit.most,
                "spent": _amount(spent, limit),
                "resets_at": _moment(spent.end_ms),
            }
            for limit in self._limits
            for spent in [self._present(limit.period)]
        ]

    def _message(self, limit: BudgetLimit, used: float, spent: _Spent) -> str:
        return (
            f"The profile {self._alias} has used up its budget of {limit.told(limit.most)} a {limit.period} "
            f"({limit.told(used)}). It resets at {_moment(spent.end_ms)}; proxy_config.budgets.{limit.name} sets it."
        )

    def _tell(self, limit: BudgetLimit) -> None:
        """Once when most of it is gone, and once when all of it is."""
        spent = self._present(limit.period)
        used = _amount(spent, limit)
        for share, kind in ((1.0, "proxy_budget_exceeded"), (WARN_AT, "proxy_budget_warning")):
            mark = (f"{limit.name}={limit.most}", spent.start_ms, share)
            if used >= limit.most * share and mark not in self._warned:
                self._warned = {one for one in self._warned if one[1] >= spent.start_ms - 32 * 86_400_000} | {mark}
                self._publish(kind, limit, used, spent)
                return

    def _publish(self, kind: str, limit: BudgetLimit, used: float, spent: _Spent) -> None:
        whole = {"budget": limit.name, "limit": limit.most, "spent": used, "resets_at": _moment(spent.end_ms)}
        self._context.events.publish("proxy", kind, {"profile": self._alias, **whole})
        self._context.log.warning(
            "The profile %s has used %s of its budget of %s a %s.",
            self._alias,
            limit.told(used),
            limit.told(limit.most),
            limit.period,
        )

    def _present(self, period: Period) -> _Spent:
        """A new period begins with nothing spent."""
        found = self._spent.get(period)
        if found is None or self._context.clock.now_ms() >= found.end_ms:
            found = self._spent[period] = self._begun(period)
        return found

    def _begun(self, period: Period) -> _Spent:
        return _Spent(*bounds(period, self._context.clock.now_ms()))


def exceeded(message: str, retry_after: float) -> DialectError:
    return DialectError(429, message, "rate_limit_error", code="budget_exceeded", retry_after=retry_after)


def limits_of(config: Mapping[str, Json]) -> tuple[BudgetLimit, ...]:
    """As stored; the profile has checked it."""
    stored = config.get("budgets")
    found = []
    for period in ("day", "month"):
        one = stored.get(period) if isinstance(stored, dict) else None
        for unit in ("usd", "tokens"):
            most = one.get(unit) if isinstance(one, dict) else None
            if isinstance(most, int | float):
                found.append(BudgetLimit(period, unit, most))
    return tuple(found)


def bounds(period: Period, now_ms: int) -> tuple[int, int]:
    """Begin and end of the day or month, in local time, Unix ms."""
    now = datetime.fromtimestamp(now_ms / 1000).astimezone()
    if period == "month":
        start = datetime(now.year, now.month, 1)  # noqa: DTZ001 - local time, as the machine counts it
        end = datetime(now.year + now.month // 12, now.month % 12 + 1, 1)  # noqa: DTZ001 - in local time
    else:
        start = datetime(now.year, now.month, now.day)  # noqa: DTZ001 - in local time
        end = datetime.fromordinal(start.toordinal() + 1)
    return round(start.timestamp() * 1000), round(end.timestamp() * 1000)


def _amount(spent: _Spent, limit: BudgetLimit) -> float:
    return spent.usd if limit.unit == "usd" else spent.tokens


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().isoformat(timespec="seconds")
