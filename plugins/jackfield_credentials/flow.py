"""OAuth 2 authorization code flow with PKCE: the URL for the user, and what comes back. Source: RFC 6749 section 4.1,
RFC 7636, RFC 9207, RFC 9700 section 2.1.

The state is random, signed, good for one use and a limited time. The data that belongs to it (the credential, the PKCE
verifier) never leaves the daemon but sealed, for the others of its store. The answer may come to any of them.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.memos import Memos, Room
from jackfield.api.random_texts import kept_digest, s256_challenge
from jackfield.api.records import record
from jackfield_credentials.grants import OAuth2Client
from jackfield_credentials.mounts import CALLBACK
from jackfield_credentials.settings import CredentialSettings
from jackfield_credentials.tokens import TokenKeeper

_KEY = "oauth2-state"
_KIND = "oauth2-authorization"


@record
class Pending:
    credential_id: str
    verifier: str
    redirect_uri: str
    issuer: str = ""
    issuer_required: bool = False

    def check(self, named: str | None) -> None:
        """named: the parameter iss of the answer. Raises `InvalidInput` for one of another authorization server, which
        may have been mixed up with this one to steal its code (RFC 9207 section 2.4)."""
        if named is None and self.issuer_required:
            raise InvalidInput("The answer does not name the authorization server that it comes from; begin again.")
        if named is not None and self.issuer and named != self.issuer:
            raise InvalidInput("The answer comes from another authorization server than you were sent to; begin again.")


@record
class Begun:
    """url: where the user grants access; expires_at: ISO 8601."""

    url: str
    expires_at: str
    redirect_uri: str


class AuthorizationFlow:
    """OAuth authorizations that a browser has begun and not ended yet."""

    def __init__(self, context: PluginContext, keeper: TokenKeeper) -> None:
        self._context = context
        self._keeper = keeper
        self._settings = context.settings(CredentialSettings)

    async def begin(self, credential_id: str) -> Begun:
        """Raises `NodeError` for what is missing in the credential, `Conflict` for one that needs no user."""
        client, _ = await self._keeper.client(credential_id)
        redirect_uri = self._context.service.public_url + CALLBACK
        if client.registers:
            client = await self._keeper.register(credential_id, redirect_uri)
        if client.grant == "clientCredentials":
            raise Conflict("A credential with the grant clientCredentials gets its token by itself.")
        target = client.part(client.scheme.authorize_url)
        if urlsplit(target).scheme not in {"http", "https"}:
            raise InvalidInput("The authorization URL must be http or https.", details={"authUrl": "give such a URL"})
        expires = self._context.clock.now_ms() + self._settings.authorize_timeout * 1000
        issuer, required = client.maybe(client.scheme.issuer), client.maybe(client.scheme.issuer_required) == "true"
        pending = Pending(credential_id, secrets.token_urlsafe(48), redirect_uri, issuer, required)
        nonce = secrets.token_urlsafe(24)
        await self._keep(nonce, pending)
        state = _signed(self._context.secrets.key(_KEY), nonce)
        return Begun(_authorize_url(client, target, pending, state), iso(expires), redirect_uri)

    async def finish(self, state: str, code: str, issuer: str | None = None) -> None:
        """Redeem the code. Raises `NodeError`, `InvalidInput` as `take` does."""
        pending = await self.take(state, issuer)
        await self._keeper.redeem(pending.credential_id, code, pending.redirect_uri, pending.verifier)

    async def _keep(self, nonce: str, pending: Pending) -> None:
        text = jsontext.dumps(
            [pending.credential_id, pending.verifier, pending.redirect_uri, pending.issuer, pending.issuer_required]
        )
        sealed, lifetime = self._context.secrets.seal(text), self._settings.authorize_timeout
        room = Room(self._settings.authorize_pending)
        await self._context.port(Memos).put_memo(_KIND, kept_digest(nonce), sealed, lifetime, room)

    async def take(self, state: str, issuer: str | None = None) -> Pending:
        """The data that belongs to the state, which is used up. `issuer`: the authorization server that the answer
        names. Raises `InvalidInput` for a state that is not good (any more), and for the answer of another server."""
        nonce, _, _ = state.partition(".")
        keys = (self._context.secrets.key(_KEY), *self._context.secrets.earlier_keys(_KEY))
        if not any(hmac.compare_digest(_signed(key, nonce).encode(), state.encode()) for key in keys):
            raise InvalidInput("This authorization was not begun here.")
        sealed = await self._context.port(Memos).take_memo(_KIND, kept_digest(nonce))
        if sealed is None:
            raise InvalidInput("This authorization has ended or was used already; begin again.")
        pending = Pending(*cast("list[Any]", jsontext.loads(self._context.secrets.open(sealed))))
        pending.check(issuer)
        return pending


def _signed(key: bytes, nonce: str) -> str:
    return f"{nonce}.{_text(hmac.digest(key, nonce.encode(), 'sha256'))}"


def _authorize_url(client: OAuth2Client, target: str, pending: Pending, state: str) -> str:
    parts = urlsplit(target)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    query |= parse_qsl(client.maybe(client.scheme.authorize_query).lstrip("?"), keep_blank_values=True)
    query |= {
        "response_type": "code",
        "client_id": client.part(client.scheme.client_id),
        "redirect_uri": pending.redirect_uri,
        "state": state,
        "code_challenge": s256_challenge(pending.verifier),
        "code_challenge_method": "S256",
    }
    if scope := client.maybe(client.scheme.scope):
        query["scope"] = scope
    if resource := client.maybe(client.scheme.resource):
        query["resource"] = resource
    return urlunsplit(parts._replace(query=urlencode(query), fragment=""))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
