"""A daemon with a profile whose agent is a shell, its sessions, and what the system says of it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import httpx

from jackfield.testing.daemon import Daemon
from jackfield.testing.shell import add_shell
from jackfield.testing.websocket import BINARY, RawWebSocket

CLOSE_WAIT = "08"


class Shells:
    """Sessions of one daemon."""

    def __init__(self, daemon: Daemon) -> None:
        """Of a daemon that has not been started."""
        self.daemon = daemon
        add_shell(daemon)
        self.api = daemon.start().client()
        body = {"agent_id": "shell", "alias": "one", "provider_id": "self", "model": "none"}
        self.ok(self.api.post("/api/profiles", json=body))

    @staticmethod
    def ok(answer: httpx.Response) -> object:
        assert answer.is_success, answer.text
        return answer.json().get("data")

    def start(self, script: str = "exec cat", cols: int = 80, rows: int = 24, *, persist: bool = False) -> str:
        body = {"profile_alias": "one", "args": ["-c", script], "cols": cols, "rows": rows, "persist": persist}
        made = self.ok(self.api.post("/api/terminal/sessions", json=body))
        assert isinstance(made, dict)
        return str(made["session_id"])

    def state(self, session: str) -> dict[str, object]:
        found = self.ok(self.api.get(f"/api/terminal/sessions/{session}"))
        assert isinstance(found, dict)
        return found

    def end(self, session: str) -> None:
        self.ok(self.api.delete(f"/api/terminal/sessions/{session}"))

    def attach(self, session: str, **options: int) -> RawWebSocket:
        return RawWebSocket(self.daemon.port, f"/ws/terminal/{session}", **options)

    def vanished(self) -> int:
        """Connections whose client has gone, and which the daemon still has."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(row[3] == CLOSE_WAIT and int(row[1].split(":")[1], 16) == self.daemon.port for row in rows)

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))  # noqa: PTH208 - names alone

    def status(self, name: str) -> int:
        """A number of /proc/PID/status: `VmRSS` in KiB, `Threads`."""
        text = Path(f"/proc/{self.daemon.pid}/status").read_text()
        return int(next(line.split()[1] for line in text.splitlines() if line.startswith(f"{name}:")))

    def zombies(self) -> int:
        found = 0
        for place in Path("/proc").iterdir():
            if place.name.isdecimal():
                with contextlib.suppress(OSError):
                    fields = (place / "stat").read_text().rpartition(")")[2].split()
                    found += fields[0] == "Z" and int(fields[1]) == self.daemon.pid
        return found


def typed(client: RawWebSocket, text: bytes) -> None:
    client.send(BINARY, text)


def printed(client: RawWebSocket, wanted: bytes) -> bytes:
    """What the session prints up to this text, with it."""
    found = b""
    while wanted not in found:
        found += client.find(BINARY).payload
    return found
