"""Agents' logs are followed live."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from usage_lab import claude_line

from jackfield.api.agents import Agent
from jackfield.api.profiles import Profile
from jackfield.testing.context import FakeContext
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.opencode import OpenCodeReader
from jackfield_telemetry.service import UsageService
from jackfield_telemetry.settings import TelemetrySettings
from jackfield_telemetry.watching.following import LogFollower
from jackfield_telemetry.watching.watched import concerned, places_of, present_sources

LONG = 3600.0

FEED = "jackfield_telemetry.watching.feed"


class Quiet:
    """Events of profiles, none."""

    def __aiter__(self) -> AsyncIterator[object]:
        return self

    async def __anext__(self) -> object:
        await asyncio.Event().wait()
        raise StopAsyncIteration


class Bench:
    """A daemon's context with logs below a home of its own."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, **settings: float) -> None:
        self.home = root / "home"
        monkeypatch.setenv("HOME", str(self.home))
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_DATA_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            monkeypatch.delenv(name, raising=False)
        self.profiles: list[Profile] = []
        agent = {
            "id": "claude",
            "name": "Claude",
            "binary": "claude",
            "usage": {"reader": "claude", "directory": "{home}/.claude"},
        }
        agents = {"claude": Agent.model_validate(agent)}
        ports: dict[str, object] = {
            "jackfield_usage_readers": [ClaudeReader(), OpenCodeReader()],
            "Profiles": SimpleNamespace(all=self._all),
            "Agents": SimpleNamespace(all=lambda: asyncio.sleep(0, agents)),
            "Layers": SimpleNamespace(directories=lambda folder: []),
        }
        values = {"watch_debounce": 0.1, "watch_rescan": LONG, **settings}
        self.context = FakeContext(root / "config", tables=[TelemetrySettings(**values)], ports=ports)  # type: ignore[arg-type]
        self.service = self.context.port(UsageService)  # type: ignore[arg-type]

    async def _all(self) -> list[Profile]:
        return self.profiles

    def add_profile(self, alias: str) -> Path:
        home = self.home / alias
        found = Profile(alias, "claude", "anthropic", "default", "m-one", metadata={"profile_home": str(home)})
        self.profiles.append(found)
        return home / ".claude"

    def write(self, directory: Path, number: int, file: str = "projects/p/one.jsonl") -> None:
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as log:
            log.write(claude_line(f"m{number}", f"r{number}"))

    def tokens(self) -> int:
        rows = self.service.ledger.read(lambda ledger: ledger.execute("SELECT sum(input) FROM entries").fetchone())
        return int(rows[0] or 0)

    async def counted(self, expected: int) -> None:
        async with asyncio.timeout(15):
            while await asyncio.to_thread(self.tokens) != expected:
                await asyncio.sleep(0.02)

    @property
    def updates(self) -> list[object]:
        return [event.data for event in self.context.events.published if event.type == "usage_updated"]


@contextmanager
def following(bench: Bench) -> Iterator[LogFollower]:
    made = LogFollower(bench.context)  # type: ignore[arg-type]
    task = asyncio.get_running_loop().create_task(made.follow())
    try:
        yield made
    finally:
        task.cancel()


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    monkeypatch.setattr("jackfield_telemetry.watching.following.REST", 0)
    made = Bench(tmp_path, monkeypatch)
    yield made
    await asyncio.sleep(0)


async def test_what_was_there_and_what_comes_is_counted(bench: Bench) -> None:
    claude = bench.home / ".claude"
    bench.write(claude, 1)
    with following(bench):
        await bench.counted(100)
        bench.write(claude, 2)
        await bench.counted(200)
        bench.write(claude, 3, "projects/other/new.jsonl")  # a directory that was not there
        await bench.counted(300)
        (claude / "projects" / "p" / "one.jsonl").unlink()
        bench.write(claude, 4, "projects/p/two.jsonl")
        await bench.counted(400)
    assert {"agents": ["claude"], "imported": True} in bench.updates


