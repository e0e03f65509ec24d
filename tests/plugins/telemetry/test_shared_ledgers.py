"""What hosts tell of their ledgers, and what stands for one that does not answer."""

from __future__ import annotations

import asyncio
import errno
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from port_lab import FakeAgents, FakeLayers
from usage_lab import START, claude_line

from jackfield.api.errors import StoreUnavailable
from jackfield.api.hosts import Host, OnlyHost
from jackfield.api.records import replace
from jackfield.api.storage.ledgers import LedgerDay, StoredLedger
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_telemetry.background import stop
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.report_requests import ReportRequest, requested_report
from jackfield_telemetry.reports.export import FORMS
from jackfield_telemetry.reports.periods import TimeSpan, zone_of
from jackfield_telemetry.reports.queries import UsageFilter
from jackfield_telemetry.reports.report import Kind
from jackfield_telemetry.reports.summary import usage_view
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.sessions.log import LineTokens, SessionLine
from jackfield_telemetry.sharing.days import DamagedDay, opened, packed
from jackfield_telemetry.sharing.shipping import LedgerSharing
from jackfield_telemetry.sharing.standing_in import LedgerStandIns
from jackfield_telemetry.sharing.tracking import DAY_MS, pass_over, track, versions

DAY = 20_484
"""2026-01-31"""
KINDS = ("daily", "weekly", "monthly", "session", "blocks", "models", "agents", "providers", "profiles", "projects")


