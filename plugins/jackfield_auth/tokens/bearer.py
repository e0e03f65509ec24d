"""The method `jwt`: `Authorization: Bearer <token>`."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.api.auth import OPAQUE_TOKENS, AuthRequest, Principal
from jackfield.api.errors import AuthRequired, TokenInvalid
from jackfield.api.storage import UserStore
from jackfield_auth.headers import authorization
from jackfield_auth.tokens.revocations import Revocations
from jackfield_auth.tokens.web_tokens import WebTokens


class JwtMethod:
    """Role and name come from the store at every request: what the token says about them is for its holder only.

    It also refuses every scheme of the Authorization header that is neither Bearer nor Basic.
    """

    name = "jwt"

    def __init__(self, tokens: WebTokens, revocations: Revocations, store: Callable[[], UserStore]) -> None:
        self._tokens = tokens
        self._revocations = revocations
        self._store = store

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        given = authorization(request)
        if given is None or given[0] == "basic" or given[1].startswith(OPAQUE_TOKENS):
            return None
        if given[0] != "bearer":
            raise AuthRequired("The Authorization header is not usable; send `Bearer` and a token from a login.")
        if not self._tokens.enabled:
            raise TokenInvalid("Bearer tokens are switched off (security.jwt.enabled).")
        return await self._principal(given[1])

    async def _principal(self, token: bytes) -> Principal:
        claims = await self._tokens.read(token)
        if await self._revocations.has(claims.token_id):
            raise TokenInvalid("The token has been revoked; log in again.")
        user = await self._store().user(claims.user_id)
        if user is None or user.disabled or user.version != claims.version:
            raise TokenInvalid
        more = {"jti": claims.token_id, "exp": claims.expires_at}
        return Principal(user.id, user.username, user.role, self.name, claims=more)
