"""Clients of `/ws` over the real bus, without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jackfield.api.auth import Principal
from jackfield.core.events import LossyEventBus
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield_events.app import EventSockets
from jackfield_events.settings import EventsSettings

OWNER = Principal("owner", "owner", "admin", "owner")


class Lab:
    def __init__(self, config_dir: Path, **settings: Any) -> None:
        self.clock = FakeClock()
        self.context = FakeContext(config_dir, clock=self.clock, tables=[EventsSettings.model_validate(settings)])
        self.bus = LossyEventBus(self.clock)
        self.context.events = self.bus  # type: ignore[assignment]
        self.app = EventSockets(self.context)

    def connect(self, caller: Principal | None = OWNER, path: str = "/ws", kind: str = "websocket") -> Socket:
        return Socket(self, {"type": kind, "path": path, "jackfield.principal": caller})


class Socket:
    """One connection. `reading` false: the client takes nothing, as one does whose buffers are full."""

    def __init__(self, lab: Lab, scope: dict[str, Any]) -> None:
        self.sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.sent.put_nowait({"type": "websocket.connect"})
        self.messages: list[dict[str, Any]] = []
        self.changed = asyncio.Event()
        self.reading = asyncio.Event()
        self.reading.set()
        self.task = asyncio.ensure_future(lab.app(scope, self.sent.get, self._take))

    async def _take(self, message: Any) -> None:
        await self.reading.wait()
        self.messages.append(message)
        self.changed.set()

    def say(self, frame: object) -> None:
        text = frame if isinstance(frame, str) else json.dumps(frame)
        self.sent.put_nowait({"type": "websocket.receive", "text": text, "bytes": None})

    def say_bytes(self, data: bytes) -> None:
        self.sent.put_nowait({"type": "websocket.receive", "bytes": data})

    def leave(self) -> None:
        self.sent.put_nowait({"type": "websocket.disconnect", "code": 1005})

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [json.loads(message["text"]) for message in self.messages if message["type"] == "websocket.send"]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["type"] == kind]

    @property
    def events(self) -> list[str]:
        return [frame["event"]["type"] for frame in self.of("event")]

    @property
    def closed(self) -> int | None:
        return next((message["code"] for message in self.messages if message["type"] == "websocket.close"), None)

    async def until(self, probe: Callable[[], object]) -> None:
        async with asyncio.timeout(5):
            while not probe():
                self.changed.clear()
                await self.changed.wait()

    async def settled(self) -> None:
        """Until what was said has been heard."""
        before = len(self.of("pong"))
        self.say({"type": "ping"})
        await self.until(lambda: len(self.of("pong")) > before)

    async def subscribe(self, *topics: str) -> None:
        self.say({"type": "subscribe", "topics": list(topics)})
        await self.settled()
