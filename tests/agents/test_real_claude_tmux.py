"""The real Claude Code in a session, driven over the WebSocket: the snapshot of its screen is what tmux shows of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from agents_lab import Lab
from model_streams import Reply, Used

from jackfield.testing.websocket import BINARY, RawWebSocket

COLUMNS, ROWS = 100, 30
USED = Used(fresh=700, output=9, cached=60, written=5)
TMUX = shutil.which("tmux")
MOVING = re.compile(r"[·✢✳✶✻✽∗*]|\d+(?:\.\d+)?s\b")
"""A spinner's pictures and what counts seconds."""
Say = Callable[[str], None]


def tmux(place: Path, *arguments: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")} | {"LC_ALL": "C.UTF-8"}
    command = [str(TMUX), "-S", str(place / "socket"), *arguments]
    return subprocess.run(command, capture_output=True, check=True, timeout=30, env=env).stdout.decode()


def wait(shown: Callable[[], list[str]], wanted: str, seconds: float = 40) -> list[str]:
    deadline = time.monotonic() + seconds
    while True:
        lines = shown()
        if any(wanted in line for line in lines):
            return lines
        assert time.monotonic() < deadline, f"{wanted!r} is not shown:\n" + "\n".join(lines)
        time.sleep(0.1)


@pytest.mark.skipif(TMUX is None, reason="tmux is not installed")
def test_the_screen_of_claude_is_what_tmux_shows(lab: Lab, tmp_path: Path) -> None:
    alias = "tmux-screen"
    lab.profile(alias, "claude", "messages")
    work = tmp_path / "work"
    work.mkdir()
    body = {"profile_alias": alias, "cols": COLUMNS, "rows": ROWS, "working_dir": str(work)}
    session = lab.data(lab.api.post("/api/terminal/sessions", json=body))["session_id"]

    def ours() -> list[str]:
        found = lab.data(lab.api.get(f"/api/terminal/sessions/{session}/screen"))
        return [MOVING.sub("", line).rstrip() for line in found["lines"]]

    # The same bytes, written to tmux as the session has printed them: two runs would differ in what they remember.
    (tmp_path / "tmux.conf").write_text(
        "set -g status off\nset -g default-terminal xterm-256color\nset -g remain-on-exit on\n"
    )
    raw = tmp_path / "output"
    os.mkfifo(raw)
    size = ["-x", str(COLUMNS), "-y", str(ROWS)]
    tmux(tmp_path, "-f", str(tmp_path / "tmux.conf"), "new-session", "-d", *size, f"stty raw -echo; exec cat {raw}")

    def theirs() -> list[str]:
        text = unicodedata.normalize("NFC", tmux(tmp_path, "capture-pane", "-p"))
        lines = [MOVING.sub("", line.replace("\ufe0f", "")).rstrip() for line in text.split("\n")]
        return (lines + [""] * ROWS)[:ROWS]

    with raw.open("wb", buffering=0) as pipe, RawWebSocket(lab.daemon.port, f"/ws/terminal/{session}") as client:
        client.socket.settimeout(0.2)

        def copy() -> None:
            try:
                while (found := client.receive()) is not None:
                    if found.opcode == BINARY:
                        pipe.write(found.payload)
            except TimeoutError:
                return

        def same(wanted: str) -> None:
            wait(ours, wanted)
            deadline = time.monotonic() + 20
            while True:
                copy()
                left, right = theirs(), ours()
                if left == right and any(wanted in line for line in left):
                    return
                assert time.monotonic() < deadline, json.dumps([left, right], indent=1, ensure_ascii=False)

        def type_keys(text: str) -> None:
            client.send(BINARY, text.encode())

        lab.models.replies = [Reply("The word is cormorant.", used=USED)]
        same("Yes, I trust this folder")
        type_keys("\r")
        same("for shortcuts")
        type_keys("What is the word? 漢字 😀")
        same("What is the word?")
        type_keys("\r")
        same("The word is cormorant.")
        type_keys("/exit")
        same("/exit")
        type_keys("\r")
        ended = lab.data(lab.api.get(f"/api/terminal/sessions/{session}/wait", params={"for": "exit", "timeout": 30}))
        assert ended["exit_code"] == 0
    tmux(tmp_path, "kill-server")
