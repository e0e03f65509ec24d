"""The authentication method `mcp_oauth`: `Authorization: Bearer jf_oa_...`, at /mcp alone (RFC 8707)."""

from __future__ import annotations

from jackfield.api.auth import OAUTH_TOKEN, OWNER, AuthRequest, Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import TokenExpired, TokenInvalid
from jackfield_mcp.oauth.book import OAuthBook
from jackfield_mcp.paths import ENDPOINT


class OAuthMethod:
    """A token acts as its user, within the scopes that they have granted and the role that they have now."""

    name = "mcp_oauth"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        scheme, _, token = (request.header("authorization") or b"").strip().partition(b" ")
        if scheme.lower() != b"bearer" or not token.strip().startswith(OAUTH_TOKEN):
            return None
        # A passive look is about a request that has passed here.
        if not request.passive and request.path.rstrip("/") != ENDPOINT:
            raise TokenInvalid(f"This token was given for {ENDPOINT} alone.")
        book = self._context.port(OAuthBook)
        grant = await book.by_access(token.strip().decode("latin-1"))
        if grant is None:
            raise TokenInvalid("The token is not valid, or was revoked; connect again.")
        if grant.access_until <= self._context.clock.now_ms():
            raise TokenExpired("The token has expired; refresh it.")
        user = await book.user_of(grant)
        if not book.still_counts(grant, user):
            raise TokenInvalid("The user of this token has changed; connect again.")
        who = (OWNER.user_id, OWNER.username, OWNER.role) if user is None else (user.id, user.username, user.role)
        return Principal(*who, self.name, frozenset(grant.scopes), {"key": grant.id, "client": grant.client_id})
