"""Lines of an agent as JSON objects, in their order. Large ones are parsed on a thread, and nothing more is read
meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping

from jackfield.api import jsontext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json

LARGE = 64 * 1024
"""Bytes of a line from which on it is parsed on a thread."""


class FrameReader:
    """heard: given each object; it must not raise. pause, resume: of reading from the agent."""

    def __init__(
        self, heard: Callable[[Mapping[str, Json]], None], pause: Callable[[], None], resume: Callable[[], None]
    ) -> None:
        self._heard = heard
        self._pause = pause
        self._resume = resume
        self._waiting: deque[bytes] = deque()
        self._working: asyncio.Task[None] | None = None

    def feed(self, line: bytes) -> None:
        """Lines that are no JSON objects are somebody's log."""
        if not line.lstrip().startswith(b"{"):
            return
        if self._working is None and len(line) < LARGE:
            self._give(_parsed(line))
            return
        self._waiting.append(line)  # what was read at once with a large line; no more is read
        if self._working is None:
            self._pause()
            self._working = asyncio.get_running_loop().create_task(self._work())

    async def settled(self) -> None:
        """Return when all that was fed has been heard."""
        if self._working is not None:
            await asyncio.wait([self._working])

    async def _work(self) -> None:
        try:
            while self._waiting:
                self._give(await asyncio.to_thread(_parsed, self._waiting.popleft()))
        finally:
            self._working = None
            self._resume()

    def _give(self, frame: Json) -> None:
        if isinstance(frame, dict):
            self._heard(frame)


def _parsed(line: bytes) -> Json:
    try:
        return jsontext.loads(line)
    except InvalidInput:
        return None
