"""Sessions of a daemon that has its store for itself: in memory for every request, hashed in `sessions.json` (0600) for
the next start."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, InvalidInput
from jackfield.api.files import read_private, write_private
from jackfield_auth.sessions.browser_session import (
    NOTHING_KNOWN,
    WRITE_MS,
    BrowserSession,
    BrowserSessionAbout,
    SessionTimes,
    about_row,
    restored,
    restored_about,
    row_of,
)

_PLAIN = 5
"""Values of a session's row, without those that describe it."""


class SessionFile:
    """`jackfield_auth.sessions.browser_sessions.BrowserSessionKeeper`"""

    def __init__(self, context: PluginContext, times: SessionTimes, most: int) -> None:
        self._context = context
        self._clock = context.clock
        self._times = times
        self._most = most
        self._path = context.service.config_dir / "sessions.json"
        self._sessions: dict[str, BrowserSession] = {}
        self._writing = asyncio.Lock()
        self._written = 0
        self._changed = False

    def __len__(self) -> int:
        return len(self._sessions)

    async def load(self) -> None:
        """The sessions that earlier runs began. A damaged file is left: everybody logs in again."""
        try:
            content = await asyncio.to_thread(read_private, self._path)
            found = read_file(content or b"{}")
        except (ConfigurationError, InvalidInput, TypeError, ValueError) as exc:
            self._context.log.warning("The browsers' sessions are lost, everybody logs in again: %s", exc)
            return
        self._sessions = {digest: session for digest, session in found.items() if not self._times.over(session)}

    async def add(self, digest: str, session: BrowserSession) -> None:
        self._sessions = {digest: kept for digest, kept in self._sessions.items() if not self._times.over(kept)}
        while len(self._sessions) >= self._most:
            del self._sessions[min(self._sessions, key=lambda digest: self._sessions[digest].used_at)]
        self._sessions[digest] = session
        await self._write()

    async def find(self, digest: str) -> BrowserSession | None:
        return self._sessions.get(digest)

    async def about(self, digest: str) -> BrowserSessionAbout:
        found = self._sessions.get(digest)
        return NOTHING_KNOWN if found is None else found.about

    async def of_user(self, user_id: str) -> list[tuple[str, BrowserSession]]:
        return [(digest, session) for digest, session in self._sessions.items() if session.user_id == user_id]

    async def continue_as(self, digest: str, session: BrowserSession, version: int) -> None:
        session.version = version
        await self._write()

    async def use(self, digest: str, session: BrowserSession) -> None:
        session.used_at = self._clock.now_ms()
        if not self._changed and session.used_at - self._written >= WRITE_MS:
            self._changed = True
            self._context.spawn("sessions", self._write())

    async def remove(self, digest: str) -> bool:
        if self._sessions.pop(digest, None) is None:
            return False
        await self._write()
        return True

    async def flush(self) -> None:
        if self._changed:
            await self._write()

    async def _write(self) -> None:
        """To the end, whether or not the caller waits for it: what has ended does not come back with the next start."""
        await asyncio.shield(asyncio.ensure_future(self._put()))

    async def _put(self) -> None:
        async with self._writing:
            self._changed = False
            self._written = self._clock.now_ms()
            content = jsontext.dumps(kept(self._sessions.items()))
            await asyncio.to_thread(write_private, self._path, content)


def kept(sessions: Iterable[tuple[str, BrowserSession]]) -> dict[str, object]:
    """As the file has them."""
    return {digest: [*row_of(session), about_row(session.about)] for digest, session in sessions}


def read_file(content: bytes) -> dict[str, BrowserSession]:
    """The file's sessions. Raises `InvalidInput`, TypeError, ValueError."""
    found = jsontext.loads(content)
    if not isinstance(found, dict):
        raise TypeError("the file holds no object")
    return {digest: _restored(row) for digest, row in found.items()}


def _restored(row: object) -> BrowserSession:
    """Versions before have told nothing about the session."""
    known = isinstance(row, list) and len(row) > _PLAIN
    return restored(row[:_PLAIN], restored_about(row[_PLAIN])) if isinstance(row, list) and known else restored(row)
