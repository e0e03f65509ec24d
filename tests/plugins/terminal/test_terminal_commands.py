"""`jackfield terminal` as a user runs it: the real program in a real terminal, beside a real daemon."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield_terminal.sandbox.bubblewrap import problem_of_sandbox
from jackfield_terminal.settings import SandboxSettings

PROGRAM = str(Path(sys.executable).with_name("jackfield"))
AGENT = """#!/bin/sh
[ "$1" = --version ] && echo shell-agent 1.2.3 && exit
exec /bin/sh "$@"
"""
MANIFEST = """
id = "shell-agent"
name = "Shell"
binary = "shell-agent"
[models]
default = "none"
[detect]
commands = ["shell-agent --version"]
[profile]
source_home = "{homes}/{{alias}}"
"""
DEADLINE = 15.0


def supervisors(config_dir: Path) -> list[int]:
    """Processes that keep sessions of this directory."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            words = (each / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            keeps = any(word.endswith("/supervisor/program.py") for word in words)
            if keeps and any(Path(word).is_relative_to(config_dir) for word in words):
                found.append(int(each.name))
    return found


class Here:
    """A daemon with a profile `work` whose agent is a shell, and terminals beside it."""

    def __init__(self, root: Path, settings: str = "") -> None:
        self.root = root
        (root / "bin").mkdir()
        (root / "user").mkdir()
        program = root / "bin" / "shell-agent"
        program.write_text(AGENT)
        program.chmod(0o755)
        self.env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(root / "user")}
        self.daemon = Daemon(root, env=self.env, settings=settings)
        (self.daemon.config_dir / "agents.d").mkdir(mode=0o700)
        (self.daemon.config_dir / "agents.d" / "shell-agent.toml").write_text(MANIFEST.format(homes=root / "homes"))
        try:
            self.daemon.start()
            self.api = self.daemon.client()
            self.profile("work")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the daemon, and the supervisors of sessions that would wait for the next one for a day."""
        self.daemon.close()
        for pid in supervisors(self.daemon.config_dir):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        poll(lambda: not supervisors(self.daemon.config_dir), "the supervisors end")

    def profile(self, alias: str, **more: Any) -> None:
        body = {"alias": alias, "agent_id": "shell-agent", "provider_id": "self", "api_key": "", **more}
        answer = self.api.post("/api/profiles", json=body)
        assert answer.status_code == 200, answer.text

    def sessions(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.api.get("/api/terminal/sessions").json()["data"]
        return found

    def session(self, id: str) -> dict[str, Any]:
        return next(session for session in self.sessions() if session["id"] == id)

    def new(self, script: str, *options: str) -> str:
        """A detached session."""
        return self.run("new", "work", *options, "--detached", "--", "-c", script).stdout.strip()

    def command(self, *args: str) -> list[str]:
        return [PROGRAM, "terminal", *args]

    def environment(self) -> dict[str, str]:
        env = {**os.environ, **self.env, "JACKFIELD_CONFIG_DIR": str(self.daemon.config_dir), "TERM": "xterm-256color"}
        env.pop("COLUMNS", None)
        env.pop("LINES", None)
        return env

    def run(self, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*args), env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=DEADLINE, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done


class Terminal:
    """A program in a pseudo-terminal, as a user's terminal runs it."""

    def __init__(self, command: list[str], env: dict[str, str], cols: int = 90, rows: int = 30) -> None:
        self.master, slave = os.openpty()
        self.resize(cols, rows, tell=False)
        self.modes = termios.tcgetattr(slave)
        self.output = b""
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        self._slave = slave

    def resize(self, cols: int, rows: int, *, tell: bool = True) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        if tell:
            os.killpg(self.process.pid, signal.SIGWINCH)

    def type(self, data: bytes) -> None:
        os.write(self.master, data)

    def read(self, seconds: float = 0.05) -> None:
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            self.output += os.read(self.master, 65536)

    def until(self, text: bytes) -> None:
        deadline = time.monotonic() + DEADLINE
        while text not in self.output:
            assert time.monotonic() < deadline, self.output
            self.read()

    def ends(self) -> int:
        deadline = time.monotonic() + DEADLINE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.output
            self.read()
        self.read(0)
        assert termios.tcgetattr(self._slave) == self.modes
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    root = tmp_path_factory.mktemp("terminals")
    made = Here(root)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def terminal(here: Here) -> Iterator[Any]:
    made: list[Terminal] = []

    def run(*args: str, **size: int) -> Terminal:
        made.append(Terminal(here.command(*args), here.environment(), **size))
        return made[-1]

    yield run
    for one in made:
        one.close()


# -- without a terminal


