"""Sessions that count at every daemon of a store."""

from __future__ import annotations

from jackfield.api import jsontext
from jackfield.api.clock import Clock
from jackfield.api.memos import Memos, Room
from jackfield.api.records import replace
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

KIND = "browser-session"
ABOUT = "browser-session-about"
"""The descriptions of sessions, by their users. Apart, because daemons of the version before read sessions, too."""


class SharedSessions:
    """`jackfield_auth.sessions.browser_sessions.BrowserSessionKeeper`. Each request asks the store, so that a session
    which another daemon has ended counts nowhere."""

    def __init__(self, memos: Memos, times: SessionTimes, clock: Clock, most: int) -> None:
        self._memos = memos
        self._times = times
        self._clock = clock
        self._room = Room(most)

    async def load(self) -> None:
        """They are where they are."""

    async def add(self, digest: str, session: BrowserSession) -> None:
        await self._memos.put_memo(KIND, digest, _data(session), self._left(session), self._room)
        ends = (self._times.expires_at(session)[0] - self._clock.now_ms()) / 1000
        room = replace(self._room, part=session.user_id)
        await self._memos.put_memo(ABOUT, digest, jsontext.dumps(about_row(session.about)), max(0.0, ends), room)

    async def find(self, digest: str) -> BrowserSession | None:
        data = await self._memos.memo(KIND, digest)
        return None if data is None else restored(jsontext.loads(data))

    async def about(self, digest: str) -> BrowserSessionAbout:
        data = await self._memos.memo(ABOUT, digest)
        return NOTHING_KNOWN if data is None else restored_about(jsontext.loads(data))

    async def of_user(self, user_id: str) -> list[tuple[str, BrowserSession]]:
        found = []
        for about in await self._memos.memos(ABOUT, user_id):
            data = await self._memos.memo(KIND, about.key)
            if data is not None:
                session = restored(jsontext.loads(data), restored_about(jsontext.loads(about.data)))
                found.append((about.key, session))
        return found

    async def continue_as(self, digest: str, session: BrowserSession, version: int) -> None:
        changed = replace(session, version=version)
        # Another request may have noted a use meanwhile.
        while not await self._memos.change_memo(KIND, digest, _data(session), _data(changed), self._left(session)):
            found = await self.find(digest)
            if found is None:
                return
            session, changed = found, replace(found, version=version)

    async def use(self, digest: str, session: BrowserSession) -> None:
        now = self._clock.now_ms()
        if now - session.used_at >= min(WRITE_MS, self._left(session) * 500):
            used = replace(session, used_at=now)
            # One that has been ended meanwhile, or used elsewhere, is left as it is.
            if await self._memos.change_memo(KIND, digest, _data(session), _data(used), self._left(used)):
                session.used_at = now

    async def remove(self, digest: str) -> bool:
        was_there = await self._memos.take_memo(KIND, digest) is not None
        await self._memos.take_memo(ABOUT, digest)  # last: one that counts is listed
        return was_there

    async def flush(self) -> None:
        """Everything is written."""

    def _left(self, session: BrowserSession) -> float:
        """Seconds."""
        return max(0.0, (self._times.expires_at(session)[1] - self._clock.now_ms()) / 1000)


def _data(session: BrowserSession) -> bytes:
    return jsontext.dumps(row_of(session))
