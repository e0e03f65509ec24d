"""Sums of usage, grouped and filtered: what every report is made of.

A `Slice` is a sum of answers that share the keys asked for and everything that decides their price. Reports add slices.
"""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Literal, TypeAlias

from jackfield.api.records import record
from jackfield.api.telemetry import Cost, Tokens, UsageEntry
from jackfield_telemetry.ledger.packing import STEPS
from jackfield_telemetry.ledger.schema import SLOT_MS
from jackfield_telemetry.prices.price_list import PriceTable
from jackfield_telemetry.prices.rates import Rates, surcharge
from jackfield_telemetry.reports.periods import TimeSpan, day_expression, day_of

Key: TypeAlias = Literal["date", "slot", "profile", "agent", "provider", "model", "session", "project", "source"]


@record
class UsageFilter:
    """The usage that counts.

    Empty texts: any. within: names of profiles, empty for usage of none; None: all of them.
    """

    span: TimeSpan = TimeSpan()
    profile: str = ""
    model: str = ""
    agent: str = ""
    provider: str = ""
    within: frozenset[str] | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether something but the span leaves out usage."""
        return self.within is not None or bool(self.profile or self.model or self.agent or self.provider)


@record
class Pricing:
    """tiers, cost: as the settings of these names."""

    table: PriceTable
    tiers: Literal["request", "marginal"] = "request"
    cost: Literal["auto", "calculate"] = "auto"

    def charged(self, rates: Rates, tokens: Tokens, step: int) -> Cost:
        """Of one answer. step: how many of `STEPS` its prompt exceeds."""
        if self.tiers == "marginal":
            return rates.base.cost(tokens).plus(surcharge(rates, tokens))
        return rates.at(STEPS[step - 1] if step else 0).cost(tokens)

    def cost_of(self, entry: UsageEntry) -> Cost | None:
        """None: the model's price is not known."""
        rates = self.table.rates(entry.model, entry.provider or "", entry.service_tier or "")
        if rates is None:
            return None
        tokens = entry.tokens
        return self.charged(rates, tokens, bisect_left(STEPS, tokens.input + tokens.cache_creation + tokens.cache_read))


@record
class Slice:
    """`keys`: values of the keys asked for, in their order; a date as YYYY-MM-DD, a slot as Unix ms. `count`: answers.
    `unpriced`: a model whose price is not known, so that its tokens are not in the cost. `first`, `last`: Unix ms.
    """

    keys: tuple[str | int, ...]
    tokens: Tokens
    cost: Cost
    count: int
    first: int
    last: int
    unpriced: str | None = None


_OF_DIM = {"agent": 0, "provider": 1, "profile": 2, "model": 3, "source": 5}
"""Keys that an entry's dim decides, and their places in it."""
_RUNS = {
    "slot": f"l.ended / {SLOT_MS} * {SLOT_MS}",
    "profile": "l.profile",
    "agent": "l.agent",
    "provider": "l.provider",
    "model": "l.model",
    "session": "l.name",
    "project": "''",
    "source": "'run'",
}


def slices(
    connection: sqlite3.Connection, where: UsageFilter, pricing: Pricing, by: Sequence[Key] = (), zone: tzinfo = UTC
) -> Iterator[Slice]:
    """Those of the ledger, then those of runs whose agent keeps no log."""
    yield from _answers(connection, where, pricing, by, zone)
    yield from _runs(connection, where, pricing, by, zone)


