"""A hub over real pseudo-terminals, with a stand-in for the profiles."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.api.auth import Principal
from jackfield.api.errors import NotFound
from jackfield.api.profiles import Launch, LaunchRequest, Profile, Sandbox
from jackfield.api.projects import present_reach
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield_terminal.hub import Hub
from jackfield_terminal.ports import SessionRequest
from jackfield_terminal.settings import TerminalSettings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))
DEADLINE = 15.0
NEAR: dict[str, Any] = {"client": ("127.0.0.1", 50000)}
"""What a scope has of a caller on this machine."""


class FakeProfiles:
    """Every alias is a profile whose agent is `/bin/sh` with the arguments of the request."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.ends: list[tuple[str, int]] = []
        self.argv: list[str] = ["/bin/sh"]
        self.sandbox: Sandbox = "off"
        self.others: list[Profile] = []
        self.env: dict[str, str] = {}
        self.metadata: dict[str, Any] = {}

    async def prepare(self, alias: str, request: LaunchRequest) -> Launch:
        if alias == "unknown":
            raise NotFound("There is no profile unknown.", code="PROFILE_NOT_FOUND")
        profile = self.profile(alias, self.home, self.sandbox)
        profile = replace(profile, metadata={**profile.metadata, **self.metadata})
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "TERM": "xterm-256color", "PS1": "$ ", **self.env}
        cwd = Path(request.working_dir) if request.working_dir else self.home
        return Launch("run", profile, request.kind, [*self.argv, *request.args], env, cwd, 0)

    @staticmethod
    def profile(alias: str, home: Path, sandbox: Sandbox = "off") -> Profile:
        return Profile(alias, "sh", "self", "native", "none", sandbox=sandbox, metadata={"profile_home": str(home)})

    async def all(self) -> list[Profile]:
        if present_reach() is not None:
            return []
        return [self.profile("one", self.home, self.sandbox), *self.others]

    async def ended(self, launch: Launch, exit_code: int) -> None:
        self.ends.append((launch.profile.alias, exit_code))


class Client:
    """A WebSocket client without a network: what the application sends is in `frames`."""

    def __init__(
        self, hub: Hub, path: str, query: str = "", principal: Principal | None = None, peer: str = "127.0.0.1"
    ) -> None:
        self.frames: list[dict[str, Any]] = []
        self.output = bytearray()
        self.gate = asyncio.Event()
        self.gate.set()
        self._in: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._in.put_nowait({"type": "websocket.connect"})
        self._changed = asyncio.Condition()
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": query.encode(),
            "jackfield.principal": principal,
            "client": (peer, 50000),
        }
        self.task = asyncio.ensure_future(hub.connect(scope, self._in.get, self._send))

    async def _send(self, message: dict[str, Any]) -> None:
        await self.gate.wait()
        self.frames.append(message)
        self.output += message.get("bytes") or b""
        async with self._changed:
            self._changed.notify_all()

    def type(self, data: bytes) -> None:
        self._in.put_nowait({"type": "websocket.receive", "bytes": data, "text": None})

    def say(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        self._in.put_nowait({"type": "websocket.receive", "bytes": None, "text": text})

    def leave(self) -> None:
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1005})

    def messages(self, kind: str) -> list[dict[str, Any]]:
        texts = [json.loads(frame["text"]) for frame in self.frames if frame.get("text")]
        return [text for text in texts if text["type"] == kind]

    async def until(self, seen: Callable[[], object]) -> None:
        async with asyncio.timeout(DEADLINE), self._changed:
            await self._changed.wait_for(seen)

    async def printed(self, text: bytes) -> None:
        await self.until(lambda: text in self.output)


@pytest.fixture
def profiles(tmp_path: Path) -> FakeProfiles:
    (tmp_path / "home").mkdir()
    return FakeProfiles(tmp_path / "home")


@pytest.fixture
def settings() -> TerminalSettings:
    return TerminalSettings(hang_up_grace=0.2, kill_grace=0.5, stall=0.2)


@pytest.fixture
async def hub(profiles: FakeProfiles, settings: TerminalSettings, tmp_path: Path) -> AsyncIterator[Hub]:
    ports = {"Profiles": profiles, "jackfield_script_engines": {}}
    context = FakeContext(tmp_path / "config", tables=[settings], ports=ports)
    made = context.ports["SessionHub"] = context.port(Hub)
    yield made
    await made.close()


async def start(hub: Hub, script: str, **more: Any) -> Any:
    """A session that runs a shell script."""
    cols, rows = more.pop("size", (80, 24))
    args = ("-c", script, *more.pop("args", []))
    return await hub.create(SessionRequest(more.pop("alias", "one"), args, cols, rows, **more))


def attach(hub: Hub, session: Any, query: str = "", principal: Principal | None = None) -> Client:
    return Client(hub, f"/ws/terminal/{session.id}", query, principal)


def python(source: str) -> str:
    """A shell command that runs this Python."""
    return f"exec {sys.executable} -IS -c '{source}'"
