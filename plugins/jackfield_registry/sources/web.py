"""Registries behind https://, and behind http:// where that is allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import is_loopback
from jackfield.api.plain_http import HttpFailed, PlainClient, StreamedReply
from jackfield.api.registry import Fetched, OpenSource, Sink
from jackfield.api.version import __version__

HOPS = 5
LONGEST_ETAG = 256
HEADERS = {
    # The bytes that are measured and checked are those that are sent; so nothing that is to be unpacked first.
    "Accept-Encoding": "identity",
    "User-Agent": f"jackfield/{__version__}",
}


class WebSource:
    """See `jackfield.api.registry.OpenSource`."""

    def __init__(self, client: PlainClient, base: str, *, allow_http: bool) -> None:
        self._client = client
        self._base = base
        self._allow_http = allow_http

    async def fetch(self, path: str, sink: Sink, *, etag: str | None = None) -> Fetched:
        address = HttpAddress.of(f"{self._base}/{path}")
        headers = {"If-None-Match": etag} if etag else {}
        try:
            for _ in range(HOPS + 1):
                async with self._client.stream("GET", address, headers) as answer:
                    if answer.location is None:
                        return await self._taken(answer, address, sink, etag)
                    address = self._next(address, answer.location)
        except HttpFailed as exc:
            raise UpstreamFailed(f"{address} cannot be fetched: {exc}.") from None
        raise UpstreamFailed(f"{self._base}/{path} is redirected more than {HOPS} times.")

    def _next(self, address: HttpAddress, location: str) -> HttpAddress:
        """Raises `UpstreamFailed` for a way out of https."""
        try:
            found = address.joined(location)
        except ValueError:
            raise UpstreamFailed(f"{address} redirects to what is no URL.") from None
        plain = found.scheme == "http" and address.scheme == "http" and http_allowed(found.host, self._allow_http)
        if found.scheme != "https" and not plain:
            raise UpstreamFailed(f"{address} redirects to {found.scheme}://{found.host}, which is not https.")
        return found

    @staticmethod
    async def _taken(answer: StreamedReply, address: HttpAddress, sink: Sink, etag: str | None) -> Fetched:
        if answer.status == 304 and etag:
            return Fetched(etag, unchanged=True)
        if answer.status != 200:
            raise UpstreamFailed(f"{address} answers with the status {answer.status}.")
        if (answer.header("content-encoding") or "identity").lower() != "identity":
            raise UpstreamFailed(f"{address} is sent compressed, which was not asked for.")
        # As they come: collected into larger ones, a slow server would be silent for the sink.
        async for block in answer.chunks():
            await sink(block)
        given = answer.header("etag")
        return Fetched(given if given and given.isascii() and len(given) <= LONGEST_ETAG else None)


def http_allowed(host: str, allowed: bool) -> bool:
    return allowed or is_loopback(host.strip("[]"))


@asynccontextmanager
async def open_web(base: str, *, timeout: float, allow_http: bool) -> AsyncIterator[OpenSource]:
    """timeout: seconds of silence. Raises `ConfigurationError`."""
    try:
        address = HttpAddress.of(base)
    except ValueError:
        raise ConfigurationError("registry.url is no URL.") from None
    if not address.is_bare:
        raise ConfigurationError("registry.url must be of the form https://host/path, without a user or a query.")
    if address.scheme == "http" and not http_allowed(address.host, allow_http):
        raise ConfigurationError("registry.url: use https://, or set registry.allow_http.")
    # The proxy of the environment has no business with a server of this machine.
    own = is_loopback(address.host)
    async with PlainClient(headers=HEADERS, timeout=timeout, trust_environment=not own) as client:
        yield WebSource(client, base, allow_http=allow_http)
