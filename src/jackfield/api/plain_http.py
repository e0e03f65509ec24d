"""Requests of the service itself and of its commands, to addresses that its configuration names.

Requests whose address somebody else may choose, such as those of nodes, go through the port
`jackfield.api.http_client.HttpClient`, which looks at every address. This module loads the library for HTTP: import it
where requests are sent, not where a start comes by.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import httpx

from .records import record

__all__ = ["HttpAddress", "HttpFailed", "PlainClient", "PlainReply", "StreamedReply", "Transport"]

Transport = httpx.AsyncBaseTransport
"""What connects; tests give one of their own."""


class HttpFailed(Exception):
    """No answer came, or not all of it. kind: the library's name of what went wrong; `str`: the kind, and more where
    there is more to say."""

    def __init__(self, error: Exception) -> None:
        self.kind = type(error).__name__
        super().__init__(f"{self.kind}{f' ({error})' if str(error) else ''}")


class HttpAddress:
    """A URL. Raises ValueError for a text that is none."""

    def __init__(self, text: str) -> None:
        try:
            self._url = httpx.URL(text)
        except httpx.InvalidURL as exc:
            raise ValueError(str(exc)) from None
        self.scheme, self.host = self._url.scheme, self._url.host.strip("[]")

    def __str__(self) -> str:
        return str(self._url)

    @property
    def is_bare(self) -> bool:
        """A host and a path: no user, no query, no fragment."""
        return bool(self.host) and not (self._url.userinfo or self._url.query or self._url.fragment)

    def joined(self, reference: str) -> HttpAddress:
        """Where a redirect leads (RFC 3986 section 5). Raises ValueError."""
        try:
            return HttpAddress(str(self._url.join(reference)))
        except httpx.InvalidURL as exc:
            raise ValueError(str(exc)) from None


@record
class PlainReply:
    status: int
    body: bytes


class StreamedReply:
    """The head of an answer, its body still to come. status: of HTTP; location: where a redirect leads, None for any
    other answer."""

    def __init__(self, answer: httpx.Response) -> None:
        self._answer = answer
        self.status = answer.status_code
        self.location: str | None = answer.headers["location"] if answer.has_redirect_location else None

    def header(self, name: str) -> str:
        """Its value, or nothing."""
        return str(self._answer.headers.get(name, ""))

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes over the connection, not unpacked. Raises `HttpFailed`."""
        try:
            async for chunk in self._answer.aiter_raw():
                yield chunk
        except httpx.HTTPError as exc:
            raise HttpFailed(exc) from None


class PlainClient:
    """An asynchronous context manager. Redirects are not followed."""

    def __init__(
        self,
        *,
        timeout: float,
        base_url: str = "",
        headers: Mapping[str, str] | None = None,
        trust_environment: bool = False,
        transport: Transport | None = None,
    ) -> None:
        """timeout: seconds of silence. base_url: before every path. trust_environment: whether web proxies that the
        environment names stand in between."""
        self._client = httpx.AsyncClient(
            base_url=base_url,
            headers=dict(headers or {}),
            timeout=timeout,
            trust_env=trust_environment,
            transport=transport,
            follow_redirects=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PlainReply:
        """The whole answer, whatever its status. Raises `HttpFailed`."""
        try:
            answer = await self._client.request(method, path, params=query, content=content, headers=headers)
        except httpx.HTTPError as exc:
            raise HttpFailed(exc) from None
        return PlainReply(answer.status_code, answer.content)

    @asynccontextmanager
    async def stream(
        self, method: str, address: HttpAddress, headers: Mapping[str, str]
    ) -> AsyncIterator[StreamedReply]:
        """The answer with its body still to be read; closed at the end. Raises `HttpFailed`."""
        request = self._client.build_request(method, str(address), headers=headers)
        try:
            answer = await self._client.send(request, stream=True)
        except httpx.HTTPError as exc:
            raise HttpFailed(exc) from None
        try:
            yield StreamedReply(answer)
        finally:
            await answer.aclose()
