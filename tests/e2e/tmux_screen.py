"""The same program in tmux and in a session of ours: the same keys, the same size, and their screens side by side."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

from jackfield.testing.websocket import BINARY, TEXT, RawWebSocket

from .shell_daemon import Shells

DEADLINE = 15.0
SETTINGS = """
set -g status off
set -g default-terminal xterm-256color
set -s escape-time 0
set -g history-limit 0
set -g default-shell /bin/sh
"""


def tmux() -> str | None:
    return shutil.which("tmux")


class Tmux:
    """A server of its own with one program on one screen."""

    def __init__(self, place: Path, command: str, cols: int, rows: int) -> None:
        place.mkdir(parents=True, exist_ok=True)
        settings = place / "tmux.conf"
        settings.write_text(SETTINGS)
        self._socket = str(place / "socket")
        self._rows = rows
        size = ["-x", str(cols), "-y", str(rows)]
        self._run("-f", str(settings), "new-session", "-d", *size, command)

    def _run(self, *arguments: str) -> str:
        command = [tmux() or "tmux", "-S", self._socket, *arguments]
        # COLUMNS and LINES, which tox sets, would be a program's size for ever.
        env = {name: value for name, value in os.environ.items() if not name.startswith(("TMUX", "COLUMNS", "LINES"))}
        env |= {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        return subprocess.run(command, capture_output=True, check=True, timeout=20, env=env).stdout.decode()

    def type(self, keys: str) -> None:
        for part in keys.splitlines(keepends=True) or [""]:
            if part.isascii():
                self._run("send-keys", "-H", *(f"{byte:02x}" for byte in part.encode()))
            else:
                self._run("send-keys", "-l", part)

    def resize(self, cols: int, rows: int) -> None:
        self._rows = rows
        self._run("resize-window", "-x", str(cols), "-y", str(rows))

    def lines(self) -> list[str]:
        text = unicodedata.normalize("NFC", self._run("capture-pane", "-p"))  # as ours
        shown = [line.rstrip() for line in text.split("\n")]
        return (shown + [""] * self._rows)[: self._rows]

    def close(self) -> None:
        self._run("kill-server")


class Ours:
    """The same program in a session, over its WebSocket; the screen as `GET .../screen` tells it."""

    def __init__(self, shells: Shells, command: str, cols: int, rows: int) -> None:
        self._shells = shells
        self._session = shells.start(command, cols, rows)
        self._client: RawWebSocket = shells.attach(self._session)

    def type(self, keys: str) -> None:
        self._client.send(BINARY, keys.encode())

    def resize(self, cols: int, rows: int) -> None:
        self._client.send(TEXT, json.dumps({"type": "resize", "cols": cols, "rows": rows}).encode())

    def lines(self) -> list[str]:
        found = self._shells.ok(self._shells.api.get(f"/api/terminal/sessions/{self._session}/screen"))
        assert isinstance(found, dict)
        return list(found["lines"])

    def close(self) -> None:
        self._client.close()
        self._shells.end(self._session)


class Pair:
    """Both, in step."""

    def __init__(
        self, shells: Shells, place: Path, command: str, cols: int, rows: int, env: Mapping[str, str] | None = None
    ) -> None:
        given = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(env or {})}
        line = "exec env " + " ".join(f"{name}='{value}'" for name, value in given.items()) + f" {command}"
        self._tmux = Tmux(place / "tmux", line, cols, rows)
        self._ours = Ours(shells, line, cols, rows)

    def step(self, keys: str, shown: str) -> list[str]:
        """Type, and wait until tmux shows the text and both show the same."""
        if keys:
            self._tmux.type(keys)
            self._ours.type(keys)
        return self.same(shown)

    def resize(self, cols: int, rows: int) -> None:
        self._tmux.resize(cols, rows)
        self._ours.resize(cols, rows)

    def same(self, shown: str) -> list[str]:
        deadline = time.monotonic() + DEADLINE
        while True:
            theirs, ours = self._tmux.lines(), self._ours.lines()
            if theirs == ours and any(shown in line for line in theirs):
                return ours
            if time.monotonic() > deadline:
                raise AssertionError(f"{shown!r} is not shown, or not by both:\n{side_by_side(theirs, ours)}")
            time.sleep(0.02)

    def close(self) -> None:
        self._ours.close()
        self._tmux.close()


def side_by_side(theirs: list[str], ours: list[str]) -> str:
    rows = zip_longest(theirs, ours, fillvalue=None)
    return "\n".join(f"{' ' if left == right else '!'} {left!r}\n  {right!r}" for left, right in rows)