def test_list_new_and_kill(here: Here) -> None:
    session = here.new("cat")
    assert re.fullmatch(r"[0-9a-f-]{36}", session)
    line = next(line for line in here.run("list").stdout.splitlines() if session in line)
    assert "work" in line
    assert "running" in line
    found = json.loads(here.run("list", "--json").stdout)
    assert next(one for one in found if one["id"] == session)["state"] == "running"
    here.run("kill", session[:13])
    assert here.session(session)["exit_code"] == 129
    line = next(line for line in here.run("list").stdout.splitlines() if session in line)
    assert "terminated 129" in line


def test_a_directory_is_given_and_a_session_recorded(here: Here) -> None:
    where = here.root / "some project"
    where.mkdir()
    session = here.new("pwd; echo over", "--directory", str(where), "--record")
    poll(lambda: here.session(session)["state"] == "terminated", "the session has ended")
    poll(lambda: here.session(session)["recording"]["state"] == "complete", "the recording is complete")
    body = here.api.get(f"/api/terminal/sessions/{session}/recording").text
    assert str(where) in body
    played = here.run("play", session[:8])
    assert played.stdout == f"{where}\nover\n"
    assert here.run("play", "no-such-file", code=1).stderr


def test_mistakes_are_told(here: Here) -> None:
    assert "nobody" in here.run("new", "nobody", "--detached", code=1).stderr
    assert "0 sessions" in here.run("kill", "zzzz", code=1).stderr
    assert "TERM" not in here.run("attach", "zzzz", code=1).stderr


def test_what_needs_a_terminal_starts_nothing_without_one(here: Here) -> None:
    before = len(here.sessions())
    assert "needs a terminal" in here.run("new", "work", "--", "-c", "cat", code=1).stderr
    assert len(here.sessions()) == before
    assert "needs a terminal" in here.run("attach", "zzzz", code=1).stderr


# -- in a terminal


def test_typing_resizing_and_the_exit_code(here: Here, terminal: Any) -> None:
    script = "stty size; while read line; do echo said:$line; stty size; [ $line = end ] && exit 23; done"
    user = terminal("new", "work", "--", "-c", script, cols=90, rows=30)
    user.until(b"30 90")
    user.type(b"words\r")
    user.until(b"said:words")
    user.resize(70, 20)
    poll(lambda: any((one["cols"], one["rows"]) == (70, 20) for one in here.sessions()), "the size has come")
    user.type(b"end\r")
    user.until(b"said:end\r\n20 70")
    assert user.ends() == 23


def test_a_key_leaves_and_another_terminal_comes_back(here: Here, terminal: Any) -> None:
    user = terminal("new", "work", "--", "-c", "printf '\\033[?1049h'; echo before; cat; exit 5")
    user.until(b"before")
    user.type(b"\x1d")
    assert user.ends() == 0
    assert b"Detached" in user.output
    assert b"\x1b[?1049l" in user.output  # this terminal is left as it was
    session = re.search(rb"attach ([0-9a-f]+)", user.output)
    assert session is not None
    again = terminal("attach", session[1].decode(), cols=60, rows=15)
    again.until(b"before")
    [running] = [one for one in here.sessions() if one["id"].startswith(session[1].decode())]
    assert running["state"] == "running"
    again.type(b"more\r")
    again.until(b"more\r\nmore")
    again.type(b"\x04")
    assert again.ends() == 5


def test_keys_go_to_the_agent_and_not_to_the_program(here: Here, terminal: Any) -> None:
    traps = "trap 'echo got-int' INT; trap 'echo got-quit' QUIT; echo ready;"
    script = traps + ' while :; do read l; [ "$l" = end ] && exit 9; done'
    user = terminal("new", "work", "--", "-c", script)
    user.until(b"ready")
    for key, told in ((b"\x03", b"got-int"), (b"\x1c", b"got-quit"), (b"\x1a", b"^Z")):
        user.type(key)
        user.until(told)
    user.type(b"end\r")
    assert user.ends() == 9


def test_a_viewer_sees_and_types_nothing(here: Here, terminal: Any) -> None:
    session = here.new("stty size; cat")
    viewer = terminal("attach", session, "--read-only", cols=20, rows=5)
    viewer.until(b"24 80")
    viewer.type(b"forbidden\r")
    here.api.post(f"/api/terminal/sessions/{session}/input", json={"text": "allowed\n"})
    viewer.until(b"allowed")
    assert b"forbidden" not in viewer.output
    assert here.session(session)["cols"] == 80
    viewer.type(b"\x1d")
    assert viewer.ends() == 0
    here.run("kill", session)


