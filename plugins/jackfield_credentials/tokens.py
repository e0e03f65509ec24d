"""Access tokens of stored credentials: kept sealed, renewed once for all who need them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.credentials import TOKENS, OAuth2
from jackfield.api.errors import StoreUnavailable
from jackfield.api.http_client import HttpClient
from jackfield.api.nodes import NodeError
from jackfield.api.object_references import load
from jackfield_credentials.grants import OAuth2Client, OAuth2Tokens, TokenRefused, read_tokens
from jackfield_credentials.settings import CredentialSettings
from jackfield_credentials.vault import Vault

if TYPE_CHECKING:
    from jackfield_credentials.registering import ClientRegistration

_REGISTRATION = "jackfield_credentials.registering:ClientRegistration"


class TokenKeeper:
    """Gives the access token of a credential."""

    def __init__(self, context: PluginContext, vault: Vault) -> None:
        self._context = context
        self._vault = vault
        self._settings = context.settings(CredentialSettings)

    def fresh(self, tokens: OAuth2Tokens) -> bool:
        """Whether the token is good for longer than the margin."""
        margin = self._settings.refresh_margin * 1000
        return not tokens.expires_at or tokens.expires_at - margin > self._context.clock.now_ms()

    async def client(self, credential_id: str) -> tuple[OAuth2Client, OAuth2Tokens | None]:
        """The OAuth 2 client of the credential as it is stored now. Raises `NodeError`."""
        stored, values = await self._vault.read_filled(credential_id)
        kind = self._vault.kind(stored.kind)
        if kind is None or not isinstance(kind.scheme, OAuth2):
            raise NodeError(f"Credentials of the kind {stored.kind} have no tokens.")
        complete = kind.complete(values)
        return OAuth2Client(kind.name, kind.scheme, complete, self._settings.token_timeout), read_tokens(
            values.get(TOKENS)
        )

    async def token(self, credential_id: str, rejected: str | None = None) -> OAuth2Tokens:
        """A token that is fresh and is not the rejected one. Raises `NodeError`."""
        _, tokens = await self.client(credential_id)
        if tokens is not None and tokens.access != rejected and self.fresh(tokens):
            self._hide(tokens)
            return tokens
        async with self._alone(credential_id):
            client, tokens = await self.client(credential_id)  # somebody else may have been quicker
            if tokens is not None and tokens.access != rejected and self.fresh(tokens):
                self._hide(tokens)
                return tokens
            try:
                made = await self._renewed(client, tokens)
            except TokenRefused:
                raise
            except NodeError:
                # The server of tokens is out of order, and the token still lives.
                if tokens is None or tokens.access == rejected or tokens.expires_at <= self._context.clock.now_ms():
                    raise
                return tokens
            await self._keep(credential_id, made, tokens)
            return made

    async def redeem(self, credential_id: str, code: str, redirect_uri: str, verifier: str) -> None:
        """Exchange an authorization code and keep the tokens. Raises `NodeError`."""
        async with self._alone(credential_id):
            client, _ = await self.client(credential_id)
            now = self._context.clock.now_ms()
            await self._keep(
                credential_id, await client.code(self._context.port(HttpClient), code, redirect_uri, verifier, now)
            )

    async def register(self, credential_id: str, redirect_uri: str) -> OAuth2Client:
        """Register as a client of the credential's server, keep what comes of it, and give the client. Raises
        `NodeError`."""
        async with self._alone(credential_id):
            client, _ = await self.client(credential_id)
            if not client.registers:  # somebody else was quicker
                return client
            server = client.part(client.scheme.server)
            make = cast("type[ClientRegistration]", load(_REGISTRATION))
            registration = make(self._context.port(HttpClient), server, redirect_uri, client.timeout)
            made = await registration.made(client.maybe(client.scheme.scope))
            given = {"resourceUrl": resource} if (resource := client.maybe(client.scheme.resource)) else {}
            await self._vault.keep_values(credential_id, {**made, **given})
        return (await self.client(credential_id))[0]

    @contextlib.asynccontextmanager
    async def _alone(self, credential_id: str) -> AsyncIterator[None]:
        """A refresh token is good once: nobody else asks with it, at no daemon. Raises `NodeError`."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._vault.lock(credential_id))
            except StoreUnavailable as exc:
                raise NodeError(f"The credential's token cannot be renewed: {exc.message}") from None
            yield

    async def _renewed(self, client: OAuth2Client, tokens: OAuth2Tokens | None) -> OAuth2Tokens:
        http, now = self._context.port(HttpClient), self._context.clock.now_ms()
        if client.grant == "clientCredentials":
            return await client.client_credentials(http, now)
        if tokens is None or not tokens.refresh:
            raise TokenRefused(f"The credential {client.kind} has no valid token; {_CONNECT}", "")
        try:
            return await client.refresh(http, tokens, now)
        except TokenRefused as exc:
            raise TokenRefused(f"{exc.message} {_CONNECT[0].upper()}{_CONNECT[1:]}", exc.code) from None

    async def _keep(self, credential_id: str, tokens: OAuth2Tokens, renewed: OAuth2Tokens | None = None) -> None:
        self._hide(tokens)
        await self._vault.keep_tokens(credential_id, tokens, renewed)

    def _hide(self, tokens: OAuth2Tokens) -> None:
        self._context.secrets.redact(*(text for text in (tokens.access, tokens.refresh) if text))


_CONNECT = "connect it to its provider (GET /api/v1/credentials/{id}/oauth2/authorize)."
