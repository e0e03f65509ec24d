"""The answer of `GET /api/usage`, and what `aggregates.json` holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import tzinfo

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.records import state
from jackfield.api.telemetry import Cost, Tokens
from jackfield_telemetry.reports.queries import Key, Pricing, Slice, UsageFilter, runtimes, sessions, slices

BY: tuple[Key, ...] = ("profile", "agent", "provider", "model", "date")


@state
class UsageGroup:
    """A running sum. last: Unix ms."""

    sessions: set[int | str]
    tokens: Tokens = Tokens()
    cost: Cost = Cost()
    runtime_ms: int = 0
    last: int = 0

    def add(self, more: Slice) -> None:
        self.tokens = self.tokens.plus(more.tokens)
        self.cost = self.cost.plus(more.cost)
        self.last = max(self.last, more.last)


def empty_group() -> UsageGroup:
    return UsageGroup(set())


@state
class UsageSummary:
    """total, and for each key of `BY` value -> group. unpriced: models. prices_as_of: the day of the prices."""

    total: UsageGroup
    groups: Mapping[Key, dict[str, UsageGroup]]
    unpriced: set[str]
    prices_as_of: str | None = None


def summarise(connection: sqlite3.Connection, where: UsageFilter, pricing: Pricing, zone: tzinfo) -> UsageSummary:
    """Dates are summed on their own: every day of every profile and model would be many more sums."""
    made = UsageSummary(empty_group(), {key: {} for key in BY}, set(), pricing.table.as_of)
    for more in slices(connection, where, pricing, BY[:-1], zone):
        for group in _groups(made, (*more.keys, "")):
            group.add(more)
        if more.unpriced is not None:
            made.unpriced.add(more.unpriced)
    for more in slices(connection, where, pricing, BY[-1:], zone):
        made.groups["date"].setdefault(str(more.keys[0]), empty_group()).add(more)
    for keys, identity in sessions(connection, where, BY, zone):
        for group in _groups(made, keys):
            group.sessions.add(identity)
    for keys, runtime, last in runtimes(connection, where, BY, zone):
        for group in _groups(made, keys):
            group.runtime_ms += runtime
            group.last = max(group.last, last)
    return made


def _groups(made: UsageSummary, keys: tuple[str | int, ...]) -> list[UsageGroup]:
    """Usage without a profile or provider is in no group of these."""
    found = [made.total]
    for name, value in zip(BY, keys, strict=True):
        if value:
            found.append(made.groups[name].setdefault(str(value), empty_group()))
    return found


def usage_view(made: UsageSummary, label: str) -> dict[str, Json]:
    """The specified form. Groupings beside `by_profile` have `sessions`, `runtime_secs` and `last_used` as well."""
    return {
        "period": label,
        "total_tokens": tokens_view(made.total.tokens),
        "total_cost": cost_view(made.total.cost),
        "total_sessions": len(made.total.sessions),
        "total_runtime_secs": made.total.runtime_ms // 1000,
        "aggregates": aggregates_view(made),
        "unpriced": list[Json](sorted(made.unpriced)),
        "prices_as_of": made.prices_as_of,
    }


def aggregates_view(made: UsageSummary) -> dict[str, Json]:
    return {
        f"by_{key}": {name: {key: name, **group_view(group)} for name, group in sorted(made.groups[key].items())}
        for key in BY
    }


def group_view(group: UsageGroup) -> dict[str, Json]:
    return {
        "tokens": tokens_view(group.tokens),
        "cost": cost_view(group.cost),
        "sessions": len(group.sessions),
        "runtime_secs": group.runtime_ms // 1000,
        "last_used": iso(group.last),
    }


def tokens_view(tokens: Tokens) -> dict[str, Json]:
    return {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_creation_input_tokens": tokens.cache_creation,
        "cache_read_input_tokens": tokens.cache_read,
    }


def cost_view(cost: Cost) -> dict[str, Json]:
    """The total may be more than its parts: some logs give one sum only."""
    return {
        "input_cost": cost.input,
        "output_cost": cost.output,
        "cache_creation_cost": cost.cache_creation,
        "cache_read_cost": cost.cache_read,
        "total_cost": cost.total,
    }
