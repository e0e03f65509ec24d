"""Sessions of browsers: in memory for every request, hashed in `sessions.json` (0600) for the next start.

A session ends when it has not been used for long, when it is old, when its user logs out, changes the password or role,
or is deleted.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Iterable
from pathlib import Path

from jackfield.api import jsontext
from jackfield.api.auth import PEERS, Peer
from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, InvalidInput
from jackfield.api.files import read_private, write_private
from jackfield.api.records import state
from jackfield_auth.settings import SessionSettings
from jackfield_auth.tokens.web_tokens import CLOCK_STEP

PREFIX = "jf_ss_"
WRITE_MS = 60_000
"""A session's last use is written at most once in so many milliseconds."""


def digest_of(token: bytes) -> str:
    """What is kept of a token. It has 256 random bits, so that a plain hash does."""
    return hashlib.sha256(token).hexdigest()


@state
class BrowserSession:
    """version: the user's, at its begin; times: Unix ms; peer: whose process began it: it counts for such, and for what
    is nearer."""

    user_id: str
    version: int
    created_at: int
    used_at: int
    peer: Peer = "other"


class BrowserSessions:
    """Bounded: of more than `security.sessions.remembered` the longest unused ends."""

    def __init__(self, context: PluginContext, settings: SessionSettings) -> None:
        self._context = context
        self._clock: Clock = context.clock
        self._settings = settings
        self._path: Path = context.service.config_dir / "sessions.json"
        self._sessions: dict[str, BrowserSession] = {}
        self._writing = asyncio.Lock()
        self._written = 0
        self._changed = False

    def __len__(self) -> int:
        return len(self._sessions)

    async def load(self) -> None:
        """What earlier runs began. A damaged file is left: everybody logs in again."""
        try:
            content = await asyncio.to_thread(read_private, self._path)
            found = restored(content or b"{}")
        except (ConfigurationError, InvalidInput, TypeError, ValueError) as exc:
            self._context.log.warning("The browsers' sessions are lost, everybody logs in again: %s", exc)
            return
        self._sessions = {digest: session for digest, session in found.items() if not self._over(session)}

    async def begin(self, user_id: str, version: int, *, peer: Peer) -> tuple[str, BrowserSession]:
        """A new session and its token, which is nowhere else."""
        token = PREFIX + secrets.token_urlsafe(32)
        now = self._clock.now_ms()
        session = BrowserSession(user_id, version, now, now, peer)
        self._sessions = {digest: kept for digest, kept in self._sessions.items() if not self._over(kept)}
        while len(self._sessions) >= self._settings.remembered:
            del self._sessions[min(self._sessions, key=lambda digest: self._sessions[digest].used_at)]
        self._sessions[digest_of(token.encode())] = session
        await self._write()
        return token, session

    def find(self, token: bytes, *, passive: bool = False) -> BrowserSession | None:
        """The session, which has been used by this unless it is passive; None when it has ended."""
        session = self._sessions.get(digest_of(token))
        if session is None or self._over(session):
            return None
        if passive:
            return session
        session.used_at = self._clock.now_ms()
        if not self._changed and session.used_at - self._written >= WRITE_MS:
            self._changed = True
            self._context.spawn("sessions", self._write())
        return session

    async def end(self, token: bytes) -> bool:
        """False when there was none."""
        if self._sessions.pop(digest_of(token), None) is None:
            return False
        await self._write()
        return True

    def expires_at(self, session: BrowserSession) -> tuple[int, int]:
        """At the latest, and if it is not used any more; Unix ms."""
        latest = session.created_at + self._settings.lifetime * 1000
        return latest, min(latest, session.used_at + self._settings.idle_time * 1000)

    def _over(self, session: BrowserSession) -> bool:
        """One that begins in the future is of a clock that was wrong, and would last until that is right again."""
        now = self._clock.now_ms()
        return now >= self.expires_at(session)[1] or session.created_at > now + CLOCK_STEP * 1000

    async def flush(self) -> None:
        """Write what is not written yet."""
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
    return {
        digest: [session.user_id, session.version, session.created_at, session.used_at, session.peer]
        for digest, session in sessions
    }


def restored(content: bytes) -> dict[str, BrowserSession]:
    """The file's sessions. Raises `InvalidInput`, TypeError, ValueError."""
    found = jsontext.loads(content)
    if not isinstance(found, dict):
        raise TypeError("the file holds no object")
    sessions = {}
    for digest, row in found.items():
        if not isinstance(row, list):
            raise TypeError("an entry of the file is no list")
        user_id, version, created_at, used_at, peer = row
        if not isinstance(user_id, str) or peer not in PEERS:
            raise TypeError("an entry of the file is damaged")
        if not (isinstance(version, int) and isinstance(created_at, int) and isinstance(used_at, int)):
            raise TypeError("an entry of the file is damaged")
        sessions[digest] = BrowserSession(user_id, version, created_at, used_at, peer)
    return sessions
