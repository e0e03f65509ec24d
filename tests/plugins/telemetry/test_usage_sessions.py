"""The log of sessions, and what a run adds to it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from port_lab import launch
from usage_lab import claude_line

from jackfield.api.clock import from_iso
from jackfield.api.records import replace
from jackfield.api.telemetry import Tokens, UsageEntry
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_telemetry.recorder import UsageRecorder
from jackfield_telemetry.reports.queries import UsageFilter
from jackfield_telemetry.service import AGGREGATES_SECONDS, UsageService, close

LINE = (
    '{"profile":"p","model":"m","started_at":"2026-01-31T12:00:00Z","ended_at":"2026-01-31T12:01:00Z",'
    '"tokens":{"input":%d}}\n'
)


@pytest.fixture
def service(context: FakeContext) -> UsageService:
    return context.port(UsageService)


def totals(service: UsageService) -> tuple[int, int]:
    """Input tokens and sessions."""
    from jackfield_telemetry.reports.periods import zone_of

    made = service.summary(UsageFilter(), zone_of("UTC"))
    return made.total.tokens.input, len(made.total.sessions)


async def test_a_run_is_what_it_added_to_its_log_and_is_counted_once(
    context: FakeContext, service: UsageService, tmp_path: Path
) -> None:
    port, log = UsageRecorder(context), tmp_path / "home" / ".claude" / "projects" / "one.jsonl"
    log.parent.mkdir(parents=True)
    now = "2026-01-31T12:00:05Z"
    clock = context.clock
    assert isinstance(clock, FakeClock)
    await clock.advance((from_iso(now) - clock.now_ms()) / 1000)
    started = launch(context, tmp_path / "home")
    log.write_bytes(
        claude_line("old", "r", timestamp="2026-01-31T11:00:00Z") + claude_line("new", "r", (7, 1, 0, 0), timestamp=now)
    )
    used = await port.run_ended(started, 0)
    assert used is not None
    assert (used.tokens, used.models, used.unpriced) == (Tokens(7, 1), ["m-one"], ["m-one"])
    (line,) = map(json.loads, service.log.path.read_text().splitlines())
    assert (line["profile"], line["tokens"]["input"], line["exit_code"], line["session_id"]) == ("p", 7, 0, "s1")
    await service.import_all([])
    assert totals(service) == (107, 1)
    assert [event.type for event in context.events.published if event.topic == "usage"][-1] == "usage_updated"
    assert json.loads((service.log.path.parent / "aggregates.json").read_text())["total_sessions"] == 1


@pytest.mark.parametrize(("session", "tokens"), [("one", 7), ("two", 9), (None, None), ("none", 0)])
async def test_beside_others_a_run_is_given_its_own_session(
    context: FakeContext, service: UsageService, tmp_path: Path, session: str | None, tokens: int | None
) -> None:
    folder = tmp_path / "home" / ".claude" / "projects"
    folder.mkdir(parents=True)
    now = "2026-01-31T12:00:05Z"
    clock = context.clock
    assert isinstance(clock, FakeClock)
    await clock.advance((from_iso(now) - clock.now_ms()) / 1000)
    started = replace(launch(context, tmp_path / "home"), session=session, alone=False)
    for name, number in (("one", 7), ("two", 9)):
        line = claude_line(f"m-{name}", f"r-{name}", (number, 1, 0, 0), timestamp=now, sessionId=name)
        (folder / f"{name}.jsonl").write_bytes(line)
    used = await UsageRecorder(context).run_ended(started, 0)
    assert (None if used is None else used.tokens.input) == tokens
    (line,) = map(json.loads, service.log.path.read_text().splitlines())
    assert line["session_id"] == (session or "run-1")


async def test_a_run_without_a_log_is_a_session(context: FakeContext, service: UsageService, tmp_path: Path) -> None:
    await UsageRecorder(context).run_ended(launch(context, tmp_path), 3)
    assert totals(service) == (0, 1)


async def test_an_agent_without_a_log_is_counted_by_its_proxy_or_not_known(
    context: FakeContext, service: UsageService, tmp_path: Path
) -> None:
    port, started = UsageRecorder(context), launch(context, tmp_path)
    mute = replace(started.profile, agent_id="mute")
    assert await port.run_ended(replace(started, profile=mute), 0) is None
    proxied = replace(mute, metadata={**mute.metadata, "proxy_config": {"enabled": True}})
    entry = UsageEntry("mute", "a-1", "s", started.started_ms + 1, "m-one", Tokens(7, 2), profile=mute.alias)
    await port.proxied(entry)
    used = await port.run_ended(replace(started, profile=proxied), 0)
    assert used is not None
    assert (used.tokens, used.models) == (Tokens(7, 2), ["m-one"])
    first, second = map(json.loads, service.log.path.read_text().splitlines())
    assert set(first["tokens"].values()) == {None}  # unknown is not nothing
    assert (second["tokens"]["input"], second["counted_in"]) == (7, "proxy")
    assert totals(service)[0] == 7


def test_a_torn_line_goes_and_is_kept_beside(service: UsageService) -> None:
    service.log.path.parent.mkdir(parents=True)
    service.log.path.write_text(LINE % 1 + LINE[:40])
    assert totals(service) == (1, 1)
    assert service.log.path.read_text() == LINE % 1
    assert service.log.torn.read_text() == LINE[:40] + "\n"
    assert str(service.log.torn) in service.warnings()[0]


def test_a_whole_last_line_gets_its_end(service: UsageService) -> None:
    service.log.path.parent.mkdir(parents=True)
    service.log.path.write_text(LINE % 1 + (LINE % 2).rstrip())
    assert totals(service) == (3, 2)
    assert service.log.path.read_text() == LINE % 1 + LINE % 2


def test_damaged_lines_are_named_and_left(service: UsageService) -> None:
    service.log.path.parent.mkdir(parents=True)
    content = LINE % 1 + "{broken\n" + '{"profile": 3}\n' + LINE % -4 + LINE % 2
    service.log.path.write_text(content)
    assert totals(service) == (3, 2)
    assert "3 damaged lines" in service.warnings()[0]
    assert service.log.path.read_text() == content


def test_a_log_that_was_changed_by_hand_is_read_again(service: UsageService) -> None:
    service.log.path.parent.mkdir(parents=True)
    service.log.path.write_text(LINE % 1 + LINE % 2)
    assert totals(service) == (3, 2)
    service.log.path.write_text(LINE % 8)
    assert totals(service) == (8, 1)
    service.log.path.unlink()
    assert totals(service) == (0, 0)


def test_a_byte_that_changed_in_the_middle_is_seen(service: UsageService) -> None:
    service.log.path.parent.mkdir(parents=True)
    content = "".join(LINE % 1 for _ in range(10))
    service.log.path.write_text(content)
    assert totals(service) == (10, 10)
    damaged = content.replace("{", "z", 1)
    with service.log.path.open("r+") as file:
        file.write(damaged)
    later = service.log.path.stat().st_mtime_ns + 1_000_000
    os.utime(service.log.path, ns=(later, later))
    assert totals(service) == (9, 9)
    assert "1 damaged lines are left out, at byte 0" in service.warnings()[0]
    assert service.log.path.read_text() == damaged


@pytest.mark.parametrize(
    "content", [b"{ not json", b"[]", b"{}", b'{"version": 1, "total_sessions": 2, "by_model": {"m\xff": {}}}']
)
def test_aggregates_that_are_not_ours_are_named_and_left(service: UsageService, content: bytes) -> None:
    path = service.log.path.parent / "aggregates.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    service.write_aggregates()
    assert path.read_bytes() == content
    assert str(path) in service.warnings()[0]


def test_pipes_in_the_place_of_files_are_named_and_not_waited_for(service: UsageService) -> None:
    directory = service.context.service.config_dir
    paths = [directory / "telemetry" / "aggregates.json", directory / "registry" / "litellm-pricing.json"]
    for path in paths:
        path.parent.mkdir(parents=True)
        os.mkfifo(path)
    service.write_aggregates()
    warnings = service.warnings()
    assert all(any(str(path) in warning for warning in warnings) for path in paths)


@pytest.mark.parametrize("year", ["0001", "1969", "2100", "9999"])
def test_a_run_of_another_age_is_damage(service: UsageService, year: str) -> None:
    service.log.path.parent.mkdir(parents=True)
    good = LINE % 5
    service.log.path.write_text(good + good.replace("2026", year) + good)
    assert totals(service) == (10, 2)
    assert f"1 damaged lines are left out, at byte {len(good)}" in service.warnings()[0]


@pytest.mark.parametrize("cost", ["-1", "1e308", "1e999", "NaN"])
def test_a_cost_that_cannot_be_is_damage(service: UsageService, cost: str) -> None:
    service.log.path.parent.mkdir(parents=True)
    good = LINE % 5
    service.log.path.write_text(good + good.replace("}}", f'}},"cost":{{"total":{cost}}}}}'))
    assert totals(service) == (5, 1)
    assert "1 damaged lines" in service.warnings()[0]


async def test_aggregates_are_written_at_most_once_a_minute(context: FakeContext, service: UsageService) -> None:
    clock, path = context.clock, service.log.path.parent / "aggregates.json"
    assert isinstance(clock, FakeClock)
    service.log.path.parent.mkdir(parents=True)

    def written() -> object:
        return json.loads(path.read_text())["total_sessions"]

    async def one_more() -> None:
        with service.log.path.open("a") as file:
            file.write(LINE % 1)
        await service.changed({})

    await one_more()
    assert written() == 1
    for _ in range(3):
        await one_more()
    assert written() == 1
    waiting = service._aggregating
    assert waiting is not None
    await clock.advance(AGGREGATES_SECONDS)
    await waiting
    assert written() == 4
    await one_more()
    assert written() == 4
    await close(context)
    assert written() == 5