def test_the_key_leaves_an_agent_that_does_not_read(here: Here, terminal: Any) -> None:
    session = here.new("stty raw -echo; echo deaf; exec sleep 300")
    user = terminal("attach", session)
    user.until(b"deaf")
    for _ in range(40):
        user.type(b"x" * 1000)
        user.read(0)
    user.type(b"\x1d")
    assert user.ends() == 0
    here.run("kill", session)


def test_much_output_arrives_whole(here: Here, terminal: Any) -> None:
    session = here.new("echo ready; read go; seq 1 20000; echo end-of-output; read go")
    user = terminal("attach", session)
    user.until(b"ready")
    user.type(b"\r")
    user.until(b"end-of-output")
    numbers = [int(line) for line in user.output.split(b"\r\n") if line.isdigit()]
    assert numbers == list(range(1, 20001))
    user.type(b"\r")
    assert user.ends() == 0


def test_the_end_of_the_session_ends_it_with_its_code(here: Here, terminal: Any) -> None:
    session = here.new("echo ready; exec cat")
    user = terminal("attach", session)
    user.until(b"ready")
    here.run("kill", session)
    assert user.ends() == 129


def test_a_recording_plays_in_a_terminal_and_can_be_broken_off(here: Here, terminal: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.cast"
    file.write_text('{"version": 2, "width": 80, "height": 24}\n[0.0, "o", "first"]\n[3600.0, "o", "last"]\n')
    user = terminal("play", str(file))
    user.until(b"first")
    user.type(b"\x03")
    assert user.ends() == 130
    fast = terminal("play", str(file), "--idle", "0.01")
    fast.until(b"firstlast")
    assert fast.ends() == 0


def test_a_wait_for_a_pattern_is_answered_by_the_daemons_script_engine(here: Here) -> None:
    session = here.new("echo answer 42; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!; cat")
    path = f"/api/terminal/sessions/{session}/wait"
    found = here.api.get(path, params={"for": "regex", "pattern": r"^answer \d+$"}).json()["data"]
    assert found["met"] is True
    refused = here.api.get(path, params={"for": "regex", "pattern": "("})
    assert refused.status_code == httpx.codes.BAD_REQUEST
    hostile = here.api.get(path, params={"for": "regex", "pattern": "^(a+)+$", "timeout": "1"})
    assert hostile.status_code == httpx.codes.BAD_REQUEST
    assert "cannot be tested" in hostile.json()["error"]
    here.run("kill", session)


def test_a_daemon_that_is_not_there(here: Here, tmp_path: Path) -> None:
    done = here.run("list", "--config-dir", str(tmp_path), code=1)
    assert "jackfield serve" in done.stderr


@pytest.mark.skipif(problem_of_sandbox(SandboxSettings()) is not None, reason="bubblewrap does not work here")
@pytest.mark.parametrize("kind", ["standard", "strict"])
def test_a_profile_with_a_sandbox(here: Here, terminal: Any, kind: str) -> None:
    here.profile(f"boxed-{kind}", sandbox=kind)
    script = 'for f; do cat "$f" && echo READ; done; cd; pwd; echo kept > kept; read l; exit 6'
    secrets = [str(here.daemon.config_dir / "daemon-endpoint"), str(here.root / "homes" / "work" / "secret")]
    (here.root / "homes" / "work").mkdir(parents=True, exist_ok=True)
    Path(secrets[1]).write_text("secret")
    user = terminal("new", f"boxed-{kind}", "--", "-c", script, "sh", *secrets)
    home = here.root / "homes" / f"boxed-{kind}"
    user.until(str(home).encode())
    assert b"READ" not in user.output
    user.type(b"\r")
    assert user.ends() == 6
    assert (home / "kept").read_text() == "kept\n"


@pytest.mark.skipif(problem_of_sandbox(SandboxSettings()) is not None, reason="bubblewrap does not work here")
def test_an_agent_in_a_sandbox_is_not_the_owner(here: Here) -> None:
    here.profile("boxed-caller", sandbox="strict")
    source = (
        "import sys,urllib.request,urllib.error\n"
        "try: print('GOT', urllib.request.urlopen(sys.argv[1]).status)\n"
        "except urllib.error.HTTPError as e: print('GOT', e.code)"
    )
    url = f"{here.daemon.base_url}/api/profiles"
    body = {"args": ["-c", 'exec "$@"', "sh", "/usr/bin/python3", "-c", source, url]}
    ran = here.api.post("/api/profiles/boxed-caller/run", json=body).json()["data"]
    assert "GOT 401" in ran["output"], ran
    assert here.api.get("/api/profiles").status_code == httpx.codes.OK


def test_doctor_tells_of_the_sandbox(here: Here) -> None:
    done = subprocess.run([PROGRAM, "doctor"], env=here.environment(), capture_output=True, text=True, check=False)
    assert "sandbox" in done.stdout
