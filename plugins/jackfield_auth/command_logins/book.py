"""Requests of command lines, decisions about them, and the API keys that come of them."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from jackfield.api import jsontext
from jackfield.api.audit import AuditActor, AuditedAct, AuditLog
from jackfield.api.context import PluginContext
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest, s256_challenge
from jackfield.api.records import record
from jackfield.api.storage import ApiKey, User
from jackfield_auth.command_logins.records import (
    CommandGrant,
    CommandRequest,
    grant_bytes,
    new_code,
    new_device_code,
    new_request_name,
    new_user_code,
    read_grant,
    read_name,
    read_request,
    request_row,
)
from jackfield_auth.keys.api_keys import new_key
from jackfield_auth.settings import ApiKeysSettings, CommandLoginSettings

if TYPE_CHECKING:
    from jackfield.api.storage import Store

_REQUESTS, _CODES, _DEVICES = "command-request", "command-code", "command-device"
_CODE_S = 60.0
_WAITS, _REFUSED = b"waits", b"refused"


class CommandRefused(Exception):
    """code: as in RFC 6749 section 5.2 and RFC 8628 section 3.5."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@record
class DeviceCodes:
    """device: for the command alone. user: for the person to type."""

    device: str
    user: str


@record
class CommandKey:
    """text: the API key, which is nowhere else."""

    text: str
    key: ApiKey
    user: User


class CommandLogins:
    """One per daemon, as a part. Everything is in the store, sealed and under digests, so that each request may meet
    another daemon. All methods raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(CommandLoginSettings)

    @property
    def _memos(self) -> Memos:
        return self._context.port(Memos)

    @property
    def _store(self) -> Store:
        return self._context.store

    # -- the command asks

    async def begin_redirect(self, request: CommandRequest) -> str:
        """The name by which the page asks for it."""
        name = new_request_name()
        await self._keep(name, request)
        return name

    async def begin_device(self, name: str, address: str, scopes: tuple[str, ...]) -> DeviceCodes:
        codes = DeviceCodes(new_device_code(), new_user_code())
        digest = kept_digest(codes.device)
        begun = self._context.clock.now_ms()
        await self._memos.put_memo(_DEVICES, digest, _WAITS, self._settings.timeout, self._room(address))
        await self._keep(codes.user, CommandRequest(name, address, begun, scopes, device=digest))
        return codes

    async def _keep(self, name: str, request: CommandRequest) -> None:
        sealed = self._context.secrets.seal(jsontext.dumps(request_row(request)))
        room = self._room(request.address)
        await self._memos.put_memo(_REQUESTS, kept_digest(name), sealed, self._settings.timeout, room)

    def _room(self, address: str) -> Room:
        """One address takes nobody else's place."""
        return Room(self._settings.pending, kept_digest(address), self._settings.pending_of_address)

    # -- a person decides

    async def find(self, typed: str) -> CommandRequest | None:
        """typed: the name of a request, or a user code as somebody has typed it."""
        return self._opened(await self._memos.memo(_REQUESTS, kept_digest(read_name(typed))))

    async def take(self, typed: str) -> CommandRequest | None:
        """Use it up: of several decisions one counts."""
        return self._opened(await self._memos.take_memo(_REQUESTS, kept_digest(read_name(typed))))

    def _opened(self, sealed: bytes | None) -> CommandRequest | None:
        return None if sealed is None else read_request(jsontext.loads(self._context.secrets.open(sealed)))

    async def allow(self, request: CommandRequest, user: User) -> str:
        """The code of a redirect; empty for a device, which asks by itself."""
        sealed = self._context.secrets.seal(grant_bytes(CommandGrant(request, user.id, user.version)))
        if request.device:
            await self._memos.change_memo(_DEVICES, request.device, _WAITS, sealed, self._settings.timeout)
            return ""
        code = new_code()
        await self._memos.put_memo(_CODES, kept_digest(code), sealed, _CODE_S, self._room(request.address))
        return code

    async def refuse(self, request: CommandRequest) -> None:
        if request.device:
            await self._memos.change_memo(_DEVICES, request.device, _WAITS, _REFUSED, self._settings.timeout)

    # -- the command fetches its key

    async def redeem_code(self, code: str, verifier: str, port: int | None) -> CommandKey:
        """Raises `CommandRefused`. A code that comes with a wrong proof is used up, too."""
        sealed = await self._memos.take_memo(_CODES, kept_digest(code))
        if sealed is None:
            raise CommandRefused("invalid_grant", "The code has been used, or has ended. Run the command again.")
        grant = read_grant(self._context.secrets.open(sealed))
        if not hmac.compare_digest(s256_challenge(verifier), grant.request.challenge) or port != grant.request.port:
            raise CommandRefused("invalid_grant", "The proof does not match the command that asked.")
        return await self._make(grant)

    async def redeem_device(self, device: str) -> CommandKey:
        """Raises `CommandRefused`, with `authorization_pending` while nobody has decided."""
        digest = kept_digest(device)
        found = await self._memos.memo(_DEVICES, digest)
        if found is None:
            raise CommandRefused("expired_token", "The code has been used, or has ended. Run the command again.")
        if found == _WAITS:
            raise CommandRefused("authorization_pending", "Nobody has decided yet.")
        taken = await self._memos.take_memo(_DEVICES, digest)
        if taken is None:
            raise CommandRefused("expired_token", "The code has been used. Run the command again.")
        if taken == _REFUSED:
            raise CommandRefused("access_denied", "The login was refused in the browser.")
        return await self._make(read_grant(self._context.secrets.open(taken)))

    async def _make(self, grant: CommandGrant) -> CommandKey:
        user = await self._store.user(grant.user_id)
        if user is None or user.disabled or user.version != grant.version:
            raise CommandRefused("invalid_grant", "The user has changed since. Run the command again.")
        if not self._context.settings(ApiKeysSettings).enabled:
            raise CommandRefused("invalid_grant", "API keys are switched off (security.api_keys.enabled).")
        now = self._context.clock.now_ms()
        name = f"Command line at {grant.request.name}"
        text, key = new_key(user.id, name, grant.request.scopes, now, now + self._settings.key_lifetime * 1000)
        await self._store.add_api_key(key)
        await self._record(user, key, grant.request.address)
        self._context.log.info("API key %s was made for user %s, by a login of a command line.", key.id, user.id)
        return CommandKey(text, key, user)

    async def _record(self, user: User, key: ApiKey, address: str) -> None:
        audit = self._context.find_port(AuditLog)
        if audit is not None:
            actor = AuditActor(user.id, user.username, "command_login", address=address)
            await audit.record(AuditedAct("api-key.create", actor, kind="api-key", subject=key.id, name=key.name))
