"""One hub after another over the same directory, and what becomes of their holders."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jackfield.testing.context import FakeContext
from jackfield_terminal.hub import Hub
from jackfield_terminal.persistent.directory import DIRECTORY
from jackfield_terminal.persistent.session import PersistentSession
from jackfield_terminal.settings import SandboxSettings, TerminalSettings
from jackfield_terminal.supervisor.frames import SOCKET

from ..conftest import DEADLINE, FakeProfiles, python, start

NUMBERS = python("i = 0\nwhile True:\n    print(i, flush=True)\n    i += 1")
BEYOND = python(r"""
import os, time
os.write(1, b"\x1b[?1049h")
os.read(0, 9)
for i in range(200000): print(i)
print("all", flush=True)
open("printed", "w")
time.sleep(99)
""")
SERVER = f"""
import socket
s = socket.socket(socket.AF_UNIX)
s.bind({SOCKET!r})
s.listen()
print(flush=True)
c, _ = s.accept()
c.sendall(b"HTTP/1.1 400 nonsense" * 9)
c.recv(9)
"""
SECRET = "sk-very-secret-0123456789"


class Daemons:
    """One hub after another."""

    def __init__(self, root: Path, profiles: FakeProfiles, spawner: str = "posix_spawn") -> None:
        self.spawner = spawner
        self.profiles = profiles
        self.config_dir = root / "config"
        self.hub: Hub = None  # type: ignore[assignment]  # made by `start`
        self.context: FakeContext
        self.pids: set[int] = set()
        self._hubs: list[Hub] = []

    async def start(self, **settings: Any) -> Hub:
        table = TerminalSettings(
            **{"hang_up_grace": 0.2, "kill_grace": 0.5, "stall": 0.2, "spawner": self.spawner, **settings}
        )
        ports = {"Profiles": self.profiles, "jackfield_script_engines": {}}
        self.context = FakeContext(self.config_dir, tables=[table, SandboxSettings()], ports=ports)
        self.hub = Hub(self.context)
        self._hubs.append(self.hub)
        await self.hub.restore()
        self.pids |= {pid for session in self.hub.all() for pid in (session.pid, getattr(session, "holder", 0))}
        return self.hub

    async def open(self, script: str, **more: Any) -> PersistentSession:
        session = await start(self.hub, script, persist=True, **more)
        assert isinstance(session, PersistentSession)
        self.pids |= {session.pid, session.holder}
        return session

    def vanish(self) -> None:
        """As with kill -9: every descriptor is closed, and a supervisor is told nothing."""
        for session in self.hub.all():
            if isinstance(session, PersistentSession) and not session.ended.is_set():
                session.leave()
        self.hub._sessions.clear()

    async def restart(self, **settings: Any) -> Hub:
        await self.hub.close()
        return await self.start(**settings)

    def directories(self) -> list[Path]:
        with contextlib.suppress(FileNotFoundError):
            return sorted((self.config_dir / DIRECTORY).iterdir())
        return []

    async def close(self) -> None:
        for hub in self._hubs:
            self.pids |= {session.holder for session in hub.all() if isinstance(session, PersistentSession)}
            await hub.close()
        for pid in self.pids - {0}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


async def until(seen: Callable[[], object]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not seen():
            await asyncio.sleep(0.005)


async def over(session: Any) -> None:
    async with asyncio.timeout(DEADLINE):
        await session.ended.wait()


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())
