"""Logins by a passkey alone, without a name and a password."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from jackfield.api.auth import Peer
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, InvalidCredentials
from jackfield.api.json_values import Json
from jackfield.api.limits import canonical_client
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record
from jackfield.api.storage import User
from jackfield_auth.external.redirects import digest_of
from jackfield_auth.logins.refusals import LoginOver
from jackfield_auth.passkeys.ceremonies import PasskeyCeremonies
from jackfield_auth.settings import SecondFactorSettings
from jackfield_auth.users.accounts import require_enabled

LOGIN, SETUP = "passkey-login", "passkey-setup"


@record
class BoundQuestion:
    """options: for the browser; binding: the value of its cookie."""

    options: Json
    binding: str


class PasskeyLogins:
    """A challenge is for one answer, of the browser that has asked, for a limited time, at whichever daemon of the
    store. Bounded: of too many, or too many of one address, the oldest end."""

    def __init__(self, context: PluginContext, ceremonies: PasskeyCeremonies) -> None:
        self._context = context
        self._ceremonies = ceremonies
        self._most = context.settings(SecondFactorSettings).pending

    @property
    def _memos(self) -> Memos:
        return self._context.port(Memos)

    @property
    def lifetime(self) -> int:
        """Seconds."""
        return self._ceremonies.timeout

    async def begin(self, origin: str, client: str, peer: Peer) -> BoundQuestion:
        """Raises `PasskeysUnavailable`."""
        asked = await self._ceremonies.ask(origin)
        binding = secrets.token_urlsafe(32)
        room = Room(self._most, kept_digest(canonical_client(client)), max(1, self._most // 10))
        kept = peer.encode() + b" " + asked.kept
        await self._memos.put_memo(LOGIN, kept_digest(binding), kept, self.lifetime, room)
        return BoundQuestion(asked.options, binding)

    async def finish(self, credential: str, bindings: Iterable[bytes], peer: Peer) -> User:
        """The user of the passkey. Raises `LoginOver`, `InvalidCredentials`, and `AccessDenied` for a disabled user and
        for one of another login, which decides each time who may still come in."""
        kept = await self._taken(bindings)
        began, _, asked = kept.partition(b" ")
        if began != peer.encode():
            raise LoginOver
        passkey = await self._ceremonies.verify(credential, asked)
        user = await self._context.store.user(passkey.user_id)
        if user is None:
            raise InvalidCredentials("The user of this passkey does not exist any more.")
        if user.provider:
            raise AccessDenied(
                f"Log in with {user.provider}: your passkey is the second factor there, and no login by itself.",
                code="LOGIN_ELSEWHERE",
            )
        return require_enabled(user)

    async def keep_setup(self, owner: str, kept: bytes) -> None:
        """For the answer to a new passkey's question. owner: who sets it up; the last question of an owner counts."""
        await self._memos.put_memo(SETUP, kept_digest(owner), kept, self.lifetime, Room(self._most))

    async def take_setup(self, owner: str) -> bytes:
        """Raises `LoginOver`."""
        kept = await self._memos.take_memo(SETUP, kept_digest(owner))
        if kept is None:
            raise LoginOver("The setup took too long, or was finished already; begin again.")
        return kept

    async def _taken(self, bindings: Iterable[bytes]) -> bytes:
        for binding in bindings:
            kept = await self._memos.take_memo(LOGIN, digest_of(binding))
            if kept is not None:
                return kept
        raise LoginOver
