"""The provider: its addresses, its keys, and the exchange of a code. Source: OpenID Connect Discovery 1.0 section 4,
RFC 6749 section 4.1.3, RFC 7636 section 4.5."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote_plus, urlencode

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, UpstreamFailed
from jackfield.api.http_client import HttpBody, HttpCall, HttpClient
from jackfield.api.jsontext import loads
from jackfield.api.logins import LoginRefused
from jackfield.api.nodes import NodeError
from jackfield_oidc_login.settings import OidcLoginSettings

FRESH_MS = 600_000
"""How long addresses and keys are kept."""
_FORM = "application/x-www-form-urlencoded"
Document = dict[str, Any]  # JSON that another server wrote; each use checks what it takes


class Provider:
    """Asks the provider through Jackfield's own client, so that its limits on addresses hold."""

    def __init__(self, context: PluginContext, settings: OidcLoginSettings) -> None:
        self._context = context
        self._settings = settings
        self._kept: dict[str, tuple[int, Document]] = {}

    async def configuration(self) -> Document:
        """The discovery document. Raises `UpstreamFailed` also for one of another issuer."""
        issuer = self._settings.issuer
        found = await self._document(issuer.rstrip("/") + "/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise UpstreamFailed("The provider calls itself by another name than oidc_login.issuer.")
        return found

    async def keys(self, *, anew: bool = False) -> list[Document]:
        """The public keys. anew: the provider may have changed them a moment ago."""
        url = str((await self.configuration()).get("jwks_uri"))
        if anew:
            self._kept.pop(url, None)
        found = (await self._document(url)).get("keys")
        return [key for key in found if isinstance(key, dict)] if isinstance(found, list) else []

    async def id_token(self, code: str, callback: str, verifier: str) -> str:
        """Exchange the code. Raises `LoginRefused` when the provider does not take it, `UpstreamFailed`."""
        settings = self._settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "code_verifier": verifier,
        }
        client = f"{quote_plus(settings.client_id)}:{quote_plus(settings.client_secret)}"
        call = HttpCall(
            "POST",
            str((await self.configuration()).get("token_endpoint")),
            headers=[("authorization", f"Basic {base64.b64encode(client.encode()).decode()}")],
            body=HttpBody(urlencode(form).encode(), _FORM),
            follow="none",
            timeout=8,
            secrets=[settings.client_secret, code, verifier],
            secret_headers=frozenset({"authorization"}),
            secret_body=True,
        )
        status, found = await self._send(call)
        if 400 <= status < 500:
            raise LoginRefused("The provider does not take this login; begin again.")
        token = found.get("id_token")
        if status != 200 or not isinstance(token, str):
            raise UpstreamFailed("The provider gave no ID token.")
        return token

    async def _document(self, url: str) -> Document:
        now = self._context.clock.now_ms()
        made, found = self._kept.get(url, (0, {}))
        if not found or made + FRESH_MS < now:
            status, found = await self._send(HttpCall("GET", url, follow="none", timeout=8))
            if status != 200 or not found:
                raise UpstreamFailed("The provider does not tell its addresses and keys.")
            self._kept[url] = now, found
        return found

    async def _send(self, call: HttpCall) -> tuple[int, Document]:
        try:
            reply = await self._context.port(HttpClient).send(call)
            found = loads(reply.body) if reply.body else {}
        except (NodeError, InvalidInput) as exc:
            raise UpstreamFailed(f"The provider does not answer: {exc.message}") from None
        return reply.status, found if isinstance(found, dict) else {}
