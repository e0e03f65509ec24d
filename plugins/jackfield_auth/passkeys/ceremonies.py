"""Ceremonies of passkeys: a challenge, random and good once, and the answer that an authenticator has signed."""

from __future__ import annotations

import asyncio
import base64
import secrets
from typing import TYPE_CHECKING, cast

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidCredentials, InvalidInput, NotFound
from jackfield.api.json_values import Json
from jackfield.api.object_references import load
from jackfield.api.records import record, replace
from jackfield_auth.external.users import printable
from jackfield_auth.passkeys.records import Passkey, PasskeyBook, PasskeyScope, id_of, invalid
from jackfield_auth.passkeys.scopes import scope_of
from jackfield_auth.settings import PasskeySettings, SecondFactorSettings

if TYPE_CHECKING:
    from jackfield_auth.passkeys.library import WebAuthnLibrary

CHALLENGE = 32
"""Bytes."""
LONGEST_NAME = 60
_LIBRARY = "jackfield_auth.passkeys.library:WebAuthnLibrary"


@record
class AskedCeremony:
    """options: for the browser; kept: for `PasskeyCeremonies` when the answer comes."""

    options: Json
    kept: bytes


class PasskeyCeremonies:
    """The caller who begins keeps what `AskedCeremony.kept` says, and gives it back once."""

    def __init__(self, context: PluginContext) -> None:
        self._clock = context.clock
        self._log = context.log
        self._settings = context.settings(PasskeySettings)
        self.timeout = context.settings(SecondFactorSettings).timeout
        self._loaded: WebAuthnLibrary | None = None
        self.book = PasskeyBook(lambda: context.store)

    async def ask_new(self, user_id: str, username: str, origin: str) -> AskedCeremony:
        """Raises `PasskeysUnavailable` for a page that can have none, `Conflict` when the user has as many as may
        be."""
        scope = scope_of(origin, self._settings.rp_id)
        known = await self.book.of_user(user_id)
        self._require_room(len(known))
        challenge = secrets.token_bytes(CHALLENGE)
        library = await self._library()
        return AskedCeremony(library.creation(scope, user_id, username, challenge, known), _kept(scope, challenge))

    async def add(self, user_id: str, name: str, credential: str, kept: bytes) -> Passkey:
        """credential: the browser's answer, JSON. Raises `InvalidCredentials`, `Conflict`."""
        scope, challenge = _loaded(kept)
        self._require_room(await self.book.count(user_id))
        library = await self._library()
        made, key, counter, is_synced = library.created(scope, challenge, credential)
        now, credential_id = self._clock.now_ms(), _text(made)
        passkey = Passkey(
            id_of(credential_id),
            user_id,
            passkey_name(name),
            scope.rp_id,
            credential_id,
            _text(key),
            counter,
            is_synced,
            now,
            now,
        )
        if not await self.book.add(passkey):
            raise Conflict("This passkey is registered already.")
        return passkey

    async def ask(self, origin: str, user_id: str = "") -> AskedCeremony:
        """A login's. user_id: of the user whose passkeys count; empty: the passkey says who it is. Raises
        `PasskeysUnavailable`."""
        scope = scope_of(origin, self._settings.rp_id)
        known = [one for one in await self.book.of_user(user_id) if one.rp_id == scope.rp_id] if user_id else []
        challenge = secrets.token_bytes(CHALLENGE)
        library = await self._library()
        return AskedCeremony(library.request(scope, challenge, known), _kept(scope, challenge))

    async def verify(self, credential: str, kept: bytes) -> Passkey:
        """The passkey that has signed. Raises `InvalidCredentials`."""
        scope, challenge = _loaded(kept)
        library = await self._library()
        passkey = await self._signer(credential, scope)
        try:
            counter = library.counted(scope, challenge, credential, passkey)
        except InvalidCredentials:
            self._log.warning("An answer of the passkey %s of user %s is not valid.", passkey.id, passkey.user_id)
            raise
        used = replace(passkey, counter=counter, used_at=self._clock.now_ms())
        if not await self.book.change(used):
            raise InvalidCredentials("The passkey was used elsewhere at the same time; try again.")
        return used

    async def rename(self, user_id: str, passkey_id: str, name: str) -> Passkey:
        """Raises `NotFound`."""
        while True:
            changed = replace(await self.own(user_id, passkey_id), name=passkey_name(name))
            if await self.book.change(changed):
                return changed

    async def own(self, user_id: str, passkey_id: str) -> Passkey:
        """Raises `NotFound`, also for another user's."""
        found = await self.book.named(passkey_id)
        if found is None or found.user_id != user_id:
            raise NotFound("There is no such passkey.")
        return found

    async def _signer(self, credential: str, scope: PasskeyScope) -> Passkey:
        """The user whose id the answer has; its signature is not looked at. Raises `InvalidCredentials`."""
        try:
            found = jsontext.loads(credential.encode("utf-8", "replace"))
        except InvalidInput:
            raise invalid() from None
        credential_id = found.get("id") if isinstance(found, dict) else None
        passkey = await self.book.find(credential_id) if isinstance(credential_id, str) else None
        if passkey is None or passkey.credential_id != credential_id or passkey.rp_id != scope.rp_id:
            raise invalid()
        if not _is_of(found, passkey.user_id):
            raise invalid()
        return passkey

    async def _library(self) -> WebAuthnLibrary:
        if self._loaded is None:
            made = cast("type[WebAuthnLibrary]", await asyncio.to_thread(load, _LIBRARY))
            self._loaded = made(self.timeout)
        return self._loaded

    def _require_room(self, known: int) -> None:
        if known >= self._settings.most:
            raise Conflict(f"You have {known} passkeys, as many as may be (security.passkeys.most); remove one first.")


def passkey_name(name: str) -> str:
    """One line."""
    return printable(name)[:LONGEST_NAME].strip() or "Passkey"


def _is_of(found: object, user_id: str) -> bool:
    """Whether the user that the authenticator names is the passkey's (WebAuthn section 7.2 step 6)."""
    response = found.get("response") if isinstance(found, dict) else None
    handle = response.get("userHandle") if isinstance(response, dict) else None
    return handle is None or handle == _text(user_id.encode())


def _kept(scope: PasskeyScope, challenge: bytes) -> bytes:
    return jsontext.dumps([scope.rp_id, scope.origin, _text(challenge)])


def _loaded(kept: bytes) -> tuple[PasskeyScope, bytes]:
    """Raises `InvalidCredentials` for nothing: the challenge was used."""
    if not kept:
        raise InvalidCredentials("This question was answered already; begin again.")
    rp_id, origin, challenge = cast("list[str]", jsontext.loads(kept))
    return PasskeyScope(rp_id, origin), base64.urlsafe_b64decode(challenge + "=" * (-len(challenge) % 4))


def _text(data: bytes) -> str:
    """base64url without padding, as WebAuthn has it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