class World:
    """Hosts over one store. Each has a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.store = MemoryStore()
        self.clock = FakeClock()
        self.contexts: list[FakeContext] = []

    def host(self, id: str, name: str = "") -> FakeContext:
        made = FakeContext(self.directory / id / "config", clock=self.clock)
        made.ports.update(
            Agents=FakeAgents(),
            Layers=FakeLayers(),
            Store=self.store,
            Hosts=OnlyHost(Host(name or id, "", ["agents"], id=id)),
            jackfield_usage_readers=[ClaudeReader()],
        )
        self.contexts.append(made)
        return made

    async def count(self, context: FakeContext, *lines: bytes, name: str = "a.jsonl") -> None:
        """What an agent has logged."""
        logs = context.service.config_dir.parent / "logs"
        file = logs / "projects" / "-work-x" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as stream:
            stream.write(b"".join(lines))
        await context.port(UsageService).import_all([LogSource(ClaudeReader(), logs, "main", "acme")])


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    made = World(tmp_path)
    yield made
    for context in made.contexts:
        await stop(context)


def line(number: int, tokens: int = 10, day: int = 31, session: str = "s1", **more: Any) -> bytes:
    moment = START.replace("-31T", f"-{day:02d}T")
    return claude_line(f"m{number}", f"r{number}", (tokens, 1, 5, 7), timestamp=moment, sessionId=session, **more)


async def test_a_report_of_what_was_told_is_that_of_the_host(world: World) -> None:
    """Every kind of report, and the statistics, but for the mark."""
    host = world.host("1", "alpha")
    await world.count(
        host, line(1, cwd="/work/x"), line(2, 50_000), line(3, 7, 30, "s2", model="m-two"), line(4, day=1)
    )
    service = host.port(UsageService)
    moment = cast("Any", "2026-01-31T10:00:00Z")
    run = SessionLine("main", "m", moment, moment, LineTokens(3, 4, 5, 6), agent_id="mute", session_id="own")
    service.log.append(replace_moments(run))
    await host.port(LedgerSharing).share()
    stand_ins = world.host("2").port(LedgerStandIns)
    for kind in KINDS:
        asked = ReportRequest(kind=cast("Kind", kind), tz="Asia/Kolkata", since="2026-01-30")
        expected, _ = requested_report(service, asked)
        (found,) = await stand_ins.report({"kind": kind, "tz": "Asia/Kolkata", "since": "2026-01-30"}, ["2"])
        assert (found.host, found.id, found.as_of) == ("alpha", "1", world.clock.now_ms())
        assert unmarked(found.data, rows="rows") == expected, kind
    zone = zone_of("Asia/Kolkata")
    summary = service.summary(UsageFilter(), zone)
    assert summary.total.tokens.input == 50_030, "of the run and of all answers"
    (found,) = await stand_ins.statistics({"period": "all", "tz": "Asia/Kolkata"}, ["2"])
    assert unmarked(found.data, rows="aggregates") == usage_view(summary, "All time")
    assert await stand_ins.statistics({}, ["1", "2"]) == [], "it has answered"


def replace_moments(run: SessionLine) -> SessionLine:
    from datetime import UTC, datetime

    run.started_at = run.ended_at = datetime(2026, 1, 31, 10, tzinfo=UTC)
    return run


def unmarked(data: Any, rows: str) -> Any:
    """Without the moments; each sum has one."""
    assert data.pop("as_of").startswith("20")
    sums = data["rows"] if rows == "rows" else [row for group in data["aggregates"].values() for row in group.values()]
    assert sums
    for row in sums:
        assert row.pop("as_of").startswith("20")
    return data


async def test_its_export_has_the_rows_of_the_host(world: World) -> None:
    host = world.host("1", "alpha")
    await world.count(host, line(1), line(2, 9, 30, "s2"))
    await host.port(LedgerSharing).share()
    stand_ins = world.host("2").port(LedgerStandIns)
    found = stand_ins.exports(FORMS["json"], UsageFilter(TimeSpan(DAY * DAY_MS, None)), zone_of("UTC"), ["2"])
    ((ledger, export),) = [each async for each in found]
    answer = json.loads(b"".join([part async for part in export]))
    (row,) = answer["data"]
    assert (ledger.name, answer["success"], row["date"], row["input_tokens"]) == ("alpha", True, "2026-01-31", 10)
    assert row["as_of"].startswith("20")


async def test_who_reads_exports_slowly_holds_up_no_report(world: World) -> None:
    host = world.host("1", "alpha")
    await world.count(host, line(1))
    await host.port(LedgerSharing).share()
    stand_ins = world.host("2").port(LedgerStandIns)
    begun = []
    for _ in range(2):
        async for _, export in stand_ins.exports(FORMS["json"], UsageFilter(), zone_of("UTC"), ["2"]):
            assert await anext(export)
            begun.append(export)
    async with asyncio.timeout(5):
        (found,) = await stand_ins.report({"kind": "models"}, ["2"])
    assert found.data is not None
    for export in begun:
        await export.aclose()


@pytest.mark.parametrize("inside", [True, False])
async def test_it_tells_whether_it_serves_public_hosts(world: World, inside: bool) -> None:
    host = world.host("1", "alpha")
    host.service = replace(host.service, inside=inside)
    await world.count(host, line(1))
    await host.port(LedgerSharing).share()
    assert [ledger.inside for ledger in await world.store.ledgers()] == [inside]
    stand_ins = world.host("2").port(LedgerStandIns)
    (report,) = await stand_ins.report({"kind": "models"}, ["2"])
    (sums,) = await stand_ins.statistics({}, ["2"])
    assert (report.inside, sums.inside) == (inside, inside)


async def told(world: World) -> dict[int, LedgerDay]:
    return {day.day: day for day in await world.store.ledger_days("1", 0, 2**40, 1000)}


async def test_only_days_that_have_changed_are_told_and_a_correction_replaces(world: World) -> None:
    host = world.host("1")
    sharing = host.port(LedgerSharing)
    await world.count(host, line(1), line(2, day=30))
    await sharing.share()
    first = await told(world)
    assert sorted(first) == [DAY - 1, DAY]
    await world.clock.advance(60)
    await sharing.share()
    assert await told(world) == first
    assert [ledger.as_of for ledger in await world.store.ledgers()] == [world.clock.now_ms()], "it has looked"
    await world.count(host, line(1, 500))
    await sharing.share()
    second = await told(world)
    assert second[DAY - 1] == first[DAY - 1]
    assert second[DAY].version > first[DAY].version
    (found,) = await world.host("2").port(LedgerStandIns).statistics({"period": "all"}, [])
    assert found.data["total_tokens"]["input_tokens"] == 510  # type: ignore[call-overload,index]


async def test_a_restart_tells_what_is_missing_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    host = world.host("1", "old")
    await world.count(host, line(1), line(2, day=30))
    await host.port(LedgerSharing).share()
    before = await told(world)
    await world.count(host, line(3))
    host.port(UsageService).ledger.close()  # it is killed
    given: list[int] = []
    put = world.store.put_ledger

    async def noted(ledger: StoredLedger, days: list[LedgerDay]) -> None:
        given.extend(day.day for day in days)
        await put(ledger, days)

    monkeypatch.setattr(world.store, "put_ledger", noted)
    again = world.host("1", "new")
    await again.port(LedgerSharing).share()
    assert given == [DAY]
    assert (await told(world))[DAY].version > before[DAY].version
    assert [ledger.name for ledger in await world.store.ledgers()] == ["new"]
    await world.count(again, line(4, day=29))
    await stop(again)
    assert given == [DAY, DAY - 2], "an orderly end tells the rest"


async def test_a_write_that_fails_is_told_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    host = world.host("1")
    await world.count(host, line(1))
    sharing = host.port(LedgerSharing)
    world.store.fail_with = StoreUnavailable("gone")
    with pytest.raises(StoreUnavailable):
        await sharing.share()
    await sharing.finish()
    world.store.fail_with = None
    await sharing.share()
    assert sorted(await told(world)) == [DAY]


async def test_whatever_keeps_a_host_from_telling_it_tells_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as a disk that was full for a moment."""
    host = world.host("1")
    await world.count(host, line(1))
    failures: list[Exception] = [OSError(errno.ENOSPC, "No space left on device"), ValueError("a fault of ours")]
    left, settle = [*failures], host.port(UsageService).settle

    def failing() -> None:
        if left:
            raise left.pop()
        settle()

    monkeypatch.setattr(host.port(UsageService), "settle", failing)
    sharing = host.port(LedgerSharing)
    while left:
        await sharing.finish()
        assert await told(world) == {}
    await sharing.finish()
    assert sorted(await told(world)) == [DAY]


