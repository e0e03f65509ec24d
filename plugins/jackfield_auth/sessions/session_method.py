"""The method `session`: the cookie of a browser."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.api.auth import OWNER, SESSION, AuthRequest, Principal
from jackfield.api.errors import SessionExpired
from jackfield.api.storage import UserStore
from jackfield_auth.sessions.browser_session import BrowserSession
from jackfield_auth.sessions.browser_sessions import BrowserSessions, digest_of, session_id
from jackfield_auth.sessions.cookies import tokens

USER, OWNERS = "user", "owner"


class SessionMethod:
    """A session acts as its user with the role that the user has now; the owner's as the daemon's own user. That its
    requests come from our own pages is the gate's to check."""

    name = SESSION

    def __init__(self, sessions: BrowserSessions, port: int, store: Callable[[], UserStore]) -> None:
        self._sessions = sessions
        self._port = port
        self._store = store

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        found = set(tokens(request.headers.get("cookie", ()), self._port))
        if not found:
            return None
        # Servers at other ports can add cookies that nobody gets rid of: one that is no session does no harm.
        live = [*found]
        if len(found) > 1:
            live = [token for token in found if await self._sessions.find(token, passive=True)] or live
        if len(live) > 1:
            raise SessionExpired("The request has two cookies of a session; log in again.")
        return await self.of_token(live[0], passive=request.passive)

    async def of_token(self, token: bytes, *, passive: bool = False) -> Principal:
        """Raises `SessionExpired`."""
        session = await self._sessions.find(token, passive=passive)
        if session is None:
            raise SessionExpired
        return await self._principal(session, token)

    async def _principal(self, session: BrowserSession, token: bytes) -> Principal:
        latest, idle = self._sessions.expires_at(session)
        claims: dict[str, object] = {
            "kind": OWNERS if session.user_id == OWNER.user_id else USER,
            "peer": session.peer,
            "session": session_id(digest_of(token)),
            "created_at": session.created_at,
            "expires_at": latest,
            "idle_expires_at": idle,
        }
        if session.user_id == OWNER.user_id:
            return Principal(OWNER.user_id, OWNER.username, OWNER.role, self.name, claims=claims)
        user = await self._store().user(session.user_id)
        if user is None or user.disabled:
            await self._sessions.end(token)
            raise SessionExpired
        if user.version != session.version:
            # It stays until its time is over: a change by its user may be about to let it go on.
            raise SessionExpired
        return Principal(user.id, user.username, user.role, self.name, claims=claims)
