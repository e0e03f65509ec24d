"""Leaving a provider, and hearing from one that somebody has left it. Source: OpenID Connect RP-Initiated Logout 1.0,
Back-Channel Logout 1.0."""

from __future__ import annotations

import hashlib

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError, RateLimited
from jackfield.api.logins import LoginRefused
from jackfield.api.memos import Memos
from jackfield_auth.external.calls import LoginCalls
from jackfield_auth.external.methods import LoginMethods, unknown
from jackfield_auth.external.redirects import is_web
from jackfield_auth.external.trail import LoginTrail
from jackfield_auth.external.users import ExternalUsers
from jackfield_auth.settings import LoginSettings

KIND = "login-departure"


class Departures:
    """Each notice counts once, at whatever daemon of the store."""

    def __init__(
        self,
        methods: LoginMethods,
        users: ExternalUsers,
        calls: LoginCalls,
        trail: LoginTrail,
        context: PluginContext,
    ) -> None:
        self._methods = methods
        self._users = users
        self._calls = calls
        self._trail = trail
        self._context = context
        self._most = context.settings(LoginSettings).waiting
        self._hearing = 0

    async def address(self, name: str, back: str) -> str | None:
        """Where a browser goes that has logged out here. None: nowhere; a provider that fails keeps nobody in."""
        login = await self._methods.departing(name)
        if login is None:
            return None
        try:
            url = await self._calls.answer(name, lambda: login.leave(back))
        except JackfieldError as exc:
            self._context.log.warning("The login %s does not say how to leave it: %s", name, exc.message)
            return None
        return url if is_web(url) else None

    async def hear(self, name: str, notice: str) -> None:
        """End every token and session of whoever has left. Raises `InvalidInput` for a notice that does not count,
        `RateLimited`, `UpstreamFailed`, `StoreUnavailable`."""
        login = await self._methods.departing(name)
        if login is None:
            raise unknown(name)
        if self._hearing >= self._most:  # anybody may send one, and each may wait for the provider
            raise RateLimited(1, "Too many notices are being heard; try again in a second.")
        self._hearing += 1
        try:
            left = await self._calls.answer(name, lambda: login.left(notice))
        except LoginRefused:
            raise InvalidInput("The notice is not valid.", details={"logout_token": "is refused"}) from None
        finally:
            self._hearing -= 1
        key = hashlib.sha256(f"{name}\0{left.id}".encode()).hexdigest()
        memos = self._context.port(Memos)
        if await memos.memo(KIND, key) is not None:
            raise InvalidInput("The notice was heard already.", details={"logout_token": "counts once"})
        user = await self._users.find(name, left.subject)
        if user is not None:
            await self._context.store.change_user(user.id)
        # Behind the change: where that fails, the provider's next try counts. Of two at once both may end tokens.
        await memos.change_memo(KIND, key, None, b"", left.lifetime)
        if user is not None:
            await self._trail.of_user("user.logout", name, user)
            self._context.log.info("User %s has left the login %s: all tokens and sessions have ended.", user.id, name)
