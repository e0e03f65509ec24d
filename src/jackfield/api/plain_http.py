"""Requests of the service itself and of its commands, to addresses that its configuration names.

Requests whose address somebody else may choose, such as those of nodes, go through the port
`jackfield.api.http_client.HttpClient`, which looks at every address. This module loads the library for HTTP: import it
where requests are sent, not where a start comes by.
"""

from __future__ import annotations

import asyncio
import os
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self
from urllib.parse import urlencode
from urllib.request import getproxies, proxy_bypass

from aiohttp import (
    ClientConnectorCertificateError,
    ClientConnectorError,
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    InvalidURL,
    ServerDisconnectedError,
)
from yarl import URL

from .http_addresses import PORTS, HttpAddress
from .records import record, replace
from .tls import client_tls, client_tls_with
from .version import __version__

__all__ = ["HttpFailed", "PlainClient", "PlainReply", "StreamedReply", "client_url", "failure_text", "one_line"]

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_FAILURES = (ClientError, OSError, ValueError)
"""ValueError: of a host or a header that cannot be sent."""


class HttpFailed(Exception):
    """No answer came, or not all of it; `str`: why."""

    def __init__(self, error: Exception) -> None:
        super().__init__(failure_text(error))


class PlainHttpProblem(ValueError):
    """The words are ours, and callers may show them unchanged."""


@record
class PlainReply:
    """The whole answer of a server."""

    status: int
    body: bytes


class StreamedReply:
    """The head of an answer, its body still to come. status: of HTTP; location: where a redirect leads, None for any
    other answer."""

    def __init__(self, answer: ClientResponse) -> None:
        self._answer = answer
        self.status = answer.status
        self.location: str | None = answer.headers.get("Location") if answer.status in _REDIRECTS else None

    def header(self, name: str) -> str:
        """Its value, or nothing."""
        return str(self._answer.headers.get(name, ""))

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes over the connection, not unpacked. Raises `HttpFailed`."""
        try:
            async for chunk in self._answer.content.iter_any():
                yield chunk
        except _FAILURES as exc:
            raise HttpFailed(exc) from None


class PlainClient:
    """An asynchronous context manager. Redirects are not followed, answers not unpacked."""

    def __init__(
        self,
        *,
        timeout: float,
        base_url: str = "",
        headers: Mapping[str, str] | None = None,
        trust_environment: bool = False,
        ca_file: str = "",
    ) -> None:
        """`timeout`: seconds of silence.

        `base_url`: before every path. `trust_environment`: whether web proxies that the environment names stand in
        between. `ca_file`: certificates (PEM) that servers are checked against too.
        """
        self._timeout = timeout
        self._base_url = base_url
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": f"jackfield/{__version__}",
            **(headers or {}),
        }
        self._trust_environment = trust_environment
        self._ca_file = ca_file
        self._session: ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = ClientSession(
            headers=self._headers,
            skip_auto_headers=("Content-Type",),
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=self._timeout, sock_read=self._timeout),
            auto_decompress=False,
            trust_env=False,  # it would send the passwords of ~/.netrc, too
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        largest: int | None = None,
    ) -> PlainReply:
        """The whole answer, whatever its status. largest: bytes of its body; None: any. Raises `HttpFailed`."""
        try:
            address = HttpAddress.of(self._base_url + path).with_query(urlencode(query or {}))
        except ValueError as exc:
            raise HttpFailed(exc) from None
        try:
            async with await self._answered(method, address, headers or {}, content) as answer:
                return PlainReply(answer.status, await _body(answer, largest))
        except _FAILURES as exc:
            raise HttpFailed(exc) from None

    @asynccontextmanager
    async def stream(
        self, method: str, address: HttpAddress, headers: Mapping[str, str]
    ) -> AsyncIterator[StreamedReply]:
        """The answer with its body still to be read; closed at the end. Raises `HttpFailed`."""
        try:
            answer = await self._answered(method, address, headers, None)
        except _FAILURES as exc:
            raise HttpFailed(exc) from None
        async with answer:
            yield StreamedReply(answer)

    async def _answered(
        self, method: str, address: HttpAddress, headers: Mapping[str, str], content: bytes | None
    ) -> ClientResponse:
        if self._session is None:
            raise RuntimeError("a client is entered before it sends")
        secure = address.scheme == "https"
        return await self._session.request(
            method,
            client_url(address),
            data=content,
            headers=headers,
            allow_redirects=False,
            ssl=await asyncio.to_thread(self._tls) if secure else True,
            proxy=_environment_proxy(address) if self._trust_environment else None,
        )

    def _tls(self) -> ssl.SSLContext:
        if not self._ca_file:
            return client_tls(verify=True)
        try:
            return client_tls_with(self._ca_file)
        except OSError as exc:  # an `SSLError` is one
            raise PlainHttpProblem(
                f"the file of certificates {self._ca_file} cannot be used: {one_line(exc)}"
            ) from None


async def _body(answer: ClientResponse, largest: int | None) -> bytes:
    """Raises `PlainHttpProblem` for a longer one."""
    if largest is None:
        return await answer.read()
    body = bytearray()
    async for chunk in answer.content.iter_any():
        body += chunk
        if len(body) > largest:
            raise PlainHttpProblem(f"the answer has more than {largest} bytes")
    return bytes(body)


def failure_text(error: Exception) -> str:
    """How a request failed. The words are ours where aiohttp's quote URLs and headers, which may hold secrets."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, ClientConnectorCertificateError):
        return one_line(error.certificate_error)
    if isinstance(error, ClientConnectorError):
        return one_line(error.os_error)
    if isinstance(error, ServerDisconnectedError):
        return "the server closed the connection without an answer"
    if isinstance(error, ClientPayloadError):
        return "the answer is cut short"
    if isinstance(error, ClientResponseError):
        return "the answer is not valid HTTP"
    if isinstance(error, PlainHttpProblem):
        return str(error)
    if isinstance(error, ValueError):
        return "the URL is not valid"
    found = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else ""
    return found or "the connection was lost"


def one_line(error: Exception) -> str:
    """A message without the ends of its lines and of its sentence."""
    return _CONTROL.sub(" ", str(error) or type(error).__name__).rstrip(".")


def client_url(address: HttpAddress, host: str = "") -> URL:
    """The address as aiohttp takes it, escapes as they are.

    `host`: another one in place of the URL's. Raises `InvalidURL` where the two libraries would not mean the same host.
    """
    meant = replace(address, host=host or address.host, fragment=None)
    try:
        url = URL(str(meant), encoded=True)
    except ValueError as exc:
        raise InvalidURL(str(meant.without_user()), type(exc).__name__) from None
    if url.raw_host != meant.host:
        raise InvalidURL(str(meant.without_user()), "another host is read")
    return url


def _environment_proxy(address: HttpAddress) -> str | None:
    """The web proxy that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name."""
    if proxy_bypass(address.netloc):
        return None
    named = getproxies()
    found = named.get(address.scheme) or named.get("all")
    if not found:
        return None
    scheme, separator, rest = found.partition("://")
    if not separator:
        return f"http://{found}"
    return f"{scheme.lower()}://{rest}" if scheme.lower() in PORTS else None
