"""The method `basic`: `Authorization: Basic <base64 of name:password>`; off by default."""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable

from jackfield.api.auth import AuthRequest, Principal
from jackfield.api.clock import Clock
from jackfield.api.errors import AuthRequired, InvalidCredentials
from jackfield.api.storage import User, UserStore
from jackfield_auth.headers import authorization, basic_pair
from jackfield_auth.logins.password_logins import PasswordLogins
from jackfield_auth.logins.refusals import SecondFactorNeeded
from jackfield_auth.settings import BasicSettings
from jackfield_auth.users.accounts import MAX_NAME
from jackfield_auth.users.passwords import MAX_BYTES


class VerifiedPairs:
    """Pairs that were verified lately, as keyed digests; the key dies with the process. A change of the user's password
    or role changes the version and so forgets the pair."""

    def __init__(self, settings: BasicSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._until: OrderedDict[bytes, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._until)

    def knows(self, user: User, password: str) -> bool:
        until = self._until.get(self._digest(user, password))
        return until is not None and until > self._clock.monotonic()

    def add(self, user: User, password: str) -> None:
        digest = self._digest(user, password)
        self._until[digest] = self._clock.monotonic() + self._settings.remember
        self._until.move_to_end(digest)
        while len(self._until) > self._settings.remembered:
            self._until.popitem(last=False)

    def _digest(self, user: User, password: str) -> bytes:
        # Ids hold no NUL, so that no two pairs give the same text.
        text = f"{user.id}\0{user.version}\0{user.username}\0{password}"
        return hmac.digest(self._key, text.encode(), "sha256")


class BasicMethod:
    """Checks the users' table. Throttled like a login, also for pairs that are remembered. Else one could guess at a
    locked name for as long as its owner is at work."""

    name = "basic"

    def __init__(
        self, settings: BasicSettings, logins: PasswordLogins, remembered: VerifiedPairs, store: Callable[[], UserStore]
    ) -> None:
        self._settings = settings
        self._logins = logins
        self._remembered = remembered
        self._store = store

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        given = authorization(request)
        if given is None or given[0] != "basic":
            return None
        if not self._settings.enabled:
            raise AuthRequired(
                "Basic authentication is switched off (security.basic_auth.enabled); log in for a token."
            )
        username, password = basic_pair(given[1])
        if len(username) > MAX_NAME or len(password) > MAX_BYTES:
            raise InvalidCredentials
        self._logins.require_enabled()
        if request.passive:
            user = await self._present(username)
        else:
            user = await self._user(username, password, request.client)
        return Principal(user.id, user.username, user.role, self.name, claims={"version": user.version})

    async def _present(self, username: str) -> User:
        """Of a pair that was right: a password that was changed has changed the version. Raises
        `InvalidCredentials`."""
        user = await self._store().user_by_name(username)
        if user is None or user.disabled:
            raise InvalidCredentials
        return user

    async def _user(self, username: str, password: str, client: str) -> User:
        await self._logins.throttle.check(username, client)
        known = await self._known(username, password)
        if known is not None:
            return known
        async with self._logins.throttle.attempt(username, client):
            # Another request with the same pair may have been verified while this one waited for its turn.
            known = await self._known(username, password)
            if known is not None:
                return known
            user = await self._logins.verify_now(username, password)
            if await self._logins.needs_more(user):
                raise SecondFactorNeeded(
                    "This user needs a second factor, which Basic has no place for; use an API key or a token."
                )
            self._remembered.add(user, password)
            return user

    async def _known(self, username: str, password: str) -> User | None:
        user = await self._store().user_by_name(username)
        # A change of whether the user is disabled has changed the version, and so forgot the pair.
        return user if user is not None and self._remembered.knows(user, password) else None
