"""Reports: what is in which row, and that nothing is lost or counted twice."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_lab import MARGINAL, REQUEST, START, entries, entry, ledger_of

from jackfield.api.errors import InvalidInput
from jackfield.api.records import replace
from jackfield.api.telemetry import Tokens, UsageEntry
from jackfield_telemetry.reports.blocks import BlocksScope, block_report
from jackfield_telemetry.reports.queries import Pricing, UsageFilter
from jackfield_telemetry.reports.report import Kind, ReportScope, UsageReport, report, span_between
from jackfield_telemetry.reports.summary import summarise
from jackfield_telemetry.reports.views import blocks_view, report_view

DAY = 86_400_000
BERLIN = ZoneInfo("Europe/Berlin")
KINDS: list[Kind] = ["daily", "weekly", "monthly", "session", "models", "agents", "profiles", "projects"]


def made(found: list[UsageEntry], wanted: ReportScope, pricing: Pricing = REQUEST) -> UsageReport:
    with tempfile.TemporaryDirectory() as directory:
        ledger = ledger_of(Path(directory), found)
        try:
            return ledger.read(lambda connection: report(connection, pricing, wanted))
        finally:
            ledger.close()


def rows(found: list[UsageEntry], kind: Kind, **more: object) -> dict[str, int]:
    wanted = replace(ReportScope(kind, UsageFilter(), UTC), **more)
    return {row.key: row.total.tokens.total for row in made(found, wanted).rows}


@settings(max_examples=40, deadline=None)
@given(found=entries(), kind=st.sampled_from(KINDS), pricing=st.sampled_from([REQUEST, MARGINAL]))
def test_rows_sum_to_the_summary(found: list[UsageEntry], kind: Kind, pricing: Pricing) -> None:
    with tempfile.TemporaryDirectory() as directory:
        ledger = ledger_of(Path(directory), found)
        wanted = ReportScope(kind, UsageFilter(), BERLIN)
        reported = ledger.read(lambda connection: report(connection, pricing, wanted))
        summary = ledger.read(lambda connection: summarise(connection, UsageFilter(), pricing, BERLIN))
        ledger.close()
    tokens, cost, parts = Tokens(), 0.0, Tokens()
    for row in reported.rows:
        tokens, cost = tokens.plus(row.total.tokens), cost + row.total.cost.total
        for part in row.parts.values():
            parts = parts.plus(part.tokens)
    assert tokens == parts == summary.total.tokens == reported.total.tokens
    assert cost == pytest.approx(summary.total.cost.total)
    assert sum(row.total.count for row in reported.rows) == len(found)
    assert reported.unpriced == summary.unpriced


@settings(max_examples=30, deadline=None)
@given(found=entries(), zone=st.sampled_from([UTC, BERLIN, ZoneInfo("Asia/Kathmandu"), ZoneInfo("America/New_York")]))
def test_days_are_those_of_the_zone(found: list[UsageEntry], zone: ZoneInfo) -> None:
    expected: Counter[str] = Counter()
    for one in found:
        expected[datetime.fromtimestamp(one.time_ms / 1000, zone).date().isoformat()] += one.tokens.total
    days = made(found, ReportScope("daily", UsageFilter(), zone))
    assert {row.key: row.total.tokens.total for row in days.rows} == dict(expected)
    weeks: Counter[str] = Counter()
    for day, tokens in expected.items():
        date = datetime.fromisoformat(day).date()
        weeks[(date - timedelta(date.weekday())).isoformat()] += tokens
    assert {
        row.key: row.total.tokens.total for row in made(found, ReportScope("weekly", UsageFilter(), zone)).rows
    } == dict(weeks)


def test_weeks_begin_on_monday_and_months_on_the_first() -> None:
    found = [entry(number, START + number * DAY) for number in range(40)]  # 2026-01-01 is a Thursday
    assert list(rows(found, "weekly"))[:2] == ["2025-12-29", "2026-01-05"]
    assert rows(found, "monthly") == {"2026-01": 31 * 110, "2026-02": 9 * 110}


def test_a_session_is_of_one_agent_and_says_where_it_was() -> None:
    found = [
        entry(1, START, session_id="same", project="/work/demo"),
        entry(2, START + 1, session_id="same", agent="codex", profile="mine"),
    ]
    view = report_view(
        made(found, ReportScope("session", UsageFilter(), UTC)), ReportScope("session", UsageFilter(), UTC)
    )
    about = [{name: row.get(name) for name in ("session", "agent", "project", "profile")} for row in view["rows"]]
    assert about == [
        {"session": "same", "agent": "claude", "project": "/work/demo", "profile": None},
        {"session": "same", "agent": "codex", "project": None, "profile": "mine"},
    ]


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ("/work/demo", {1}),
        ("demo", {1, 2}),
        ("work/demo", {1}),
        ("emo", set()),
        ("%demo", set()),
        ("/home/user/demo", {2}),
    ],
)
def test_a_project_is_its_path_or_the_end_of_it(project: str, expected: set[int]) -> None:
    found = [
        entry(1, START, Tokens(1), session_id="one", project="/work/demo"),
        entry(2, START, Tokens(2), session_id="two", project="/home/user/demo"),
    ]
    sums = rows(found, "session", project=project)
    assert set(sums.values()) == expected


def test_the_last_rows_stay_and_the_total_is_of_all() -> None:
    found = [entry(number, START + number * DAY) for number in range(5)]
    reported = made(found, replace(ReportScope("daily", UsageFilter(), UTC), limit=2, order="desc"))
    assert [row.key for row in reported.rows] == ["2026-01-05", "2026-01-04"]
    assert (reported.left_out, reported.total.tokens.total) == (3, 550)


def test_names_are_ordered_by_cost() -> None:
    found = [entry(1, START, Tokens(10), model="m-two"), entry(2, START, Tokens(10)), entry(3, START, model="unknown")]
    reported = made(found, ReportScope("models", UsageFilter(), UTC, order="desc"))
    assert [row.key for row in reported.rows] == ["m-one", "m-two", "unknown"]
    assert reported.unpriced == {"unknown"}


@pytest.mark.parametrize(
    ("since", "until", "named"),
    [
        ("2026-02-30", "", "since"),
        ("", "tomorrow", "until"),
        ("2026-1-1", "", "since"),
        ("2026-01-02", "2026-01-01", "until"),
        ("9999-12-31", "", "since"),
        ("2026-W01-1", "", "since"),
        ("", "\u0662026-01-01", "until"),
    ],
)
def test_bad_days_are_named(since: str, until: str, named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        span_between(since, until, UTC)
    assert set(caught.value.details or ()) == {named}


@given(since=st.text(max_size=12), until=st.text(max_size=12))
def test_no_text_breaks_the_reading_of_days(since: str, until: str) -> None:
    try:
        span = span_between(since, until, BERLIN)
    except InvalidInput:
        return
    assert (span.start is None) == (not since)
    assert (span.end is None) == (not until)


def test_both_days_are_whole() -> None:
    span = span_between("20260101", "2026-01-01", UTC)
    assert (span.start, span.end) == (START, START + DAY)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize("year", [1, 1969, 2600, 9999])
def test_an_answer_of_another_age_spoils_no_other(zone: str, year: int) -> None:
    last = datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC)
    found = [entry(1, START + DAY // 2), entry(2, round(last.timestamp() * 1000))]
    wanted = ReportScope("daily", UsageFilter(), ZoneInfo(zone))
    assert {row.key: row.total.tokens.total for row in made(found, wanted).rows}["2026-01-01"] == 110
    with tempfile.TemporaryDirectory() as directory:
        ledger = ledger_of(Path(directory), found)
        blocks = BlocksScope(replace(wanted, kind="blocks"), START)
        view = ledger.read(lambda connection: blocks_view(block_report(connection, REQUEST, blocks), blocks))
        ledger.close()
    assert "2026-01-01T12:00:00.000Z" in str(view)
