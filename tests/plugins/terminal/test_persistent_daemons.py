"""Sessions that survive the real daemon: its stop, and kill -9 in the middle of what they print."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from wsproto.events import BytesMessage, CloseConnection, TextMessage

from jackfield.api.daemon import DaemonClient
from jackfield.testing.daemon import poll
from jackfield_terminal.cli.link import TerminalLink
from jackfield_terminal.sandbox.bubblewrap import problem_of_sandbox
from jackfield_terminal.settings import SandboxSettings

from .test_terminal_commands import Here

SCROLLBACK = 32 * 1024 * 1024
COUNT = "i=0; while [ $i -lt 400000 ]; do echo $i; i=$((i+1)); done; read x; exit 5"
CALL = (
    'import http.client as h; c = h.HTTPConnection("127.0.0.1", {port}); c.request("GET", "/api/profiles"); '
    'print("status", c.getresponse().status)'
)


@pytest.fixture
def here(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Here]:
    """A test may name another spawner."""
    spawner = getattr(request, "param", "posix_spawn")
    settings = f'scrollback = {SCROLLBACK}\nhang_up_grace = 0.2\nkill_grace = 0.5\nspawner = "{spawner}"\n'
    made = Here(tmp_path, f"[terminal]\n{settings}")
    try:
        yield made
        for session in made.sessions():
            made.api.delete(f"/api/terminal/sessions/{session['id']}")
    finally:
        made.close()


def restart(here: Here) -> None:
    here.daemon.start()
    here.api = here.daemon.client()


class Reader:
    """An attached client."""

    def __init__(self, here: Here, session: str) -> None:
        self.link = TerminalLink(DaemonClient(here.daemon.config_dir), f"/ws/terminal/{session}")
        self.output = bytearray()
        self.notes: list[dict[str, object]] = []
        self.closed = False
        self._text = ""
        self._take(self.link.handshake())
        self.link.socket.setblocking(True)

    def _take(self, events: list[object]) -> None:
        for event in events:
            if isinstance(event, BytesMessage):
                self.output += event.data
            elif isinstance(event, TextMessage):
                self._text += event.data
                if event.message_finished:
                    self.notes.append(json.loads(self._text))
                    self._text = ""
            elif isinstance(event, CloseConnection):
                self.closed = True

    def until(self, size: int) -> None:
        self.link.socket.settimeout(20)
        while len(self.output) < size and not self.closed:
            self._take(list(self.link.receive()))

    def to_the_end(self) -> None:
        self.until(SCROLLBACK * 2)
        self.link.close()


def numbers_of(output: bytes) -> list[bytes]:
    return bytes(output).split(b"\r\n")[:-1]


def test_numbers_are_exact_over_kill_9_in_the_middle_of_output(here: Here) -> None:
    session = here.new(COUNT, "--persist")
    seen = bytearray()
    for size in (20_000, 400_000, 900_000):
        reader = Reader(here, session)
        reader.until(size)
        os.kill(here.daemon.pid, signal.SIGKILL)
        reader.to_the_end()
        here.daemon.wait()
        common = min(len(seen), len(reader.output))
        assert reader.output[:common] == seen[:common]
        seen = max(seen, reader.output, key=len)
        restart(here)
    reader = Reader(here, session)
    poll(lambda: "399999" in here.api.get(f"/api/terminal/sessions/{session}/screen").text, "all is printed")
    here.api.post(f"/api/terminal/sessions/{session}/input", json={"keys": ["enter"]})
    reader.to_the_end()
    numbers = numbers_of(reader.output)[:400_000]
    assert numbers == [b"%d" % number for number in range(400_000)]
    assert bytes(reader.output).startswith(bytes(seen))
    assert reader.notes[-1] == {"type": "state_changed", "state": "terminated", "exit_code": 5}


@pytest.mark.parametrize("here", ["ptyprocess"], indirect=True)
def test_sessions_that_ptyprocess_started_end_or_stay_as_others_do(here: Here) -> None:
    kept, other = here.new("echo begun; read x; exit 5", "--persist"), here.new("echo begun; cat", "--no-persist")
    poll(lambda: "begun" in here.api.get(f"/api/terminal/sessions/{other}/screen").text, "it is printed")
    pids = {name: int(str(here.session(name)["pid"])) for name in (kept, other)}
    assert here.daemon.stop() == 0
    assert not Path(f"/proc/{pids[other]}").exists()
    os.kill(pids[kept], 0)
    restart(here)
    assert "begun" in here.api.get(f"/api/terminal/sessions/{kept}/screen").text
    here.api.post(f"/api/terminal/sessions/{kept}/input", json={"keys": ["enter"]})
    poll(lambda: here.session(kept).get("exit_code") == 5, "it has ended")


def test_a_stop_leaves_the_session_and_says_so(here: Here) -> None:
    kept, other = here.new("echo begun; cat", "--persist"), here.new("cat", "--no-persist")
    shown = here.session(kept)
    assert here.daemon.stop() == 0
    logs = "".join(path.read_text() for path in (here.daemon.config_dir / "logs").glob("*.log"))
    assert "1 terminal sessions stay" in here.daemon.tail() + logs
    os.kill(int(str(shown["pid"])), 0)
    restart(here)
    assert here.session(kept) == shown
    assert other not in {session["id"] for session in here.sessions()}
    assert "begun" in here.api.get(f"/api/terminal/sessions/{kept}/screen").text
    here.profile("lasting", persist=True)
    assert here.api.get("/api/profiles/lasting").json()["data"]["persist"] is True
    body = {"profile_alias": "lasting", "args": ["-c", "cat"]}
    lasting = here.api.post("/api/terminal/sessions", json=body).json()["data"]["session_id"]
    assert here.session(lasting)["persistent"] is True
    pid = here.session(lasting)["pid"]
    changed = here.api.patch("/api/profiles/lasting", json={"persist": None})
    assert changed.status_code == 200
    assert here.api.get("/api/profiles/lasting").json()["data"]["persist"] is None
    assert here.api.delete("/api/profiles/lasting?force=true").status_code == 200
    assert not Path(f"/proc/{pid}").exists()


def test_the_usage_log_has_one_line_of_an_end_without_a_daemon(here: Here) -> None:
    session = here.new("echo begun; read x; exit 4", "--persist")
    pid = int(str(here.session(session)["pid"]))
    os.kill(here.daemon.pid, signal.SIGKILL)
    here.daemon.wait()
    os.kill(pid, signal.SIGKILL)
    for _ in range(2):
        restart(here)
        poll(lambda: all(one["state"] == "terminated" for one in here.sessions()), "the end is known")
        assert here.daemon.stop() == 0
    lines = [
        line
        for path in (here.daemon.config_dir / "telemetry").rglob("*.jsonl")
        for line in path.read_text().splitlines()
        if json.loads(line).get("exit_code") == 137
    ]
    assert len(lines) == 1
    restart(here)


@pytest.mark.skipif(problem_of_sandbox(SandboxSettings()) is not None, reason="bubblewrap does not work here")
def test_an_agent_in_a_sandbox_is_not_the_owner_after_a_restart(here: Here) -> None:
    here.profile("boxed", sandbox="standard", persist=True)
    body = {"profile_alias": "boxed", "args": ["-c", 'read x; eval "$x"; cat']}
    session = here.api.post("/api/terminal/sessions", json=body).json()["data"]["session_id"]
    here.daemon.kill()
    restart(here)
    call = CALL.format(port=here.daemon.port)
    here.api.post(
        f"/api/terminal/sessions/{session}/input", json={"text": f"/usr/bin/python3 -c '{call}'", "keys": ["enter"]}
    )
    answer = here.api.get(
        f"/api/terminal/sessions/{session}/wait", params={"for": "regex", "pattern": "^status \\d+", "timeout": 15}
    ).json()["data"]
    found = re.search(r"^status (\d+)", answer["screen"]["text"], re.MULTILINE)
    assert found is not None, answer["screen"]["text"]
    assert found[1] == "401"
