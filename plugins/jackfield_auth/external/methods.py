"""The ways to log in: our own table of users, and what plugins bring."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, TypeVar

from jackfield.api.containment import passes
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidCredentials, InvalidInput
from jackfield.api.logins import (
    LOCAL_LOGIN,
    PASSWORD_LOGINS,
    REDIRECT_LOGINS,
    DepartureLogin,
    Identity,
    PasswordLogin,
    RedirectLogin,
)
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.external.calls import LoginCalls
from jackfield_auth.external.users import ExternalUsers, mistake, printable
from jackfield_auth.logins.password_logins import PasswordLogins
from jackfield_auth.users.passwords import MAX_BYTES

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
LONGEST_NAME = 256
"""Characters of a user name that is handed to a directory."""
Kind: TypeAlias = Literal["password", "redirect"]
LoginT = TypeVar("LoginT", PasswordLogin, RedirectLogin)


@record
class LoginMethod:
    """One line of the login page."""

    name: str
    title: str
    kind: Kind


@record
class FoundLogins:
    """The logins that plugins give, by name."""

    passwords: Mapping[str, PasswordLogin]
    redirects: Mapping[str, RedirectLogin]
    listed: Sequence[LoginMethod]


class LoginMethods:
    """Asks the plugins once, with the first login."""

    def __init__(self, context: PluginContext, local: PasswordLogins, users: ExternalUsers, calls: LoginCalls) -> None:
        self._context = context
        self._local = local
        self._users = users
        self._calls = calls
        self._found: FoundLogins | None = None

    async def all(self) -> list[LoginMethod]:
        """Our own table first, unless it lets nobody in."""
        local = [LoginMethod(LOCAL_LOGIN, "User name and password", "password")] if self._local.enabled else []
        return [*local, *(await self._logins()).listed]

    async def proof(self, name: str) -> str:
        """The first proof of a session that begins by this login; empty: our own table."""
        return name if name in (await self._logins()).redirects else "password"

    async def redirect(self, name: str) -> RedirectLogin:
        """Raises `InvalidInput` when there is none of this name."""
        found = (await self._logins()).redirects.get(name)
        if found is None:
            raise unknown(name)
        return found

    async def departing(self, name: str) -> DepartureLogin | None:
        """The login of this name where it knows of logouts."""
        found = (await self._logins()).redirects.get(name)
        return found if isinstance(found, DepartureLogin) else None

    async def verify(self, name: str | None, username: str, password: str, client: str) -> User:
        """The user whose password this is. name: of the login; None: our own table. Raises `InvalidCredentials`,
        `RateLimited` before the password is looked at, `AccessDenied` for a disabled user, `InvalidInput` for an
        unknown login, `UpstreamFailed`."""
        if name is None or name == LOCAL_LOGIN:
            return await self._local.verify(username, password, client)
        login = (await self._logins()).passwords.get(name)
        if login is None:
            raise unknown(name)
        async with self._local.throttle.attempt(username, client, name) as attempt:
            if not usable(username, password):
                raise InvalidCredentials
            identity = await self._calls.answer(name, lambda: login.verify(username, password))
            if identity is None:
                raise InvalidCredentials
            user = await self.enter(name, identity)
            attempt.is_half = await self._local.needs_more(user)
            return user

    async def enter(self, name: str, identity: Identity) -> User:
        """The user of what a login has verified. Raises `AccessDenied` for a disabled one, `UpstreamFailed` for an
        identity that is none."""
        if wrong := mistake(identity):
            self._context.log.error("The login %s gave an identity that does not count: %s.", name, wrong)
            raise self._calls.broken(name)
        return await self._users.enter(name, identity)

    async def _logins(self) -> FoundLogins:
        if self._found is None:
            self._found = await asyncio.to_thread(self._ask)
        return self._found

    def _ask(self) -> FoundLogins:
        passwords = dict(self._usable(self._context.extensions(PASSWORD_LOGINS).items(), {LOCAL_LOGIN}))
        redirects = dict(self._usable(self._context.extensions(REDIRECT_LOGINS).items(), {LOCAL_LOGIN, *passwords}))
        listed = [
            *(self._listed(name, login, "password") for name, login in passwords.items()),
            *(self._listed(name, login, "redirect") for name, login in redirects.items()),
        ]
        return FoundLogins(passwords, redirects, listed)

    def _listed(self, name: str, login: PasswordLogin | RedirectLogin, kind: Kind) -> LoginMethod:
        """One that cannot say its title must not keep everybody else from the login page."""
        try:
            title = printable(str(login.title))
        except BaseException as exc:
            if passes(exc):
                raise
            self._context.log.exception("The login %s cannot say its title.", name)
            title = ""
        return LoginMethod(name, title or name, kind)

    def _usable(self, given: Iterable[tuple[str, LoginT]], taken: set[str]) -> Iterable[tuple[str, LoginT]]:
        """Two logins of one name would find each other's users."""
        for name, login in given:
            if name in taken:
                self._context.log.error("The login %s is left out: another one has its name.", name)
            elif not NAME.fullmatch(name):
                self._context.log.error(
                    "The login %r is left out: its name must be 1 to 32 of a-z, 0-9, - and _, and begin with a letter "
                    "or a figure.",
                    name,
                )
            else:
                yield name, login


def usable(username: str, password: str) -> bool:
    """Whether a directory may be asked. With an empty password many let in anybody (RFC 4513 section 5.1.2)."""
    if not username.strip() or not password or len(username) > LONGEST_NAME or len(password) > MAX_BYTES:
        return False
    return "\0" not in username + password and _is_text(username + password)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def unknown(name: str) -> InvalidInput:
    return InvalidInput("There is no such login.", details={"provider": f"{name[:32]!r} is not among the logins"})