def sessions(
    connection: sqlite3.Connection, where: UsageFilter, by: Sequence[Key] = (), zone: tzinfo = UTC
) -> Iterator[tuple[tuple[str | int, ...], int | str]]:
    """(keys, identity of a session) for each session that has something under these keys. Runs and answers of one
    session have one identity."""
    view = _View(connection, where, by, zone, "s.slot")
    query = f"SELECT DISTINCT {_listed(['s.dim', *view.columns, 's.session'])} FROM slots AS s"  # noqa: S608 - our own names; values are parameters
    for dim, *own, identity in connection.execute(f"{query} WHERE s.count > 0{view.condition}", view.values):
        yield view.keys(dim, own), identity
    condition, values = _runs_condition(where)
    columns = _run_columns(connection, by, zone)
    same = "(SELECT id FROM sessions AS n WHERE n.agent = l.agent AND n.name = l.name AND l.name <> '')"
    other = "CASE l.name WHEN '' THEN 'line ' || l.position ELSE l.agent || ' ' || l.name END"
    query = f"SELECT DISTINCT {_listed([*columns, f'coalesce({same}, {other})'])} FROM lines AS l WHERE 1{condition}"  # noqa: S608 - our own names; values are parameters
    for *keys, identity in connection.execute(query, values):
        yield _named(by, keys), identity


def runtimes(
    connection: sqlite3.Connection, where: UsageFilter, by: Sequence[Key] = (), zone: tzinfo = UTC
) -> Iterator[tuple[tuple[str | int, ...], int, int]]:
    """(keys, milliseconds that runs took, when the last of them ended, Unix ms)."""
    condition, values = _runs_condition(where)
    columns = _run_columns(connection, by, zone)
    sums = [*columns, "sum(l.runtime)", "max(l.ended)"]
    query = (
        f"SELECT {_listed(sums)} FROM lines AS l WHERE 1{condition} GROUP BY {_numbers(columns)} HAVING count(*) > 0"  # noqa: S608 - our own names; values are parameters
    )
    for *keys, runtime, last in connection.execute(query, values):
        yield _named(by, keys), runtime, last


