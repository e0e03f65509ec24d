"""Recordings. Source: asciicast v2."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.clock import SystemClock
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.testing.context import FakeContext
from jackfield_terminal.cli.playing import find_recording, outputs, play
from jackfield_terminal.hub import Hub
from jackfield_terminal.session import recorder as recorders
from jackfield_terminal.session.recorder import CastFile, Recorder
from jackfield_terminal.settings import TerminalSettings

from .conftest import DEADLINE, FakeProfiles, attach, start
from .terminal_lab import Api


@pytest.fixture
def api(hub: Hub) -> Api:
    return Api(hub)


async def ended(session: Any) -> None:
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()
        if session.recorder is not None:
            await session.recorder.finished()


async def lines(api: Api, session: Any) -> list[Any]:
    answer = await api.raw("GET", f"/sessions/{session.id}/recording")
    assert answer.status_code == 200
    assert answer.content_type == "application/x-asciicast"
    body = await answer.get_data()
    assert int(answer.headers["Content-Length"]) == len(body)
    return [json.loads(line) for line in body.splitlines()]


def printed(events: list[Any]) -> str:
    return "".join(data for _, kind, data in events if kind == "o")


async def test_a_session_is_recorded_from_its_first_byte_without_what_is_typed(
    hub: Hub, api: Api, tmp_path: Path
) -> None:
    session = await start(hub, "stty -echo; printf 'größe'; read a; echo done", record=True, size=(90, 20))
    client = attach(hub, session)
    client.say({"type": "resize", "cols": 70, "rows": 10})
    await client.printed("größe".encode())
    client.type(b"a secret\n")
    await ended(session)
    header, *events = await lines(api, session)
    assert header["version"] == 2
    assert (header["width"], header["height"], header["env"]) == (90, 20, {"TERM": "xterm-256color"})
    assert printed(events) == "größedone\r\n"
    assert [data for _, kind, data in events if kind == "r"] == ["70x10"]
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    assert "secret" not in json.dumps(events)
    shown = await api.ask("GET", f"/sessions/{session.id}")
    path = tmp_path / "config" / "recordings" / f"{session.id}.cast"
    assert shown["recording"] == {"state": "complete", "bytes": path.stat().st_size}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_a_recording_that_begins_late_begins_with_the_scrollback_and_may_end_early(hub: Hub, api: Api) -> None:
    session = await start(hub, "echo before; cat")
    client = attach(hub, session)
    await client.printed(b"before")
    assert (await api.ask("POST", f"/sessions/{session.id}/record"))["state"] == "recording"
    assert (await api.ask("POST", f"/sessions/{session.id}/record", 409))["code"] == "RECORDING_EXISTS"
    client.type(b"inside\n")
    await client.printed(b"inside\r\ninside")
    assert (await api.ask("DELETE", f"/sessions/{session.id}/record"))["state"] == "complete"
    client.type(b"outside\n")
    await client.printed(b"outside\r\noutside")
    _, *events = await lines(api, session)
    assert events[0][1:] == ["o", "before\r\n"]
    assert printed(events) == "before\r\ninside\r\ninside\r\n"
    assert (await api.ask("POST", f"/sessions/{session.id}/record", 409))["code"] == "RECORDING_EXISTS"


async def test_what_cannot_be_recorded(hub: Hub, api: Api, tmp_path: Path) -> None:
    over = await start(hub, "exit 0")
    await ended(over)
    assert (await api.ask("POST", f"/sessions/{over.id}/record", 409))["code"] == "SESSION_ENDED"
    session = await start(hub, "cat")
    for method, rest in (("DELETE", "record"), ("GET", "recording")):
        found = await api.ask(method, f"/sessions/{session.id}/{rest}", 404)
        assert found["code"] == "RECORDING_NOT_FOUND"
    (tmp_path / "config" / "recordings").rmdir() if (tmp_path / "config" / "recordings").exists() else None
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "recordings").write_text("in the way")
    refused = await api.ask("POST", f"/sessions/{session.id}/record", 500)
    assert "recordings" in refused["error"]
    await api.ask("POST", "/sessions", 500, json={"profile_alias": "one", "args": ["-c", "cat"], "record": True})
    assert len(await api.ask("GET", "/sessions")) == 3
    assert [entry.state for entry in hub.all()] == ["terminated", "running", "terminated"]


@pytest.mark.parametrize("name", ["..", "../../etc/passwd", "x" * 36, "%2e%2e%2fconfig", "-" * 36])
async def test_other_files_cannot_be_downloaded(hub: Hub, name: str) -> None:
    with pytest.raises(NotFound):
        await hub.recordings.open(name)


async def test_cleaning_up_deletes_recordings_of_what_it_forgets_only(hub: Hub, api: Api, tmp_path: Path) -> None:
    over = await start(hub, "echo x", record=True)
    running = await start(hub, "cat", record=True)
    await ended(over)
    await api.ask("POST", "/cleanup")
    kept = [path.stem for path in (tmp_path / "config" / "recordings").iterdir()]
    assert kept == [running.id]
    await api.ask("GET", f"/sessions/{over.id}/recording", 404)


async def test_only_so_many_are_kept_and_none_that_is_being_written_goes(
    tmp_path: Path, profiles: FakeProfiles
) -> None:
    settings = TerminalSettings(keep_recordings=2, keep_ended=0, hang_up_grace=0.1, kill_grace=0.2)
    hub = Hub(FakeContext(tmp_path, tables=[settings], ports={"Profiles": profiles}))
    running = await start(hub, "cat", record=True)
    others = []
    for number in range(3):
        session = await start(hub, "echo x", record=True)
        await ended(session)
        path = tmp_path / "recordings" / f"{session.id}.cast"
        os.utime(path, (1000 + number, 1000 + number))
        others.append(session.id)
    kept = {path.stem for path in (tmp_path / "recordings").iterdir()}
    assert kept == {running.id, others[-1]}
    assert (await hub.recordings.open(others[-1])).size > 0  # its session is forgotten
    await hub.close()
    assert running.recorder.state == "complete"


async def test_the_limit_ends_a_recording_and_says_so(tmp_path: Path, profiles: FakeProfiles) -> None:
    hub = Hub(FakeContext(tmp_path, tables=[TerminalSettings(recording_limit=65536)], ports={"Profiles": profiles}))
    session = await start(hub, "head -c 300000 /dev/zero | tr '\\0' x; echo; echo the-end", record=True)
    client = attach(hub, session)
    await client.printed(b"the-end")
    await ended(session)
    assert session.recorder.state == "stopped"
    assert "terminal.recording_limit" in session.recorder.reason
    api = Api(hub)
    *_, last = await lines(api, session)
    assert last[1] == "m"
    assert "terminal.recording_limit" in last[2]
    assert (tmp_path / "recordings" / f"{session.id}.cast").stat().st_size < 65536 + 1000
    await hub.close()


class StuckFile(CastFile):
    """A disk that does not answer until `go` is set."""

    def __init__(self, path: Path) -> None:
        self.go = threading.Event()
        super().__init__(path, {"version": 2}, 2**30)

    def write(self, events: Any) -> bool:
        self.go.wait(DEADLINE)
        return super().write(events)


@pytest.mark.parametrize("size", [recorders.SLICE, 1])
async def test_a_disk_that_is_too_slow_ends_the_recording_and_delays_nobody(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorders, "EVENTS", 1000)
    file = StuckFile(tmp_path / "a.cast")
    made = Recorder(file, SystemClock())
    made.output(b"first")
    while made._events:  # until the writer has taken it
        await asyncio.sleep(0)
    rounds = 0
    while made.state == "recording":
        made.output(b"x" * size)
        rounds += 1
    assert made._held <= recorders.WAITING
    assert rounds <= max(1001, recorders.WAITING // size + 1)
    file.go.set()
    await asyncio.wait_for(made.finished(), DEADLINE)
    content = [json.loads(line) for line in (tmp_path / "a.cast").read_text().splitlines()]
    assert content[1][2] == "first"
    assert "more output than could be written" in content[-1][2]


class FullDisk(CastFile):
    def write(self, events: Any) -> bool:
        raise OSError(28, "No space left on device")


async def test_a_full_disk_ends_the_recording_and_not_the_session(tmp_path: Path) -> None:
    made = Recorder(FullDisk(tmp_path / "a.cast", {"version": 2}, 2**20), SystemClock())
    made.output(b"x")
    await asyncio.wait_for(made.finished(), DEADLINE)
    assert made.state == "stopped"
    assert "No space" in (made.reason or "")
    made.output(b"y")


@given(st.binary(max_size=2000), st.integers(1, 50))
def test_any_output_cut_anywhere_is_text_again(tmp_path_factory: pytest.TempPathFactory, data: bytes, cut: int) -> None:
    path = tmp_path_factory.mktemp("cast") / "a.cast"
    file = CastFile(path, {"version": 2}, 2**30)
    assert file.write([(float(at), "o", data[at : at + cut]) for at in range(0, len(data), cut)])
    file.close()
    with path.open("rb") as opened:
        text = b"".join(shown for _, shown in outputs(opened)).decode()
    whole = data.decode("utf-8", "replace")
    assert whole.startswith(text)
    assert (
        len(whole) - len(text) <= 3
    )  # half a character at the end: each of its bytes is one sign, where it can be none


# -- playing


CAST = b"""{"version": 2, "width": 80, "height": 24}
[0.5, "o", "one"]
[1.0, "r", "100x50"]
[1.5, "o", "two"]
[1.5, "i", "typed"]
[61.5, "o", "three"]
"""


class Player:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.shown: list[tuple[float, bytes]] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def play(self, content: bytes, **options: Any) -> list[tuple[float, bytes]]:
        play(
            io.BytesIO(content),
            lambda data: self.shown.append((round(self.now, 3), data)),
            now=lambda: self.now,
            sleep=self.sleep,
            **options,
        )
        return self.shown


def test_playing_keeps_the_times_the_speed_and_the_longest_pause() -> None:
    assert Player().play(CAST) == [(0.5, b"one"), (1.5, b"two"), (61.5, b"three")]
    assert Player().play(CAST, speed=2) == [(0.25, b"one"), (0.75, b"two"), (30.75, b"three")]
    assert Player().play(CAST, idle=2) == [(0.5, b"one"), (1.5, b"two"), (3.5, b"three")]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "Line 1"), (b"{", "Line 1"), (b'{"version": 3}', "version 2"), (b"[]", "version 2"),
        (CAST + b"nonsense\n", "Line 7"), (CAST + b'["1", "o", "x"]\n', "Line 7"), (CAST + b"[1]\n", "Line 7"),
        (CAST + b'{"a": 1}\n', "Line 7"), (CAST + b"\xff\n", "Line 7"),
    ],
)  # fmt: skip
def test_a_damaged_recording_names_its_line(content: bytes, why: str) -> None:
    with pytest.raises(JackfieldError, match=why):
        Player().play(content)


@given(st.binary(max_size=300))
def test_any_file_is_played_or_refused(content: bytes) -> None:
    try:
        list(outputs(io.BytesIO(content)))
        list(outputs(io.BytesIO(CAST + content)))
    except JackfieldError:
        return


def test_a_recording_is_found_by_file_or_by_the_beginning_of_the_id(tmp_path: Path) -> None:
    directory = tmp_path / "recordings"
    directory.mkdir()
    one, two = (directory / f"{start}-aaaa.cast" for start in ("1234", "1299"))
    one.touch()
    two.touch()
    assert find_recording(tmp_path, str(one)) == one
    assert find_recording(tmp_path, "123") == one
    for name in ("12", "9", "../x", "*"):
        with pytest.raises(JackfieldError, match="recordings"):
            find_recording(tmp_path, name)


async def test_a_scrollback_beyond_what_may_wait_does_not_end_a_recording(
    tmp_path: Path, profiles: FakeProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jackfield_terminal.session.recordings.WAITING", 64 * 1024)
    monkeypatch.setattr("jackfield_terminal.session.recorder.WAITING", 64 * 1024)
    ports = {"Profiles": profiles, "jackfield_script_engines": {}}
    hub = Hub(FakeContext(tmp_path / "config", tables=[TerminalSettings(kill_grace=0.5)], ports=ports))
    session = await start(hub, "stty -opost -echo; head -c 200000 /dev/zero | tr '\\0' x; echo full; read a")
    await attach(hub, session).printed(b"full")
    made = await hub.recordings.start(session)
    assert made.state == "recording"
    await hub.close()
    assert made.state == "complete"


def test_a_recording_whose_file_cannot_be_begun_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        CastFile(tmp_path / "a.cast", {"version": 2}, 1000)
    assert list(tmp_path.iterdir()) == []
