"""`RedirectLogin` for a provider of OpenID Connect: the code flow with PKCE. Source: OpenID Connect Core 1.0 section
3.1, RFC 9700 section 2.1, RFC 9207."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from urllib.parse import urlencode

from jackfield.api.context import PluginContext
from jackfield.api.logins import Departure, Identity, LoginRefused, RedirectAnswer, RedirectLogin, RedirectStart
from jackfield.api.random_texts import s256_challenge
from jackfield.api.secret_places import GivenSecret
from jackfield_oidc.exchange import CodeExchange
from jackfield_oidc.metadata import ProviderMetadata
from jackfield_oidc.people import PersonReader, subject_of
from jackfield_oidc.requests import ProviderRequests
from jackfield_oidc.settings import OidcProvider, OidcSettings
from jackfield_oidc.tokens import IdTokenRefused, TokenVerifier


class OidcLogin:
    """One provider."""

    def __init__(self, context: PluginContext, provider: OidcProvider) -> None:
        settings = context.settings(OidcSettings)
        requests = ProviderRequests(provider.name, settings)
        self.name = provider.name
        self.title = provider.shown_title
        self.provider = provider
        self.metadata = ProviderMetadata(provider, settings, requests, context.clock)
        self.verifier = TokenVerifier(provider, self.metadata, settings.leeway, context.clock)
        self._exchange = CodeExchange(provider, self.metadata, requests, client_secret(context, provider))
        self._people = PersonReader(provider)
        self._log = context.log

    async def begin(self, start: RedirectStart) -> str:
        """See `jackfield.api.logins.RedirectLogin`."""
        return await authorization_url(self.metadata, self.provider, start, self.provider.prompt)

    async def finish(self, answer: RedirectAnswer) -> Identity:
        """See `jackfield.api.logins.RedirectLogin`."""
        try:
            return await self._finished(answer)
        except IdTokenRefused as exc:
            told(self._log, self.name, exc)
            raise

    async def leave(self, back: str) -> str | None:
        """See `jackfield.api.logins.DepartureLogin`."""
        if self.provider.logout == "local":
            return None
        endpoint = await self.metadata.endpoint("end_session_endpoint")
        query = {"client_id": self.provider.client_id, "post_logout_redirect_uri": back}
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def left(self, notice: str) -> Departure:
        """See `jackfield.api.logins.DepartureLogin`."""
        try:
            claims, lifetime = await self.verifier.logout_token(notice)
        except IdTokenRefused as exc:
            told(self._log, self.name, exc)
            raise
        return Departure(subject_of(self.provider.issuer, str(claims["sub"])), str(claims["jti"]), lifetime)

    async def _finished(self, answer: RedirectAnswer) -> Identity:
        await self._require_sender(answer)
        code = answer.query.get("code", "")
        if "error" in answer.query or not code:
            raise LoginRefused("The provider did not let you in.")
        tokens = await self._exchange.tokens(code, answer.callback, answer.verifier)
        claims = await self.verifier.id_token(tokens.id_token, answer.nonce)
        if self._people.lacks(claims):
            more = await self._exchange.userinfo(tokens.access_token, str(claims["sub"]))
            claims = {**more, **claims}
        if self._people.lacks_groups(claims):
            self._log.warning(
                "The provider %s told no claim %s: look at groups_claim, and at scopes, which may have to ask for it.",
                self.provider.name,
                self.provider.groups_claim,
            )
        return self._people.identity(claims)

    async def _require_sender(self, answer: RedirectAnswer) -> None:
        """The sender of an answer names itself where the provider promises it: else another provider's answer could be
        mixed in.
        """
        addresses = await self.metadata.addresses()
        sender = answer.query.get("iss")
        promised = addresses.get("authorization_response_iss_parameter_supported") is True
        if (sender is None and promised) or (sender is not None and sender != self.provider.issuer):
            raise LoginRefused("The answer is not this provider's; begin again.")


async def authorization_url(
    metadata: ProviderMetadata, provider: OidcProvider, start: RedirectStart, prompt: str
) -> str:
    """Where the browser goes. Raises `UpstreamFailed`."""
    endpoint = await metadata.endpoint("authorization_endpoint")
    query = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": start.callback,
        "scope": " ".join(provider.scopes),
        "state": start.state,
        "nonce": start.nonce,
        "code_challenge": s256_challenge(start.verifier),
        "code_challenge_method": "S256",
    }
    if prompt:
        query["prompt"] = prompt
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"


def client_secret(context: PluginContext, provider: OidcProvider) -> GivenSecret:
    return GivenSecret(context, "client_secret", provider.client_secret_file, provider.client_secret_env)


def told(log: logging.Logger, name: str, error: IdTokenRefused) -> None:
    """The reason is for the operator."""
    log.warning("A token of the login %s was refused: %s.", name, "; ".join(getattr(error, "__notes__", ())))


def logins(context: PluginContext) -> Sequence[RedirectLogin]:
    """The hook."""
    return [OidcLogin(context, provider) for provider in context.settings(OidcSettings).providers]
