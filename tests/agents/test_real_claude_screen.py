"""`jackfield profiles run` in a terminal: the real Claude Code begins with its prompt, answers, and its exit code comes
through."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agents_lab import KEY, Lab, tokens
from model_streams import Reply, Used

COLUMNS, ROWS = 120, 40
SEQUENCES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[()][0-9A-Z]|.)", re.DOTALL
)
USED = Used(fresh=700, output=9, cached=60, written=5)


class Terminal:
    """A program in a terminal, and what it has shown, without colours and blanks: places of the cursor may stand for
    blanks."""

    def __init__(self, command: list[str], env: dict[str, str], cwd: Path) -> None:
        self._end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=other,
            stdout=other,
            stderr=other,
            env=env,
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # its keys and job control, as in a real one
        )
        os.close(other)
        self._read = b""

    @property
    def text(self) -> str:
        return re.sub(r"\s+", "", SEQUENCES.sub("", self._read.decode(errors="replace")))

    def wait_for(self, wanted: str, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        sought = re.sub(r"\s+", "", wanted)
        while sought not in self.text:
            assert time.monotonic() < deadline, f"{wanted!r} was not shown; shown was: {self.text[-3000:]}"
            self._listen()

    def _listen(self) -> None:
        if select.select([self._end], [], [], 0.2)[0]:
            with contextlib.suppress(OSError):  # the program has ended
                self._read += os.read(self._end, 65_536)

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def ended(self, seconds: float = 30) -> int:
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it goes on; shown was: {self.text[-3000:]}"
            self._listen()
        return self.process.returncode

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(5)
        os.close(self._end)


@pytest.fixture
def start(lab: Lab, tmp_path: Path) -> Iterator[Callable[[str], Terminal]]:
    """Run a profile's agent in a terminal."""
    made: list[Terminal] = []

    def run(alias: str) -> Terminal:
        program = lab.daemon.command()[0]
        command = [program, "profiles", "run", alias, "--config-dir", str(lab.daemon.config_dir)]
        env = lab.daemon.environment() | {"TERM": "xterm-256color"}
        made.append(Terminal(command, env, tmp_path))
        return made[-1]

    yield run
    for terminal in made:
        terminal.close()


@pytest.mark.parametrize("provider", ["messages", "native"])
def test_claude_begins_with_its_prompt_and_answers(provider: str, lab: Lab, start: Callable[[str], Terminal]) -> None:
    alias = f"screen-{provider}"
    # With Anthropic itself it also asks for updates, news and plugins; not here.
    quiet = {
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1"
    }  # fmt: skip
    lab.profile(alias, "claude", provider, env=quiet if provider == "native" else {})
    lab.models.replies = [Reply("The word is cormorant.", used=USED)]
    terminal = start(alias)
    # No login, no themes, no doubt about the key; whether a directory is to be trusted is for its user to say.
    terminal.wait_for("Yes, I trust this folder")
    terminal.type("\r")
    terminal.wait_for("for shortcuts")
    terminal.type("What is the word?")
    terminal.wait_for("What is the word?")
    terminal.type("\r")
    terminal.wait_for("The word is cormorant.")
    terminal.type("/exit")
    terminal.wait_for("/exit")
    terminal.type("\r")
    assert terminal.ended() == 0, terminal.text[-1500:]
    [served] = lab.models.served
    assert served.key == KEY
    assert lab.usage(alias)["total_tokens"] == tokens([USED])
