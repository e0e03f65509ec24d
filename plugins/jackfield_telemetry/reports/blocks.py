"""The report of windows (5 hours unless told): what each used, the gaps between them, and where the current one leads.

An answer exactly at a window's end is in the next one.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeAlias

from jackfield.api.records import record, replace, state
from jackfield_telemetry.reports.periods import TimeSpan
from jackfield_telemetry.reports.queries import Key, Pricing, Slice, slices
from jackfield_telemetry.reports.report import ReportRow, ReportScope, Tally, keys_for, used
from jackfield_telemetry.reports.windows import BlockWindow, windows

HOURS = 5
WARN = 0.8
"""Part of the limit from which on a projection is a warning."""
Level: TypeAlias = Literal["ok", "warning", "exceeds"]


@record
class BlocksScope:
    """limit: tokens, `max` for the largest block that has ended, 0 for none. active: the current block alone."""

    base: ReportScope
    now_ms: int
    hours: int = HOURS
    limit: int | Literal["max"] = 0
    active: bool = False


@record
class BlockPace:
    """Between the first and the last answer of a block: tokens per minute, those without cached ones, dollars per hour.

    `projected_tokens`, `projected_cost`: at the block's end, when it goes on like this. `remaining`: minutes.
    """

    tokens: float
    fresh_tokens: float
    cost: float
    projected_tokens: int
    projected_cost: float
    remaining: float


@state
class UsageBlock:
    """gap: between windows, when nothing was used for longer than one lasts. pace: of the active block, once it has
    answers of two moments."""

    window: BlockWindow
    row: ReportRow
    active: bool = False
    gap: bool = False
    pace: BlockPace | None = None


@record
class BlockReport:
    """limit: tokens, None: none was asked for, or `max` and no block has ended."""

    blocks: Sequence[UsageBlock]
    left_out: int
    total: Tally
    unpriced: frozenset[str]
    limit: int | None = None


@state
class _Sums:
    rows: dict[BlockWindow, ReportRow] = field(default_factory=dict)
    unpriced: dict[BlockWindow, set[str]] = field(default_factory=dict)


def block_report(connection: sqlite3.Connection, pricing: Pricing, wanted: BlocksScope) -> BlockReport:
    base = wanted.base
    known = windows(connection, base.where, base.project, wanted.hours)
    chosen = [window for window in known if _within(window, base.where.span)]
    if wanted.active:
        chosen = [window for window in chosen if _active(window, wanted.now_ms)]
    sums = _sums(connection, pricing, base, known if wanted.limit == "max" else chosen)
    total, unpriced = Tally(), set[str]()
    for window in chosen:
        _join(total, sums.rows[window].total)
        unpriced |= sums.unpriced.get(window, set())
    kept = chosen[max(0, len(chosen) - base.limit) :]
    found = list(_blocks(kept, sums.rows, wanted.now_ms))
    if base.order == "desc":
        found.reverse()
    return BlockReport(found, len(chosen) - len(kept), total, frozenset(unpriced), _limit(wanted, sums.rows))


def level(limit: int, tokens: int) -> Level:
    """The level of that many tokens against a limit."""
    if tokens > limit:
        return "exceeds"
    return "warning" if tokens > limit * WARN else "ok"


def _within(window: BlockWindow, span: TimeSpan) -> bool:
    return (span.start is None or window.start >= span.start) and (span.end is None or window.start < span.end)


def _active(window: BlockWindow, now_ms: int) -> bool:
    return window.start <= now_ms < window.end


def _sums(connection: sqlite3.Connection, pricing: Pricing, base: ReportScope, chosen: Sequence[BlockWindow]) -> _Sums:
    by = keys_for(base)
    made = _Sums({window: ReportRow("") for window in chosen})
    for window, found in _parts(connection, pricing, base, chosen, by):
        for values, more in used(found, by, base.project):
            made.rows[window].add(values, base.breakdown, more)
            if more.unpriced is not None:
                made.unpriced.setdefault(window, set()).add(more.unpriced)
    return made


def _parts(
    connection: sqlite3.Connection,
    pricing: Pricing,
    base: ReportScope,
    chosen: Sequence[BlockWindow],
    by: tuple[Key, ...],
) -> Iterator[tuple[BlockWindow, Iterable[Slice]]]:
    """SQL sums window by window. Where each such query would look at all entries or all sessions, once for all of them
    instead, slot by slot."""
    if pricing.tiers == "request" and "project" not in by:
        for window in chosen:
            where = replace(base.where, span=TimeSpan(window.start, window.end))
            yield window, slices(connection, where, pricing, by, base.zone)
        return
    starts = [window.start for window in chosen]
    where = replace(base.where, span=TimeSpan(starts[0], chosen[-1].end) if chosen else TimeSpan(0, 0))
    for one in slices(connection, where, pricing, ("slot", *by), base.zone):
        slot, *keys = one.keys
        place = bisect_right(starts, int(slot)) - 1
        if place >= 0 and int(slot) < chosen[place].end:
            yield chosen[place], [replace(one, keys=tuple(keys))]


def _blocks(chosen: Sequence[BlockWindow], rows: Mapping[BlockWindow, ReportRow], now_ms: int) -> Iterator[UsageBlock]:
    """By time, with the gaps between them."""
    before: BlockWindow | None = None
    for window in chosen:
        if before is not None and window.first - before.last > before.end - before.start and window.start > before.end:
            yield UsageBlock(BlockWindow(before.end, window.start, before.end, window.start), ReportRow(""), gap=True)
        active = _active(window, now_ms)
        yield UsageBlock(
            window, rows[window], active, pace=_pace(window, rows[window].total, now_ms) if active else None
        )
        before = window


def _pace(window: BlockWindow, total: Tally, now_ms: int) -> BlockPace | None:
    minutes = (window.last - window.first) / 60_000
    if minutes <= 0:
        return None
    remaining = max(0.0, (window.end - now_ms) / 60_000)
    tokens, cost = total.tokens.total / minutes, total.cost.total / minutes
    return BlockPace(
        tokens,
        (total.tokens.input + total.tokens.output) / minutes,
        cost * 60,
        round(total.tokens.total + tokens * remaining),
        total.cost.total + cost * remaining,
        remaining,
    )


def _limit(wanted: BlocksScope, rows: Mapping[BlockWindow, ReportRow]) -> int | None:
    if wanted.limit != "max":
        return wanted.limit or None
    ended = [row.total.tokens.total for window, row in rows.items() if not _active(window, wanted.now_ms)]
    return max(ended, default=0) or None


def _join(total: Tally, more: Tally) -> None:
    total.tokens, total.cost = total.tokens.plus(more.tokens), total.cost.plus(more.cost)
    total.count += more.count
    total.first = min(total.first, more.first) if total.first else more.first
    total.last = max(total.last, more.last)