class _View:
    """How the ledger is asked: SQL groups by the numbers of dims and sessions; names are looked up afterwards."""

    def __init__(
        self, connection: sqlite3.Connection, where: UsageFilter, by: Sequence[Key], zone: tzinfo, slot: str
    ) -> None:
        self._by = by
        self.dims = dims_of(connection, where)
        self.columns = []
        for key in by:
            if key == "date":
                self.columns.append(day_expression(slot, *_bounds(connection), zone))
            elif key == "slot":
                self.columns.append(f"{slot} * {SLOT_MS}")
            elif key in ("session", "project"):
                self.columns.append("s.session")
        self._sessions: dict[int, tuple[str, str]] = {}
        if "session" in by or "project" in by:
            found = connection.execute("SELECT id, name, project FROM sessions")
            self._sessions = {id: (name, project) for id, name, project in found}  # noqa: A001 - the column
        self.condition, self.values = "", list[object]()
        if where.is_narrow:
            self.restrict(self.dims)
        # Borders of days are borders of slots.
        for border, sign in ((where.span.start, ">="), (where.span.end, "<")):
            if border is not None:
                self.condition += f" AND {slot} {sign} ?"
                self.values.append(border // SLOT_MS)

    def restrict(self, dims: Iterable[int]) -> None:
        self.condition += f" AND s.dim IN ({', '.join(str(int(dim)) for dim in dims)})"

    def keys(self, dim: int, own: Sequence[int]) -> tuple[str | int, ...]:
        """In the order of `by`. own: the values of `columns`."""
        names, found, place = self.dims[dim], list[str | int](), iter(own)
        for key in self._by:
            if key in _OF_DIM:
                found.append(names[_OF_DIM[key]])
            elif key == "date":
                found.append(day_of(next(place)))
            elif key == "slot":
                found.append(next(place))
            else:
                found.append(self._sessions[next(place)][key == "project"])
        return tuple(found)


def profile_names(connection: sqlite3.Connection) -> list[str]:
    """Of all profiles that have used something, also former ones."""
    sql = "SELECT profile FROM dims UNION SELECT profile FROM lines"
    return [str(name or "") for (name,) in connection.execute(sql)]


def dims_of(connection: sqlite3.Connection, where: UsageFilter) -> dict[int, tuple[str, ...]]:
    """Agent, provider, profile, model, tier and source, by the number that entries have of them."""
    condition, values = _condition(where, "d")
    query = "SELECT d.id, d.agent, d.provider, d.profile, d.model, d.tier, d.source FROM dims AS d WHERE 1"
    return {number: tuple(names) for number, *names in connection.execute(query + condition, values)}


def _answers(
    connection: sqlite3.Connection, where: UsageFilter, pricing: Pricing, by: Sequence[Key], zone: tzinfo
) -> Iterator[Slice]:
    view = _View(connection, where, by, zone, "s.slot")
    sums = [f"sum(s.{name})" for name in ("input", "output", "written", "read", "hours", "cost", "count")]
    grouped = ["s.dim", "s.step", "s.logged", *view.columns]
    listed = _listed([*sums, "min(s.first)", "max(s.last)", *grouped])
    query = f"SELECT {listed} FROM slots AS s WHERE s.count > 0{view.condition} GROUP BY {_listed(grouped)}"  # noqa: S608 - our own names; values are parameters
    for given, out, written, read, hours, cost, count, first, last, dim, step, logged, *own in connection.execute(
        query, view.values
    ):
        keys = view.keys(dim, own)
        _, provider, _, model, tier, _ = view.dims[dim]
        tokens = Tokens(given, out, written, read, hours)
        if logged and pricing.cost == "auto":
            yield Slice(keys, tokens, Cost(other=cost), count, first, last)
            continue
        rates = pricing.table.rates(model, provider, tier)
        if rates is None:
            yield Slice(keys, tokens, Cost(), count, first, last, model)
            continue
        rate = rates.base if pricing.tiers == "marginal" else rates.at(STEPS[step - 1] if step else 0)
        yield Slice(keys, tokens, rate.cost(tokens), count, first, last)
    if pricing.tiers == "marginal":
        yield from _beyond(connection, where, pricing, by, zone)


def _beyond(
    connection: sqlite3.Connection, where: UsageFilter, pricing: Pricing, by: Sequence[Key], zone: tzinfo
) -> Iterator[Slice]:
    """The marginal reading's surcharge on tokens beyond a threshold: slices with a cost and nothing else. Only entries
    with long prompts, of models with such prices, can have any."""
    view = _View(connection, where, by, zone, f"(s.time / {SLOT_MS})")
    stepped: dict[int, Rates] = {}
    for dim, (_, provider, _, model, tier, _) in view.dims.items():
        rates = pricing.table.rates(model, provider, tier)
        if rates is not None and rates.above:
            stepped[dim] = rates
    view.restrict(stepped)
    if pricing.cost == "auto":
        view.condition += " AND s.cost IS NULL"
    counts = ["s.input", "s.output", "s.written", "s.read", "s.hours"]
    listed = _listed(["s.dim", "s.time", *counts, *view.columns])
    query = f"SELECT {listed} FROM entries AS s WHERE s.step > 0{view.condition}"  # noqa: S608 - our own names; values are parameters
    for dim, time, given, out, written, read, hours, *own in connection.execute(query, view.values):
        cost = surcharge(stepped[dim], Tokens(given, out, written, read, hours))
        if cost.total:
            yield Slice(view.keys(dim, own), Tokens(), cost, 0, time, time)


def profile_answers(
    connection: sqlite3.Connection, pricing: Pricing, profile: str, start: int, end: int, source: str = ""
) -> Iterator[Slice]:
    """The answers in a profile's log between two moments, both included, Unix ms; keys: model, session. source: `log`
    or `proxy` alone."""
    query = (
        "SELECT d.model, n.name, d.provider, d.tier, e.step, e.cost, e.time, e.input, e.output, e.written, e.read, "
        "e.hours "
        "FROM dims AS d CROSS JOIN entries AS e ON e.dim = d.id AND e.profiled = 1 "
        "JOIN sessions AS n ON n.id = e.session WHERE d.profile = ? AND e.time BETWEEN ? AND ? AND ? IN ('', d.source)"
    )
    values = (profile, start, end, source)
    for model, session, provider, tier, step, logged, time, *counts in connection.execute(query, values):
        tokens, keys = Tokens(*counts), (model, session)
        rates = pricing.table.rates(model, provider, tier)
        if logged is not None and pricing.cost == "auto":
            yield Slice(keys, tokens, Cost(other=logged), 1, time, time)
        elif rates is None:
            yield Slice(keys, tokens, Cost(), 1, time, time, model)
        else:
            yield Slice(keys, tokens, pricing.charged(rates, tokens, step), 1, time, time)


def _runs(
    connection: sqlite3.Connection, where: UsageFilter, pricing: Pricing, by: Sequence[Key], zone: tzinfo
) -> Iterator[Slice]:
    """Runs whose tokens are in no log. Their lines have the costs; where not, the costs are calculated."""
    condition, values = _runs_condition(where)
    columns = _run_columns(connection, by, zone)
    fixed = ["l.model", "l.provider", "coalesce(l.cost_total, 0) > 0"]
    sums = [f"sum(l.{name})" for name in ("input", "output", "written", "read")]
    sums += [f"total(l.cost_{name})" for name in ("input", "output", "written", "read", "total")]
    listed = _listed([*columns, *fixed, *sums, "count(*)", "min(l.started)", "max(l.ended)"])
    grouped = _numbers([*columns, *fixed])
    query = f"SELECT {listed} FROM lines AS l WHERE l.counted = 0{condition} GROUP BY {grouped}"  # noqa: S608 - our own names; values are parameters
    for row in connection.execute(query, values):
        model, provider, known, given, out, written, read, *costs, count, first, last = row[len(by) :]
        tokens = Tokens(given, out, written, read)
        in_cost, out_cost, written_cost, read_cost, total = costs
        other = max(0.0, total - in_cost - out_cost - written_cost - read_cost)
        cost, unpriced = Cost(in_cost, out_cost, written_cost, read_cost, other), None
        if not known and tokens.total:
            rates = pricing.table.rates(model, provider)
            cost, unpriced = (rates.base.cost(tokens), None) if rates else (Cost(), model)
        yield Slice(_named(by, row[: len(by)]), tokens, cost, count, first, last, unpriced)


def _run_columns(connection: sqlite3.Connection, by: Sequence[Key], zone: tzinfo) -> list[str]:
    days = day_expression(f"(l.ended / {SLOT_MS})", *_bounds(connection), zone) if "date" in by else ""
    return [days if key == "date" else _RUNS[key] for key in by]


def _bounds(connection: sqlite3.Connection) -> tuple[int, int]:
    """The first and the last slot that anything is in."""
    # One aggregate a query: only then the index answers it.
    queries = ("min(slot) FROM slots", "max(slot) FROM slots", "min(ended) FROM lines", "max(ended) FROM lines")
    found = [connection.execute(f"SELECT {query}").fetchone()[0] for query in queries]
    known = [slot for slot in found[:2] if slot is not None]
    known += [ended // SLOT_MS for ended in found[2:] if ended is not None]
    return (min(known), max(known)) if known else (0, 0)


def _runs_condition(where: UsageFilter) -> tuple[str, list[object]]:
    condition, values = _condition(where, "l")
    for border, sign in ((where.span.start, ">="), (where.span.end, "<")):
        if border is not None:
            condition += f" AND l.ended {sign} ?"
            values.append(border)
    return condition, values


def _condition(where: UsageFilter, table: str) -> tuple[str, list[object]]:
    condition, values = "", list[object]()
    for name in ("profile", "model", "agent", "provider"):
        if value := getattr(where, name):
            condition += f" AND {table}.{name} = ?"
            values.append(value)
    if where.within is not None:
        condition += f" AND {table}.profile IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own names
        values.append(json.dumps(sorted(where.within)))
    return condition, values


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(columns)


def _numbers(columns: Sequence[str]) -> str:
    return ", ".join(str(number + 1) for number in range(len(columns))) or "NULL"


def _named(by: Sequence[Key], keys: Sequence[str | int]) -> tuple[str | int, ...]:
    return tuple(day_of(int(key)) if name == "date" else key for name, key in zip(by, keys, strict=True))
