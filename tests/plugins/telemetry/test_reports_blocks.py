"""Blocks: every answer is in exactly one, and where the present one leads."""

from __future__ import annotations

import tempfile
from datetime import UTC
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_lab import HOUR, MARGINAL, REQUEST, START, entries, entry, ledger_of

from jackfield.api.records import replace
from jackfield.api.telemetry import Cost, Tokens, UsageEntry
from jackfield_telemetry.prices.rates import surcharge
from jackfield_telemetry.reports.blocks import BlockReport, BlocksScope, block_report
from jackfield_telemetry.reports.periods import TimeSpan
from jackfield_telemetry.reports.queries import Pricing, UsageFilter
from jackfield_telemetry.reports.report import ReportScope
from jackfield_telemetry.reports.views import blocks_view

BASE = ReportScope("blocks", UsageFilter(), UTC)
FAR = START + 10_000 * HOUR


def made(found: list[UsageEntry], wanted: BlocksScope, pricing: Pricing = REQUEST) -> BlockReport:
    with tempfile.TemporaryDirectory() as directory:
        ledger = ledger_of(Path(directory), found)
        try:
            return ledger.read(lambda connection: block_report(connection, pricing, wanted))
        finally:
            ledger.close()


def windows_of(found: list[UsageEntry], hours: int) -> list[list[UsageEntry]]:
    """The same by hand: answer by answer."""
    groups: list[list[UsageEntry]] = []
    end = 0
    for one in sorted(found, key=lambda one: one.time_ms):
        if one.time_ms >= end:
            end = one.time_ms // HOUR * HOUR + hours * HOUR
            groups.append([])
        groups[-1].append(one)
    return groups


def cost_of(one: UsageEntry, pricing: Pricing) -> float:
    rates = pricing.table.rates(one.model)
    if rates is None:
        return 0.0
    tokens = one.tokens
    prompt = tokens.input + tokens.cache_creation + tokens.cache_read
    if pricing.tiers == "marginal":
        return rates.base.cost(tokens).plus(surcharge(rates, tokens)).total
    return rates.at(prompt - 1).cost(tokens).total if prompt else rates.base.cost(tokens).total


@settings(max_examples=60, deadline=None)
@given(
    found=entries(),
    hours=st.sampled_from([1, 5, 24]),
    pricing=st.sampled_from([REQUEST, MARGINAL]),
    breakdown=st.sampled_from(["model", "project", "none"]),
)
def test_blocks_part_the_answers(found: list[UsageEntry], hours: int, pricing: Pricing, breakdown: Any) -> None:
    reported = made(found, BlocksScope(replace(BASE, breakdown=breakdown), FAR, hours), pricing)
    blocks = [block for block in reported.blocks if not block.gap]
    expected = windows_of(found, hours)
    assert [block.row.total.count for block in blocks] == [len(group) for group in expected]
    for block, group in zip(blocks, expected, strict=True):
        assert all(block.window.start <= one.time_ms < block.window.end for one in group)
        assert (block.window.first, block.window.last) == (group[0].time_ms, group[-1].time_ms)
        total = Tokens()
        for one in group:
            total = total.plus(one.tokens)
        assert block.row.total.tokens == total
        assert block.row.total.cost.total == pytest.approx(sum(cost_of(one, pricing) for one in group))
    assert reported.total.tokens.total == sum(one.tokens.total for one in found)
    assert all(one.window.end <= two.window.start for one, two in pairwise(reported.blocks))


@settings(max_examples=20, deadline=None)
@given(found=entries(most=20))
def test_filters_count_before_blocks_are_made(found: list[UsageEntry]) -> None:
    base = replace(BASE, where=UsageFilter(agent="codex", model="m-two"), project="demo")
    reported = made(found, BlocksScope(base, FAR))
    # A session's project is the first that its log names.
    first: dict[tuple[str, str], str] = {}
    for one in found:
        first.setdefault((one.agent, one.session_id), one.project or "")
    kept = [one for one in found if one.agent == "codex" and one.model == "m-two"]
    kept = [one for one in kept if first[one.agent, one.session_id].endswith("/demo")]
    counts = [block.row.total.count for block in reported.blocks if not block.gap]
    assert counts == [len(group) for group in windows_of(kept, 5)]


