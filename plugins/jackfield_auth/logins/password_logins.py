"""A name and a password become a user: throttle first, then argon2id."""

from __future__ import annotations

from jackfield.api.storage import User
from jackfield_auth.logins.throttle import Throttle
from jackfield_auth.users.accounts import UserAccounts
from jackfield_auth.users.first_admin import FirstAdmin


class PasswordLogins:
    """What a login, Basic and a change of password share."""

    def __init__(self, accounts: UserAccounts, throttle: Throttle, first_admin: FirstAdmin) -> None:
        self._accounts = accounts
        self._first_admin = first_admin
        self.throttle = throttle

    async def verify(self, username: str, password: str, client: str) -> User:
        """Raises `InvalidCredentials`, and `RateLimited` before the password is looked at."""
        async with self.throttle.attempt(username, client):
            return await self.verify_now(username, password)

    async def verify_now(self, username: str, password: str) -> User:
        """Within an attempt that the caller has opened. Raises `InvalidCredentials`."""
        await self._first_admin.ensure()
        return await self._accounts.verify(username, password)
