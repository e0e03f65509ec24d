"""Requests of sources to their servers, which the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.plain_http import HttpFailed, PlainClient
from jackfield.api.records import record
from jackfield.api.secret_sources import SecretRefused, SourceUnavailable
from jackfield_secrets.settings import SecretsSettings


@record
class WebAnswer:
    """status: below 500, and not 429. body: None when it is no JSON."""

    status: int
    body: Json

    def at(self, *path: str) -> Json:
        """The value there; None: there is none."""
        found = self.body
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    def text(self, *path: str) -> str:
        found = self.at(*path)
        return found if isinstance(found, str) else ""


class SourceServer:
    """One server. base_url: before each path, without a slash at its end."""

    def __init__(self, context: PluginContext, base_url: str, ca_file: str = "") -> None:
        self._settings = context.settings(SecretsSettings)
        self.base_url = base_url.rstrip("/")
        self.host = urlsplit(base_url).netloc
        self._ca_file = ca_file

    async def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: Json | bytes = None
    ) -> WebAnswer:
        """body: JSON unless it is bytes. Raises `SourceUnavailable` when the server does not answer, or says that it
        cannot."""
        content = None if body is None else body if isinstance(body, bytes) else dumps(body)
        kind = {"Content-Type": "application/json"} if content is not None and not isinstance(body, bytes) else {}
        client = PlainClient(
            timeout=self._settings.timeout,
            base_url=self.base_url,
            ca_file=self._ca_file,
            trust_environment=True,
        )
        try:
            async with client:
                reply = await client.send(
                    method,
                    path,
                    content=content,
                    headers={**kind, **(headers or {})},
                    largest=self._settings.answer_bytes,
                )
        except HttpFailed as exc:
            raise SourceUnavailable(f"{self.host} does not answer: {exc}.") from None
        if reply.status >= 500 or reply.status == 429:
            raise SourceUnavailable(f"{self.host} answers with status {reply.status}.")
        try:
            return WebAnswer(reply.status, loads(reply.body))
        except InvalidInput:
            return WebAnswer(reply.status, None)

    def refused(self, answer: WebAnswer, remedy: str) -> SecretRefused:
        return SecretRefused(f"{self.host} refuses it (status {answer.status}); {remedy}.")