def test_a_block_begins_with_the_hour_and_an_answer_at_its_end_is_in_the_next() -> None:
    found = [entry(1, START + HOUR // 3), entry(2, START + 5 * HOUR - 1), entry(3, START + 5 * HOUR)]
    blocks = made(found, BlocksScope(BASE, FAR)).blocks
    assert [(block.window.start - START, block.row.total.count) for block in blocks] == [(0, 2), (5 * HOUR, 1)]


def test_a_gap_is_told_when_nothing_was_used_for_longer_than_a_block() -> None:
    found = [
        entry(1, START + HOUR),
        entry(2, START + 4 * HOUR),
        entry(3, START + 10 * HOUR),
        entry(4, START + 14 * HOUR),
    ]
    blocks = made(found, BlocksScope(BASE, FAR)).blocks
    shape = [((block.window.start - START) // HOUR, (block.window.end - START) // HOUR, block.gap) for block in blocks]
    assert shape == [(1, 6, False), (6, 10, True), (10, 15, False)]
    assert made(found, BlocksScope(replace(BASE, order="desc"), FAR)).blocks[0].window.start == START + 10 * HOUR


def test_the_active_block_has_a_rate_and_leads_somewhere() -> None:
    minute = 60_000
    found = [
        entry(1, START - 48 * HOUR, Tokens(500)),
        entry(2, START, Tokens(60, 40, 0, 500)),
        entry(3, START + 30 * minute, Tokens(60, 40, 0, 500)),
    ]
    wanted = BlocksScope(BASE, START + 60 * minute, limit="max", active=True)
    reported = made(found, wanted)
    (view,) = blocks_view(reported, wanted)["rows"]
    assert (view["active"], reported.limit, view["limit_percent"]) == (True, 500, 240.0)
    rate, ahead = view["burn_rate"], view["projection"]
    assert rate["tokens_per_minute"] == pytest.approx(40)
    assert rate["uncached_tokens_per_minute"] == pytest.approx(200 / 30)
    assert rate["cost_per_hour"] == pytest.approx(2 * view["cost"]["total_cost"])
    assert (ahead["total_tokens"], ahead["remaining_minutes"]) == (1200 + 40 * 240, 240)
    assert ahead["limit_status"] == "exceeds"


@pytest.mark.parametrize(("limit", "status"), [(1300, "warning"), (1200, "warning"), (1199, "exceeds"), (1501, "ok")])
def test_a_projection_warns_before_the_limit(limit: int, status: str) -> None:
    found = [entry(1, START, Tokens(600)), entry(2, START + HOUR, Tokens(600))]
    wanted = BlocksScope(BASE, START + 5 * HOUR - 1, limit=limit)
    (view,) = blocks_view(made(found, wanted), wanted)["rows"]
    assert view["projection"]["limit_status"] == status


def test_one_answer_has_no_rate() -> None:
    wanted = BlocksScope(BASE, START + 1)
    (view,) = blocks_view(made([entry(1, START)], wanted), wanted)["rows"]
    assert view["active"]
    assert "burn_rate" not in view


def test_days_choose_blocks_and_do_not_move_them() -> None:
    found = [entry(number, START + number * 2 * HOUR) for number in range(24)]
    everything = made(found, BlocksScope(BASE, FAR)).blocks
    span = TimeSpan(START + 24 * HOUR, None)
    late = made(found, BlocksScope(replace(BASE, where=UsageFilter(span)), FAR)).blocks
    expected = [block.window for block in everything if block.window.start >= START + 24 * HOUR]
    assert [block.window for block in late] == expected
    assert made(found, BlocksScope(replace(BASE, limit=1), FAR)).left_out == len(everything) - 1


def test_no_use_is_an_empty_report() -> None:
    for pricing in (REQUEST, MARGINAL):
        reported = made([], BlocksScope(BASE, FAR, limit="max"), pricing)
        assert (list(reported.blocks), reported.limit, reported.total.cost) == ([], None, Cost())
