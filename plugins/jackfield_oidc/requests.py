"""Requests to a provider: bounded in time and size, and no redirect is followed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import urlencode

from jackfield.api.errors import UpstreamFailed
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.jsontext import Json, loads
from jackfield.api.plain_http import HttpFailed, PlainClient
from jackfield.api.records import record
from jackfield_oidc.settings import OidcSettings

JsonObject: TypeAlias = "dict[str, Json]"
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@record
class ProviderHttpReply:
    """body: empty unless it is a JSON object. text: as it came."""

    status: int
    body: JsonObject
    text: bytes = b""


@record
class RedirectPlace:
    """location: None for an answer that is no redirect."""

    status: int
    location: str | None


class ProviderRequests:
    """name: the login's, for messages. The provider's address comes from the settings, so that private ones are
    allowed."""

    def __init__(self, name: str, settings: OidcSettings) -> None:
        self._name = name
        self._settings = settings

    async def document(self, url: str) -> JsonObject:
        """A JSON object. Raises `UpstreamFailed`."""
        reply = await self.send("GET", url)
        if reply.status != 200 or not reply.body:
            raise UpstreamFailed(f"The provider {self._name} answers {url} with status {reply.status} and no document.")
        return reply.body

    async def redirect(self, url: str) -> RedirectPlace:
        """Where an address sends a browser. Raises `UpstreamFailed`."""
        try:
            async with (
                PlainClient(timeout=self._settings.timeout, trust_environment=True) as client,
                client.stream("GET", HttpAddress.of(url), {}) as reply,
            ):
                return RedirectPlace(reply.status, reply.location)
        except (HttpFailed, ValueError) as exc:
            raise UpstreamFailed(f"The provider {self._name} does not answer: {exc}") from None

    async def send(
        self, method: str, url: str, *, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> ProviderHttpReply:
        """The answer, whatever its status. Raises `UpstreamFailed`."""
        content = None if form is None else urlencode(form).encode()
        sent = {"Accept": "application/json", **(_FORM if form is not None else {}), **(headers or {})}
        try:
            async with PlainClient(timeout=self._settings.timeout, trust_environment=True) as client:
                reply = await client.send(
                    method, url, content=content, headers=sent, largest=self._settings.answer_limit
                )
        except HttpFailed as exc:
            raise UpstreamFailed(f"The provider {self._name} does not answer: {exc}") from None
        try:
            found = loads(reply.body) if reply.body else None
        except ValueError:
            found = None
        return ProviderHttpReply(reply.status, found if isinstance(found, dict) else {}, reply.body)
