"""`RedirectLogin` for a provider of OpenID Connect."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from urllib.parse import urlencode

from jackfield.api.context import PluginContext
from jackfield.api.errors import UpstreamFailed
from jackfield.api.logins import Identity, LoginRefused, RedirectAnswer, RedirectLogin, RedirectStart
from jackfield_oidc_login.provider import Provider
from jackfield_oidc_login.settings import OidcLoginSettings
from jackfield_oidc_login.tokens import Claims, key_of, refused, verified


class OidcLogin:
    """`oidc`."""

    name = "oidc"

    def __init__(self, provider: Provider, settings: OidcLoginSettings) -> None:
        self.title = settings.title
        self._provider = provider
        self._settings = settings

    async def begin(self, start: RedirectStart) -> str:
        """See `jackfield.api.logins.RedirectLogin`."""
        address = (await self._provider.configuration()).get("authorization_endpoint")
        if not isinstance(address, str):
            raise UpstreamFailed("The provider does not tell where users log in.")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(start.verifier.encode()).digest()).rstrip(b"=")
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": start.callback,
            "scope": self._settings.scope,
            "state": start.state,
            "nonce": start.nonce,
            "code_challenge": challenge.decode(),
            "code_challenge_method": "S256",
        }
        return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"

    async def finish(self, answer: RedirectAnswer) -> Identity:
        """See `jackfield.api.logins.RedirectLogin`."""
        query = answer.query
        if "error" in query or "code" not in query:
            raise LoginRefused("The provider did not let you in.")
        # RFC 9207: who answers says so, where the provider does.
        if query.get("iss", self._settings.issuer) != self._settings.issuer:
            raise refused()
        token = await self._provider.id_token(query["code"], answer.callback, answer.verifier)
        key = key_of(token, await self._provider.keys()) or key_of(token, await self._provider.keys(anew=True))
        if key is None:
            raise refused()
        claims = verified(token, key, self._settings.issuer, self._settings.client_id, answer.nonce)
        return Identity(str(claims["sub"]), str(claims.get("name") or claims["sub"]), self._role(claims))

    def _role(self, claims: Claims) -> str:
        given = claims.get(self._settings.groups_claim)
        groups = set(map(str, given)) if isinstance(given, list) else set()
        settings = self._settings
        for role, counting in (
            ("admin", settings.admin_groups),
            ("member", settings.member_groups),
            ("viewer", settings.viewer_groups),
        ):
            if groups.intersection(counting):
                return role
        raise LoginRefused("You are in no group that may use Jackfield.")


def logins(context: PluginContext) -> Sequence[RedirectLogin]:
    """The hook."""
    settings = context.settings(OidcLoginSettings)
    return [OidcLogin(Provider(context, settings), settings)] if settings.issuer else []
