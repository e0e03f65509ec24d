"""The first administrator, once, from the environment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from contextlib import suppress

from jackfield.api.context import Secrets
from jackfield.api.errors import ConfigurationError, Conflict, InvalidInput
from jackfield.api.storage import UserStore
from jackfield_auth.users.accounts import UserAccounts, check_username
from jackfield_auth.users.passwords import check_password

USERNAME = "JACKFIELD_ADMIN_USERNAME"
PASSWORD = "JACKFIELD_ADMIN_PASSWORD"  # noqa: S105 - the variable's name


class FirstAdmin:
    """Both variables leave the environment at once, so that no child process inherits them."""

    def __init__(
        self,
        accounts: UserAccounts,
        store: Callable[[], UserStore],
        secrets: Secrets,
        environment: MutableMapping[str, str],
    ) -> None:
        self._accounts = accounts
        self._store = store
        self._username = environment.pop(USERNAME, "")
        self._password = environment.pop(PASSWORD, "")
        secrets.redact(self._password)
        self._wanted = False
        self._creating = asyncio.Lock()

    async def open(self) -> None:
        """Decide whether one is to be made: only while there is no user. Raises `ConfigurationError` for bad values."""
        if (self._username or self._password) and not await self._store().users():
            self._check()
            self._wanted = True
        else:
            self._password = ""

    async def ensure(self) -> None:
        """Make the administrator if one is wanted and not made yet."""
        if not self._wanted:
            return
        async with self._creating:
            if self._wanted:
                await self._create()

    async def _create(self) -> None:
        with suppress(Conflict):  # `jackfield user add` was quicker
            await self._accounts.create(self._username, self._password, "admin")
        self._wanted = False
        self._password = ""

    def _check(self) -> None:
        if not self._username or not self._password:
            raise ConfigurationError(f"Set both {USERNAME} and {PASSWORD}, or none of them.")
        for name, check, value in (
            (USERNAME, check_username, self._username),
            (PASSWORD, check_password, self._password),
        ):
            try:
                check(value)
            except InvalidInput as exc:
                raise ConfigurationError(f"{name} is not usable: {exc.message}") from None
