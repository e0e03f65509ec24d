"""A code becomes an ID token; what that does not say, the userinfo endpoint does. Source: RFC 6749 section 4.1.3, RFC
7636 section 4.5, OpenID Connect Core 1.0 sections 5.3 and 9."""

from __future__ import annotations

import asyncio
import base64
from urllib.parse import quote_plus

from jackfield.api.errors import UpstreamFailed
from jackfield.api.logins import LoginRefused
from jackfield.api.records import record
from jackfield.api.secret_places import GivenSecret
from jackfield_oidc.metadata import ProviderMetadata
from jackfield_oidc.requests import JsonObject, ProviderRequests
from jackfield_oidc.settings import OidcProvider


@record
class ProviderTokens:
    """access_token: empty where the provider gave none."""

    id_token: str
    access_token: str


class CodeExchange:
    """Speaks with the token endpoint and the userinfo endpoint."""

    def __init__(
        self, provider: OidcProvider, metadata: ProviderMetadata, requests: ProviderRequests, secret: GivenSecret
    ) -> None:
        self._provider = provider
        self._metadata = metadata
        self._requests = requests
        self._secret = secret

    async def tokens(self, code: str, callback: str, verifier: str) -> ProviderTokens:
        """Raises `LoginRefused` when the provider does not take the code, `UpstreamFailed`, `ConfigurationError`."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "code_verifier": verifier,
        }
        headers = await self._authenticate(form)
        endpoint = await self._metadata.endpoint("token_endpoint")
        reply = await self._requests.send("POST", endpoint, form=form, headers=headers)
        error = reply.body.get("error")
        if error in ("invalid_client", "unauthorized_client"):
            raise UpstreamFailed(f"The provider {self._provider.name} refuses Jackfield's client id or secret.")
        if 400 <= reply.status < 500:
            raise LoginRefused("The provider does not take this login; begin again.")
        token, access = reply.body.get("id_token"), reply.body.get("access_token")
        if reply.status != 200 or not isinstance(token, str):
            raise UpstreamFailed(f"The provider {self._provider.name} gave no ID token.")
        return ProviderTokens(token, access if isinstance(access, str) else "")

    async def userinfo(self, access_token: str, subject: str) -> JsonObject:
        """Further claims of the same subject; nothing where the provider tells none. Raises `LoginRefused` for another
        subject, `UpstreamFailed`."""
        found = (await self._metadata.addresses()).get("userinfo_endpoint")
        if not access_token or not isinstance(found, str):
            return {}
        endpoint = await self._metadata.endpoint("userinfo_endpoint")
        reply = await self._requests.send("GET", endpoint, headers={"Authorization": f"Bearer {access_token}"})
        if reply.status != 200:
            raise UpstreamFailed(
                f"The userinfo endpoint of the provider {self._provider.name} answers with status {reply.status}."
            )
        if reply.body.get("sub") != subject:
            raise LoginRefused("The provider's answers are about two people; begin again.")
        return reply.body

    async def _authenticate(self, form: dict[str, str]) -> dict[str, str]:
        """Headers; fields that belong in the form are added to it."""
        secret = await asyncio.to_thread(self._secret.read)
        how = await self._method() if secret else "none"
        if how == "basic":
            pair = f"{quote_plus(self._provider.client_id)}:{quote_plus(secret)}"
            return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
        form["client_id"] = self._provider.client_id
        if how == "post":
            form["client_secret"] = secret
        return {}

    async def _method(self) -> str:
        if self._provider.client_auth != "auto":
            return self._provider.client_auth
        listed = (await self._metadata.addresses()).get("token_endpoint_auth_methods_supported")
        known = listed if isinstance(listed, list) else []
        return "post" if "client_secret_post" in known and "client_secret_basic" not in known else "basic"
