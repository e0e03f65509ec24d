"""Authorization requests that wait for a user, and codes that wait for their client."""

from __future__ import annotations

from typing import cast

from jackfield.api import jsontext
from jackfield.api.context import PluginContext
from jackfield.api.json_values import Json
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest
from jackfield.api.records import record
from jackfield_mcp.oauth.tokens import CODE, REQUEST, new_token
from jackfield_mcp.settings import McpSettings

_REQUESTS, _CODES, _SPENT = "mcp-oauth-request", "mcp-oauth-code", "mcp-oauth-spent"
_CODE_S = 60
"""Seconds: RFC 6749 section 4.1.2 allows ten minutes."""
_SPENT_S = 600.0


@record
class AuthorizationRequest:
    """The request of a client. `explicit`: whether it has named the address. `state`: empty for none. `scopes`: empty:
    none named. `base`: the address by which it has called."""

    client_id: str
    redirect_uri: str
    explicit: bool
    state: str
    scopes: tuple[str, ...]
    challenge: str
    resource: str
    base: str


@record
class GrantedCode:
    """A request that a user has allowed. until: Unix seconds."""

    request: AuthorizationRequest
    user_id: str
    version: int
    scopes: tuple[str, ...]
    until: int


class OAuthRequests:
    """One per daemon, as a part. They are kept sealed, under digests. All methods raise `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)

    @property
    def _memos(self) -> Memos:
        return self._context.port(Memos)

    async def begin(self, request: AuthorizationRequest) -> str:
        """The name by which the consent page asks for it. Of too many the oldest are given up."""
        name = new_token(REQUEST)
        room = Room(self._settings.oauth_requests)
        sealed = self._context.secrets.seal(jsontext.dumps(_row(request)))
        await self._memos.put_memo(_REQUESTS, kept_digest(name), sealed, self._settings.oauth_request_timeout, room)
        return name

    async def find(self, name: str) -> AuthorizationRequest | None:
        sealed = await self._memos.memo(_REQUESTS, kept_digest(name))
        return None if sealed is None else _request(jsontext.loads(self._context.secrets.open(sealed)))

    async def take(self, name: str) -> AuthorizationRequest | None:
        """Use it up."""
        sealed = await self._memos.take_memo(_REQUESTS, kept_digest(name))
        return None if sealed is None else _request(jsontext.loads(self._context.secrets.open(sealed)))

    async def allow(self, request: AuthorizationRequest, user_id: str, version: int, scopes: tuple[str, ...]) -> str:
        """A code for its client."""
        code = new_token(CODE)
        until = self._context.clock.now_ms() // 1000 + _CODE_S
        row: list[Json] = [_row(request), user_id, version, list[Json](scopes), until]
        sealed = self._context.secrets.seal(jsontext.dumps(row))
        await self._memos.put_memo(_CODES, kept_digest(code), sealed, _CODE_S, Room(self._settings.oauth_requests))
        return code

    async def code(self, code: str) -> GrantedCode | None:
        sealed = await self._memos.memo(_CODES, kept_digest(code))
        if sealed is None:
            return None
        request, user_id, version, scopes, until = cast(
            "list[Json]", jsontext.loads(self._context.secrets.open(sealed))
        )
        granted = tuple(str(scope) for scope in cast("list[Json]", scopes))
        return GrantedCode(_request(request), str(user_id), int(str(version)), granted, int(str(until)))

    async def take_code(self, code: str) -> bool:
        """Use it up: of many at once one gets True."""
        return await self._memos.take_memo(_CODES, kept_digest(code)) is not None

    async def note_spent(self, code: str, grant_id: str) -> None:
        room = Room(self._settings.oauth_requests)
        await self._memos.put_memo(_SPENT, kept_digest(code), grant_id.encode(), _SPENT_S, room)

    async def spent(self, code: str) -> str | None:
        """The grant that this code has made already."""
        found = await self._memos.memo(_SPENT, kept_digest(code))
        return None if found is None else found.decode()


def _row(one: AuthorizationRequest) -> list[Json]:
    scopes = list[Json](one.scopes)
    return [one.client_id, one.redirect_uri, one.explicit, one.state, scopes, one.challenge, one.resource, one.base]


def _request(row: Json) -> AuthorizationRequest:
    client, uri, explicit, state, scopes, challenge, resource, base = cast("list[Json]", row)
    asked = tuple(str(scope) for scope in cast("list[Json]", scopes))
    return AuthorizationRequest(
        str(client), str(uri), explicit is True, str(state), asked, str(challenge), str(resource), str(base)
    )
