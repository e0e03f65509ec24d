"""Reports: usage by day, week, month, session, or by who and what has used it.

Each is a fold over `slices`; weeks start on Monday.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date, timedelta, tzinfo
from typing import Literal, TypeAlias

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record, state
from jackfield.api.telemetry import Cost, Tokens
from jackfield_telemetry.reports.periods import TimeSpan, midnight
from jackfield_telemetry.reports.queries import Key, Pricing, Slice, UsageFilter, slices
from jackfield_telemetry.reports.windows import belongs

Kind: TypeAlias = Literal[
    "daily", "weekly", "monthly", "session", "blocks", "models", "agents", "providers", "profiles", "projects"
]
Breakdown: TypeAlias = Literal["model", "agent", "provider", "profile", "project", "none"]
Order: TypeAlias = Literal["asc", "desc"]
MOST_ROWS = 10_000
_ABOUT: tuple[Key, ...] = ("agent", "profile", "project")
_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)", re.ASCII)
_NAMES: Mapping[str, Key] = {
    "models": "model", "agents": "agent", "providers": "provider", "profiles": "profile", "projects": "project",
}  # fmt: skip


@record
class ReportScope:
    """The scope of a report.

    `project`: of answers whose directory it is, or ends with it. `limit`: rows, the last of the order by time, and of
    the others the greatest.
    """

    kind: Kind
    where: UsageFilter
    zone: tzinfo
    project: str = ""
    breakdown: Breakdown = "model"
    order: Order = "asc"
    limit: int = MOST_ROWS


@state
class Tally:
    """A running sum. count: answers; first, last: Unix ms."""

    tokens: Tokens = Tokens()
    cost: Cost = Cost()
    count: int = 0
    first: int = 0
    last: int = 0

    def add(self, more: Slice) -> None:
        self.tokens, self.cost = self.tokens.plus(more.tokens), self.cost.plus(more.cost)
        self.count += more.count
        self.first = min(self.first, more.first) if self.first else more.first
        self.last = max(self.last, more.last)


@state
class ReportRow:
    """`key`: a date, a Monday, YYYY-MM, a session's id, a name. `parts`: of the breakdown. `about`: of a session, the
    agent, the profile and the project that it belongs to.
    """

    key: str
    total: Tally = field(default_factory=Tally)
    parts: dict[str, Tally] = field(default_factory=dict)
    agents: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    about: dict[str, str] = field(default_factory=dict)

    def add(self, values: Mapping[Key, str], breakdown: Breakdown, more: Slice) -> None:
        self.total.add(more)
        self.agents.add(values["agent"])
        self.models.add(values["model"])
        if breakdown != "none":
            self.parts.setdefault(values[breakdown], Tally()).add(more)


@record
class UsageReport:
    """left_out: rows beyond the limit; the total is of those as well."""

    rows: Sequence[ReportRow]
    left_out: int
    total: Tally
    unpriced: frozenset[str]


def span_between(since: str, until: str, zone: tzinfo) -> TimeSpan:
    """Both days whole; empty: without this border. Raises `InvalidInput`."""
    start = midnight(_day("since", since), zone) if since else None
    end = midnight(_day("until", until) + timedelta(1), zone) if until else None
    if start is not None and end is not None and start >= end:
        raise InvalidInput("`until` is before `since`.", details={"until": "give a day that is not before since"})
    return TimeSpan(start, end)


def _day(name: str, text: str) -> date:
    found = _DATE.fullmatch(text)
    try:
        if found and 1970 <= int(found[1]) <= 9000:
            return date(*map(int, found.groups()))
    except ValueError:
        pass
    raise InvalidInput(
        f"`{name}` is no day: give YYYY-MM-DD or YYYYMMDD.", details={name: "give YYYY-MM-DD or YYYYMMDD"}
    )


def report(connection: sqlite3.Connection, pricing: Pricing, wanted: ReportScope) -> UsageReport:
    """Every kind but `blocks`."""
    row_of, sort_key = _shape(wanted.kind)
    rows: dict[tuple[str, ...], ReportRow] = {}
    total, unpriced = Tally(), set[str]()
    by = keys_for(wanted)
    for values, more in used(slices(connection, wanted.where, pricing, by, wanted.zone), by, wanted.project):
        made = row_of(values)
        row = rows.get(made) or rows.setdefault(made, ReportRow(made[-1]))
        row.add(values, wanted.breakdown, more)
        total.add(more)
        if wanted.kind == "session":
            row.about |= {name: values[name] for name in _ABOUT if values[name]}
        if more.unpriced is not None:
            unpriced.add(more.unpriced)
    ordered = sorted(rows.values(), key=sort_key)
    left_out = max(0, len(ordered) - wanted.limit)
    kept = ordered[left_out:]
    return UsageReport(kept if wanted.order == "asc" else kept[::-1], left_out, total, frozenset(unpriced))


def keys_for(wanted: ReportScope) -> tuple[Key, ...]:
    """The keys that keep slices apart. Those of agents, models and profiles cost nothing, sessions and projects do."""
    own: tuple[Key, ...] = ()
    if wanted.kind in ("daily", "weekly", "monthly"):
        own = ("date",)
    elif wanted.kind == "session":
        own = ("session", *_ABOUT)
    elif wanted.kind in _NAMES:
        own = (_NAMES[wanted.kind],)
    needed: list[Key] = [*own, "agent", "model"]
    if wanted.breakdown != "none":
        needed.append(wanted.breakdown)
    if wanted.project:
        needed.append("project")
    return tuple(dict.fromkeys(needed))


def used(found: Iterable[Slice], by: Sequence[Key], project: str) -> Iterable[tuple[dict[Key, str], Slice]]:
    """Slices of the project with their keys by name. A run whose usage nobody knows is none."""
    for one in found:
        values = {name: str(value) for name, value in zip(by, one.keys, strict=True)}
        if (one.tokens.total or one.cost.total) and (not project or belongs(values["project"], project)):
            yield values, one


_Place: TypeAlias = Callable[[Mapping[Key, str]], tuple[str, ...]]


def _shape(kind: Kind) -> tuple[_Place, Callable[[ReportRow], tuple[float, float, str]]]:
    """Where a slice belongs, its last part is the row's key; and the ascending order of rows."""
    if kind == "session":
        return lambda values: (values["agent"], values["session"]), lambda row: (row.total.last, 0, row.key)
    if kind in _NAMES:
        name = _NAMES[kind]
        return lambda values: (values[name],), lambda row: (row.total.cost.total, row.total.tokens.total, row.key)
    folds: dict[Kind, Callable[[str], str]] = {"daily": str, "weekly": _Weeks().monday, "monthly": _month}
    fold = folds[kind]
    return lambda values: (fold(values["date"]),), lambda row: (0, 0, row.key)


def _month(day: str) -> str:
    return day[:7]


class _Weeks:
    """Each day is looked up once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def monday(self, day: str) -> str:
        if day not in self._known:
            found = date.fromisoformat(day)
            self._known[day] = (found - timedelta(found.weekday())).isoformat()
        return self._known[day]
