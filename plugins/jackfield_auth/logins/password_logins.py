"""A name and a password become a user: throttle first, then argon2id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from jackfield.api.errors import InvalidCredentials
from jackfield.api.storage import User
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.users.accounts import UserAccounts
from jackfield_auth.users.first_admin import FirstAdmin


class LocalLoginOff(InvalidCredentials):
    """Passwords of Jackfield's own users do not count here (security.login.local); use another login, or
    `jackfield open` on the daemon's machine."""

    code = "LOCAL_LOGIN_OFF"


class PasswordLogins:
    """The common part of a login, Basic and a change of password. `enabled`: whether our own users' passwords let
    anybody in."""

    def __init__(
        self,
        accounts: UserAccounts,
        throttle: Throttle,
        first_admin: FirstAdmin,
        needs_more: Callable[[User], Awaitable[bool]],
        *,
        enabled: bool = True,
    ) -> None:
        """needs_more: whether the password alone does not let this user in."""
        self._accounts = accounts
        self._first_admin = first_admin
        self.throttle = throttle
        self.needs_more = needs_more
        self.enabled = enabled

    async def verify(self, username: str, password: str, client: str) -> User:
        """Raises `InvalidCredentials`, and `RateLimited` before the password is looked at."""
        self.require_enabled()
        async with self.throttle.attempt(username, client) as attempt:
            user = await self.verify_now(username, password)
            attempt.is_half = await self.needs_more(user)
            return user

    async def verify_now(self, username: str, password: str) -> User:
        """Within an attempt that the caller has opened. Raises `InvalidCredentials`."""
        self.require_enabled()
        await self._first_admin.ensure()
        return await self._accounts.verify(username, password)

    def require_enabled(self) -> None:
        """Raises `LocalLoginOff`."""
        if not self.enabled:
            raise LocalLoginOff
