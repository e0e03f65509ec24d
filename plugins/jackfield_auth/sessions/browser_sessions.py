"""Sessions of browsers.

A session ends when it has not been used for long, or is old. It also ends when its user logs out, changes the password
or role, or is deleted.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Protocol

from jackfield.api.auth import Peer
from jackfield.api.context import PluginContext
from jackfield.api.memos import Memos
from jackfield.api.records import record
from jackfield_auth.sessions.browser_session import NOTHING_KNOWN, BrowserSession, BrowserSessionAbout, SessionTimes
from jackfield_auth.sessions.session_file import SessionFile
from jackfield_auth.sessions.shared_sessions import SharedSessions
from jackfield_auth.settings import SessionSettings

PREFIX = "jf_ss_"


def digest_of(token: bytes) -> str:
    """The digest that is kept of a token. The token has 256 random bits, so that a plain hash does."""
    return hashlib.sha256(token).hexdigest()


def session_id(digest: str) -> str:
    """Of a session, by the digest of its token."""
    return digest[:24]


class BrowserSessionKeeper(Protocol):
    """Where sessions are, by the digests of their tokens. Raises `StoreUnavailable` where they are in the store."""

    async def load(self) -> None:
        """At the start."""

    async def add(self, digest: str, session: BrowserSession) -> None:
        """Of more than `security.sessions.remembered` the longest unused ends."""

    async def find(self, digest: str) -> BrowserSession | None:
        """It may be over."""

    async def about(self, digest: str) -> BrowserSessionAbout:
        """The facts about it; of one that is not there nothing is known."""

    async def of_user(self, user_id: str) -> list[tuple[str, BrowserSession]]:
        """Those of a user, by digest; some may be over."""

    async def continue_as(self, digest: str, session: BrowserSession, version: int) -> None:
        """It goes on where the user's other sessions end. version: the user's new one."""

    async def use(self, digest: str, session: BrowserSession) -> None:
        """It is used now."""

    async def remove(self, digest: str) -> bool:
        """False when there was none."""

    async def flush(self) -> None:
        """Write what is not written yet."""


@record
class ListedSession:
    """id: what it is ended by; it lets nobody in."""

    id: str
    session: BrowserSession


class BrowserSessions:
    """Begins, finds and ends them."""

    def __init__(self, context: PluginContext, settings: SessionSettings) -> None:
        self._context = context
        self._clock = context.clock
        self._settings = settings
        self._times = SessionTimes(settings, context.clock)
        self.keeper: BrowserSessionKeeper = SessionFile(context, self._times, settings.remembered)

    async def load(self) -> None:
        """Read the sessions that earlier runs began."""
        if not self._context.store.exclusive:
            memos = self._context.port(Memos)
            self.keeper = SharedSessions(memos, self._times, self._clock, self._settings.remembered)
        await self.keeper.load()

    async def begin(
        self, user_id: str, version: int, *, peer: Peer, about: BrowserSessionAbout = NOTHING_KNOWN
    ) -> tuple[str, BrowserSession]:
        """A new session and its token, which is nowhere else."""
        token = PREFIX + secrets.token_urlsafe(32)
        now = self._clock.now_ms()
        session = BrowserSession(user_id, version, now, now, peer, about)
        await self.keeper.add(digest_of(token.encode()), session)
        return token, session

    async def find(self, token: bytes, *, passive: bool = False) -> BrowserSession | None:
        """The session, which has been used by this unless it is passive; None when it has ended. `about` has the rest:
        no request but a logout needs it."""
        digest = digest_of(token)
        session = await self.keeper.find(digest)
        if session is None or self._times.over(session):
            return None
        if not passive:
            await self.keeper.use(digest, session)
        return session

    async def about(self, token: bytes) -> BrowserSessionAbout:
        """The facts about a session that counts; of others nothing is known."""
        return (
            NOTHING_KNOWN if await self.find(token, passive=True) is None else await self.keeper.about(digest_of(token))
        )

    async def end(self, token: bytes) -> bool:
        """False when there was none."""
        return await self.keeper.remove(digest_of(token))

    async def of_user(self, user_id: str, version: int) -> list[ListedSession]:
        """Those that count, the one that was used last before the others. version: the user's."""
        found = [
            ListedSession(session_id(digest), session)
            for digest, session in await self.keeper.of_user(user_id)
            if session.version == version and not self._times.over(session)
        ]
        return sorted(found, key=lambda listed: (-listed.session.used_at, listed.id))

    async def end_listed(self, user_id: str, listed_id: str) -> bool:
        """End the user's session of this id. False when there was none."""
        for digest, _ in await self.keeper.of_user(user_id):
            if session_id(digest) == listed_id:
                return await self.keeper.remove(digest)
        return False

    async def continue_as(self, listed_id: str, user_id: str, version: int) -> None:
        """Let this session go on with the user's new version, which ends all others."""
        for digest, session in await self.keeper.of_user(user_id):
            if session_id(digest) == listed_id:
                await self.keeper.continue_as(digest, session, version)

    def expires_at(self, session: BrowserSession) -> tuple[int, int]:
        """At the latest, and if it is not used any more; Unix ms."""
        return self._times.expires_at(session)

    async def flush(self) -> None:
        """Write what is not written yet."""
        await self.keeper.flush()
