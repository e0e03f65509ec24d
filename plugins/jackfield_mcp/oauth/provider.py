"""The SDK's authorization server over our records."""

from __future__ import annotations

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import InvalidRedirectUriError, OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl, ConfigDict

from jackfield.api.auth import SCOPES
from jackfield.api.context import PluginContext
from jackfield_mcp.oauth.addresses import resource_of
from jackfield_mcp.oauth.book import IssuedTokens, OAuthBook
from jackfield_mcp.oauth.records import OAuthClient, OAuthGrant
from jackfield_mcp.oauth.redirects import is_same, is_usable
from jackfield_mcp.oauth.requests import AuthorizationRequest, GrantedCode, OAuthRequests
from jackfield_mcp.paths import CONSENT
from jackfield_mcp.settings import McpSettings
from jackfield_mcp.stored_records import TooMany

_MOST_URIS, _LONGEST_NAME, _LONGEST_STATE = 5, 100, 2000
_PUBLIC = "none"
"""A client without a secret."""
_CHALLENGE = 43
"""Characters of a SHA-256 in base64url (RFC 7636 section 4.2)."""


_RECORDS = ConfigDict(arbitrary_types_allowed=True)


class KnownClient(OAuthClientInformationFull):
    """One that was read."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        if redirect_uri is not None and self.redirect_uris:
            if any(is_same(str(known), str(redirect_uri)) for known in self.redirect_uris):
                return redirect_uri
            raise InvalidRedirectUriError("This redirect URI is not registered for the client.")
        return super().validate_redirect_uri(redirect_uri)


class Code(AuthorizationCode):
    """granted: what the code is for."""

    model_config = _RECORDS

    granted: GrantedCode


class Renewal(RefreshToken):
    model_config = _RECORDS

    grant: OAuthGrant


class OAuthAccess(AccessToken):
    model_config = _RECORDS

    grant: OAuthGrant


class OAuthProvider(OAuthAuthorizationServerProvider[Code, Renewal, OAuthAccess]):
    """Of one request, at the address by which it has come."""

    def __init__(self, context: PluginContext, base: str) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)
        self._book = context.port(OAuthBook)
        self._requests = context.port(OAuthRequests)
        self._base = base

    async def get_client(self, client_id: str) -> KnownClient | None:
        found = await self._book.client(client_id)
        if found is None:
            return None
        return KnownClient(
            client_id=found.id,
            client_name=found.name,
            redirect_uris=[AnyUrl(uri) for uri in found.redirect_uris],
            scope=found.scope,
            token_endpoint_auth_method=_PUBLIC,
            grant_types=["authorization_code", "refresh_token"],
        )

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Every client is public: PKCE proves who began, and a secret that is not kept cannot be lost. The answer says
        so, as RFC 7591 section 3.2.1 allows."""
        uris = tuple(str(uri) for uri in client_info.redirect_uris or ())
        if not 1 <= len(uris) <= _MOST_URIS or not all(is_usable(uri, self._settings.oauth_schemes) for uri in uris):
            raise RegistrationError(
                "invalid_redirect_uri",
                f"Give 1 to {_MOST_URIS} addresses with https, with http at this machine, or with a scheme of "
                "mcp.oauth_schemes.",
            )
        name = "".join(sign for sign in client_info.client_name or "" if sign.isprintable())[:_LONGEST_NAME]
        asked = set((client_info.scope or "").split()) & SCOPES or SCOPES
        client_info.client_secret = client_info.client_secret_expires_at = None
        client_info.token_endpoint_auth_method = _PUBLIC
        client_info.grant_types = ["authorization_code", "refresh_token"]
        client_info.scope = " ".join(sorted(asked))
        now = self._context.clock.now_ms()
        try:
            await self._book.register(OAuthClient(client_info.client_id, name, uris, client_info.scope, now))
        except TooMany:
            raise RegistrationError("invalid_client_metadata", "There is no room for one more client now.") from None

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if params.resource is not None and params.resource.rstrip("/") != resource_of(self._base):
            raise AuthorizeError("invalid_target", f"The resource is {resource_of(self._base)}.")
        if len(params.state or "") > _LONGEST_STATE or len(params.code_challenge) != _CHALLENGE:
            raise AuthorizeError("invalid_request", "The state is too long, or the code_challenge is none of S256.")
        asked = AuthorizationRequest(
            client.client_id,
            str(params.redirect_uri),
            params.redirect_uri_provided_explicitly,
            params.state or "",
            tuple(scope for scope in params.scopes or () if scope in SCOPES),
            params.code_challenge,
            resource_of(self._base),
            self._base,
        )
        return f"{self._base}{CONSENT}?request={await self._requests.begin(asked)}"

    async def load_authorization_code(self, client: OAuthClientInformationFull, authorization_code: str) -> Code | None:
        found = await self._requests.code(authorization_code)
        if found is None:
            # RFC 6749 section 4.1.2: what a code has made that is used twice, ends.
            if grant := await self._requests.spent(authorization_code):
                await self._book.end(grant)
            return None
        return Code(
            code=authorization_code,
            scopes=list(found.scopes),
            expires_at=found.until,
            client_id=found.request.client_id,
            code_challenge=found.request.challenge,
            redirect_uri=AnyUrl(found.request.redirect_uri),
            redirect_uri_provided_explicitly=found.request.explicit,
            resource=found.request.resource,
            granted=found,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: Code
    ) -> OAuthToken:
        granted = authorization_code.granted
        known = await self._book.client(client.client_id)
        if known is None or not await self._requests.take_code(authorization_code.code):
            raise TokenError("invalid_grant", "The code was used already.")
        try:
            issued = await self._book.grant(known, granted.user_id, granted.version, granted.scopes)
        except TooMany:
            raise TokenError("invalid_grant", "There is no room for one more grant now.") from None
        await self._requests.note_spent(authorization_code.code, issued.grant.id)
        return _token(issued)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> Renewal | None:
        grant = await self._book.by_refresh(refresh_token)
        if grant is None or not self._book.still_counts(grant, await self._book.user_of(grant)):
            return None
        return Renewal(token=refresh_token, client_id=grant.client_id, scopes=list(grant.scopes), grant=grant)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: Renewal, scopes: list[str]
    ) -> OAuthToken:
        issued = await self._book.renew(refresh_token.grant, refresh_token.token, scopes)
        if issued is None:
            raise TokenError("invalid_grant", "The refresh token was used already.")
        return _token(issued)

    async def load_access_token(self, token: str) -> OAuthAccess | None:
        grant = await self._book.by_access(token)
        if grant is None:
            return None
        return OAuthAccess(token=token, client_id=grant.client_id, scopes=list(grant.scopes), grant=grant)

    async def revoke_token(self, token: OAuthAccess | Renewal) -> None:
        await self._book.end(token.grant.id)


def _token(issued: IssuedTokens) -> OAuthToken:
    return OAuthToken(
        access_token=issued.access,
        token_type="Bearer",  # noqa: S106 - what kind it is
        expires_in=issued.lifetime,
        scope=" ".join(issued.grant.scopes),
        refresh_token=issued.refresh,
    )