async def test_the_first_log_of_a_profile_is_found(bench: Bench) -> None:
    home = bench.add_profile("mine")
    home.mkdir(parents=True)
    with following(bench) as follower:
        async with asyncio.timeout(15):
            while not follower._feeds:
                await asyncio.sleep(0.02)
        bench.write(home, 1)
        await bench.counted(100)


async def test_a_profile_that_comes_later_is_followed(bench: Bench) -> None:
    bench.write(bench.home / ".claude", 1)
    with following(bench) as follower:
        await bench.counted(100)
        bench.write(bench.add_profile("mine"), 2)
        follower._rearrange = True
        follower._woken.set()
        await bench.counted(200)
        bench.write(bench.profiles[0].home / ".claude", 3)
        await bench.counted(300)
    rows = bench.service.ledger.read(
        lambda ledger: ledger.execute("SELECT DISTINCT profile FROM dims ORDER BY 1").fetchall()
    )
    assert rows == [("",), ("mine",)]


async def test_without_the_library_logs_are_read_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delitem(sys.modules, FEED, raising=False)
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    monkeypatch.setattr("jackfield_telemetry.watching.following.REST", 0)
    bench = Bench(tmp_path, monkeypatch, watch_rescan=1.0)
    bench.write(bench.home / ".claude", 1)
    with following(bench):
        await bench.counted(100)
        bench.write(bench.home / ".claude", 2)
        await bench.counted(200)
    assert "not followed live" in caplog.text
    assert "Install watchfiles" in caplog.text


async def test_too_many_directories_are_left_to_the_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("jackfield_telemetry.watching.following.REST", 0)
    bench = Bench(tmp_path, monkeypatch, watch_limit=2, watch_rescan=1.0)
    for number in range(4):
        bench.write(bench.home / ".claude", number, f"projects/p{number}/one.jsonl")
    with following(bench) as follower:
        await bench.counted(400)
        assert follower._feeds == []
        bench.write(bench.home / ".claude", 9)
        await bench.counted(500)
    assert "telemetry.watch_limit is 2" in caplog.text


async def test_nothing_is_loaded_where_there_is_no_agent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, FEED, raising=False)
    monkeypatch.delitem(sys.modules, "watchfiles", raising=False)
    assert await present_sources(bench.context, bench.service) == []  # type: ignore[arg-type]
    with following(bench) as follower:
        await asyncio.to_thread(bench.tokens)
        assert follower._feeds == []
    assert "watchfiles" not in sys.modules


def test_only_what_has_logs_is_watched(tmp_path: Path) -> None:
    claude, opencode = tmp_path / "claude", tmp_path / "opencode"
    (claude / "projects" / "p").mkdir(parents=True)
    (claude / "projects" / "p" / "a.jsonl").touch()
    (claude / "plugins" / "repository").mkdir(parents=True)
    opencode.mkdir()
    (opencode / "opencode.db").touch()
    sources = [LogSource(ClaudeReader(), claude), LogSource(OpenCodeReader(), opencode)]
    places = places_of(sources, 100)
    assert places.trees == {claude / "projects"}
    assert places.direct == {opencode}
    changes = {
        claude / "history.jsonl": [],
        claude / "projects" / "p" / "a.jsonl": [sources[0]],
        opencode / "opencode.db-wal": [sources[1]],
        tmp_path / "elsewhere": [],
    }
    assert {path: concerned(sources, places, [str(path)])[0] for path in changes} == changes
    assert concerned(sources, places, [str(claude / "plugins")])[1]
    assert not concerned(sources, places, [str(claude / "projects")])[1]


async def test_whatever_fails_once_the_logs_are_followed_further(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.service.settings = TelemetrySettings(watch_debounce=0.1, watch_rescan=1)
    bench.write(bench.home / ".claude", 1)
    real, failed = bench.context.port(UsageService).import_all, []  # type: ignore[arg-type]

    async def once(sources: list[LogSource]) -> object:
        if not failed:
            failed.append(sources)
            raise RuntimeError("a bug")
        return await real(sources)

    monkeypatch.setattr(bench.service, "import_all", once)
    with following(bench):
        await bench.counted(100)
    assert failed