async def test_a_ledger_that_is_begun_anew_replaces_what_the_old_one_has_told(world: World) -> None:
    host = world.host("1")
    await world.count(host, line(1), line(2, day=30))
    await host.port(LedgerSharing).share()
    far = {day.day: LedgerDay(day.day, 2**60, day.data) for day in (await told(world)).values()}
    await world.store.put_ledger(StoredLedger("1", "1", 0), list(far.values()))
    await stop(host)
    (host.service.config_dir / "telemetry" / "ledger.db").unlink()
    again = world.host("1")
    sharing = again.port(LedgerSharing)
    await sharing.share()
    (found,) = await again.port(LedgerStandIns).statistics({"period": "all"}, [])
    assert found.data is None, "it has nothing any more"
    await world.count(again, line(5, 77), name="b.jsonl")
    await sharing.share()
    (found,) = await again.port(LedgerStandIns).statistics({"period": "all"}, [])
    assert found.data["total_tokens"]["input_tokens"] == 10 + 10 + 77  # type: ignore[call-overload,index]


async def test_a_damaged_ledger_tells_nothing(world: World) -> None:
    """Its stand-in is empty, and what was told before stays."""
    host = world.host("1")
    await world.count(host, line(1))
    await host.port(LedgerSharing).share()
    before, ledgers = await told(world), await world.store.ledgers()
    await stop(host)
    (host.service.config_dir / "telemetry" / "ledger.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    await world.clock.advance(60)
    await world.host("1").port(LedgerSharing).share()
    assert (await told(world), await world.store.ledgers()) == (before, ledgers)


async def test_old_days_are_forgotten_and_not_told_again(world: World) -> None:
    host = world.host("1")
    await world.count(host, line(1), line(2, day=30))
    await host.port(LedgerSharing).share()
    days = host.port(LedgerSharing)._settings.share_days
    await world.clock.advance((DAY + days) * 86_400 - world.clock.now_ms() / 1000)
    await host.port(LedgerSharing).share()
    assert sorted(await told(world)) == [DAY]
    await host.port(LedgerSharing).share()
    assert sorted(await told(world)) == [DAY]


async def test_a_host_without_usage_is_not_remembered(world: World) -> None:
    host = world.host("1")
    await host.port(LedgerSharing).share()
    assert await world.store.ledgers() == []


async def test_a_time_in_which_nothing_was_used_is_none_of_the_hosts(world: World) -> None:
    host = world.host("1")
    await world.count(host, line(1))  # at 12:00 UTC
    await host.port(LedgerSharing).share()
    stand_ins = world.host("2").port(LedgerStandIns)
    for day, zone, there in (("31", "UTC", True), ("30", "UTC", False), ("31", "Pacific/Kiritimati", False)):
        asked = {"since": f"2026-01-{day}", "until": f"2026-01-{day}", "tz": zone}
        (found,) = await stand_ins.report(asked, [])
        assert (found.data is not None, found.trouble) == (there, "")


async def test_a_host_that_has_not_registered_tells_nothing(world: World) -> None:
    host = world.host("")
    await world.count(host, line(1))
    await host.port(LedgerSharing).share()
    assert await world.store.ledgers() == []


async def test_a_damaged_day_is_named_and_the_others_count(world: World) -> None:
    for number, name in (("1", "alpha"), ("3", "gamma")):
        host = world.host(number, name)
        await world.count(host, line(1))
        await host.port(LedgerSharing).share()
    await world.store.put_ledger(StoredLedger("1", "alpha", 0), [LedgerDay(DAY, 2**60, b"no")])
    bad, good = await world.host("2").port(LedgerStandIns).statistics({"period": "all"}, [])
    assert (bad.host, bad.data) == ("alpha", None)
    assert "cannot be read" in bad.trouble
    assert good.data["total_tokens"]["input_tokens"] == 10  # type: ignore[call-overload,index]


# ----------------------------------------------------------------------------------------------------- days of a ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    made = Ledger(tmp_path / "telemetry" / "ledger.db")
    yield made
    made.close()


def slot(connection: sqlite3.Connection, number: int, count: int = 1) -> None:
    connection.execute(
        "INSERT INTO slots VALUES (?, 1, 1, 0, 0, ?, 1, 1, 1, 1, 1, 0.0, 5, 6) "
        "ON CONFLICT DO UPDATE SET count = count + excluded.count",
        (number, count),
    )


def test_every_change_of_a_day_gives_it_a_later_version(ledger: Ledger) -> None:
    def step(*statements: str) -> dict[int, int]:
        def work(connection: sqlite3.Connection) -> dict[int, int]:
            for statement in statements:
                connection.execute(statement)
            return versions(connection, 0)

        return ledger.write(work)

    def begin(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO sessions VALUES (1, 'a', 'n', '')")
        slot(connection, 96)
        track(connection)
        track(connection)

    ledger.write(begin)
    known = step()
    assert list(known) == [1], "what was there counts as changed"
    run = "INSERT OR REPLACE INTO lines VALUES (0, 1, 1, 0, '', '', '', '', '', 0, 1, 1, 1, 1, 0, 0, 0, 0, 0)"
    changes = {
        "a slot grows": (1, "UPDATE slots SET count = 2"),
        "a run": (0, run),
        "a run again": (0, run),
        "no run": (0, "DELETE FROM lines"),
        "a project": (1, "UPDATE sessions SET project = 'p'"),
    }
    for what, (day, statement) in changes.items():
        after = step(statement)
        assert after[day] > known.get(day, 0), what
        assert {other for other in after if after[other] != known.get(other)} == {day}, what
        known = after
    assert step("UPDATE sessions SET project = 'p'") == known, "that changed nothing"
    ledger.write(lambda connection: slot(connection, 96 * 5))
    assert set(step()) == {0, 1, 5}
    ledger.write(lambda connection: pass_over(connection, {5: 2**61, 0: 3, 9: 4}))
    assert step() == {**known, 5: 2**61 + 1, 9: 5}


def test_what_was_packed_is_read_back_and_damage_is_noticed(ledger: Ledger) -> None:
    def fill(connection: sqlite3.Connection) -> bytes:
        connection.execute("INSERT INTO dims VALUES (1, 'a', 'p', 'x', 'm', 't', 'log')")
        connection.execute("INSERT INTO sessions VALUES (1, 'a', 'n', '')")
        slot(connection, 96)
        slot(connection, 97, 0)
        slot(connection, 192)
        return packed(connection, 1)

    data = ledger.write(fill)
    later = ledger.write(
        lambda connection: (
            connection.execute("UPDATE sessions SET project = '/p'"),
            packed(connection, 2),
        )[1]
    )
    connection = opened([data, later])
    assert connection.execute("SELECT slot, count, first FROM slots").fetchall() == [(96, 1, 5), (192, 1, 5)]
    assert connection.execute("SELECT agent, name, project FROM sessions").fetchall() == [("a", "n", "/p")]
    connection.close()
    assert opened([ledger.read(lambda given: packed(given, 7))]).execute("SELECT * FROM slots").fetchall() == []
    for damaged in (b"", data[:-1], data[:-4] + b"0000", b"no", LATER_FORM, NO_DIM):
        with pytest.raises(DamagedDay):
            opened([damaged])


def test_days_that_were_told_before_and_after_the_log_of_runs_was_written_anew_stand_side_by_side(
    ledger: Ledger,
) -> None:
    """A host that dies over it has told some of its days alone."""
    run = "INSERT INTO lines VALUES (?, 1, ?, 1, 'p', 'a', 'v', 'm', 'n', 0, 1, 2, 3, 4, NULL, NULL, NULL, NULL, NULL)"

    def told(connection: sqlite3.Connection, position: int, day: int) -> bytes:
        connection.execute("DELETE FROM lines")
        connection.execute(run, (position, day * DAY_MS))
        return packed(connection, day)

    days = [ledger.write(lambda given, day=day: told(given, 100, day)) for day in (1, 2)]  # type: ignore[misc]
    days.append(ledger.write(lambda given: told(given, 101, 3)))
    connection = opened(days)
    assert connection.execute("SELECT ended FROM lines ORDER BY ended").fetchall() == [(n * DAY_MS,) for n in (1, 2, 3)]
    connection.close()


def _compressed(text: bytes) -> bytes:
    import zlib

    return zlib.compress(text)


LATER_FORM = _compressed(b"[2,[],[],[],[]]")
NO_DIM = _compressed(b"[1,[],[],[[96,0,0,0,0,1,1,1,1,1,1,0.0,5,6]],[]]")


async def test_days_of_a_span_alone_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    host = world.host("1")
    await world.count(host, *(line(day, day=day) for day in range(1, 32)))
    await host.port(LedgerSharing).share()
    read: list[tuple[int, int]] = []
    ask = world.store.ledger_days

    async def noted(id: str, first: int, last: int, limit: int) -> Any:
        read.append((first, last))
        return await ask(id, first, last, limit)

    monkeypatch.setattr(world.store, "ledger_days", noted)
    query = {"since": "2026-01-30", "until": "2026-01-31", "tz": "UTC"}
    (found,) = await world.host("2").port(LedgerStandIns).report(query, [])
    assert len(found.data["rows"]) == 2  # type: ignore[arg-type,call-overload,index]
    assert read[0] == (DAY - 1, DAY)
    await asyncio.sleep(0)
    assert DAY_MS * DAY == 1_769_817_600_000
