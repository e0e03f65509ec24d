"""`GET /api/logs` and `/api/logs/stream`: the daemon's own log, for administrators."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from quart import Response

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import RateLimited
from jackfield.api.events import STOPPING, Subscription
from jackfield.api.http import read_query, success
from jackfield_events.log_files import LogTail, older
from jackfield_events.log_views import cursor_of, place_of, view, wanted
from jackfield_events.schemas import LogQuery, LogStreamQuery
from jackfield_events.settings import EventsSettings

SCANNED = 16 * 1024 * 1024
"""Bytes of the log that one request looks at; `next` says where the next goes on."""
INTERVAL = 0.5
"""Seconds between two looks of a stream."""
HEARTBEAT = 15.0
LIFETIME = 3600.0
BATCH = 200
"""Lines that a stream sends after one look; earlier ones of more are counted."""
READ = 1024 * 1024
RETRY_AFTER = 5.0


async def read(context: PluginContext) -> Response:
    """`GET /api/logs`."""
    return await context.port(LogViews).read()


async def stream(context: PluginContext) -> Response:
    """`GET /api/logs/stream`."""
    return await context.port(LogViews).stream()


class LogViews:
    """Files are read on threads; open streams are counted."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(EventsSettings)
        self._directory = context.service.config_dir / "logs"
        self._open = 0

    async def read(self) -> Response:
        query = read_query(LogQuery)
        before = place_of(query.before) if query.before else None
        matches = wanted(query.level, query.search)
        found = await asyncio.to_thread(older, self._directory, before, matches, query.limit, SCANNED)
        hide = self._context.secrets.hide
        following = None if found.next is None else cursor_of(found.next)
        return success({"lines": [view(line, hide) for line in found.lines], "next": following})

    async def stream(self) -> Response:
        query = read_query(LogStreamQuery)
        if self._open >= self._settings.log_streams:
            raise RateLimited(RETRY_AFTER, "Too many streams of the log are open; see events.log_streams.")
        response = Response(self._frames(query.level, query.search), content_type="text/event-stream")
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Accel-Buffering"] = "no"
        response.timeout = None
        return response

    async def _frames(self, level: str, search: str) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            with self._context.events.subscribe("system") as system:
                tail, matches = LogTail(self._directory), wanted(level, search)
                await asyncio.to_thread(tail.start)
                yield b": connected\n\n"
                loop = asyncio.get_running_loop()
                ends, quiet = loop.time() + LIFETIME, loop.time()
                while loop.time() < ends and not await stopping(system, INTERVAL):
                    lines = [line for line in await asyncio.to_thread(tail.more, READ) if matches(line.text)]
                    if len(lines) > BATCH:
                        yield frame("lagged", {"missed": len(lines) - BATCH})
                    for line in lines[-BATCH:]:
                        yield frame("log", view(line, self._context.secrets.hide))
                    if lines or loop.time() - quiet >= HEARTBEAT:
                        quiet = loop.time()
                        yield b": alive\n\n"
        finally:
            self._open -= 1


async def stopping(system: Subscription, timeout: float) -> bool:
    """Whether the daemon begins to stop within that many seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout):
            async for event in system:
                if event.type == STOPPING:
                    return True
    return False


def frame(kind: str, data: dict[str, object]) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + jsontext.dumps(data) + b"\n\n"
