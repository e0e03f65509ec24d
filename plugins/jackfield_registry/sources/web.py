"""Registries behind https://, and behind http:// where that is allowed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield.api.http_client import is_loopback
from jackfield.api.registry import Fetched, OpenSource, Sink
from jackfield.api.version import __version__

HOPS = 5
LONGEST_ETAG = 256
HEADERS = {
    # What is measured and checked is what is sent; so nothing that is to be unpacked first.
    "Accept-Encoding": "identity",
    "User-Agent": f"jackfield/{__version__}",
}


class WebSource:
    """See `jackfield.api.registry.OpenSource`."""

    def __init__(self, client: httpx.AsyncClient, base: str, *, allow_http: bool) -> None:
        self._client = client
        self._base = base
        self._allow_http = allow_http

    async def fetch(self, path: str, sink: Sink, *, etag: str | None = None) -> Fetched:
        url = httpx.URL(f"{self._base}/{path}")
        headers = {"If-None-Match": etag} if etag else {}
        try:
            for _ in range(HOPS + 1):
                async with self._client.stream("GET", url, headers=headers) as answer:
                    if not answer.has_redirect_location:
                        return await self._taken(answer, sink, etag)
                    url = self._next(url, answer.headers["location"])
        except httpx.HTTPError as exc:
            raise UpstreamFailed(f"{url} cannot be fetched: {_reason(exc)}.") from None
        except httpx.InvalidURL:
            raise UpstreamFailed(f"{url} redirects to what is no URL.") from None
        raise UpstreamFailed(f"{self._base}/{path} is redirected more than {HOPS} times.")

    def _next(self, url: httpx.URL, location: str) -> httpx.URL:
        """Raises `UpstreamFailed` for a way out of https."""
        found = url.join(location)
        plain = found.scheme == "http" and url.scheme == "http" and http_allowed(found.host, self._allow_http)
        if found.scheme != "https" and not plain:
            raise UpstreamFailed(f"{url} redirects to {found.scheme}://{found.host}, which is not https.")
        return found

    @staticmethod
    async def _taken(answer: httpx.Response, sink: Sink, etag: str | None) -> Fetched:
        if answer.status_code == 304 and etag:
            return Fetched(etag, unchanged=True)
        if answer.status_code != 200:
            raise UpstreamFailed(f"{answer.url} answers with the status {answer.status_code}.")
        if answer.headers.get("content-encoding", "identity").lower() != "identity":
            raise UpstreamFailed(f"{answer.url} is sent compressed, which was not asked for.")
        # As they come: collected into larger ones, a slow server would be silent for the sink.
        async for block in answer.aiter_raw():
            await sink(block)
        given = answer.headers.get("etag", "")
        return Fetched(given if given and given.isascii() and len(given) <= LONGEST_ETAG else None)


def _reason(error: Exception) -> str:
    """Names the kind; the text of most is empty or says it again."""
    return f"{type(error).__name__}{f' ({error})' if str(error) else ''}"


def http_allowed(host: str, allowed: bool) -> bool:
    return allowed or is_loopback(host.strip("[]"))


@asynccontextmanager
async def open_web(base: str, *, timeout: float, allow_http: bool) -> AsyncIterator[OpenSource]:
    """timeout: seconds of silence. Raises `ConfigurationError`."""
    try:
        url = httpx.URL(base)
    except httpx.InvalidURL:
        raise ConfigurationError("registry.url is no URL.") from None
    if url.userinfo or url.query or url.fragment or not url.host:
        raise ConfigurationError("registry.url must be of the form https://host/path, without a user or a query.")
    if url.scheme == "http" and not http_allowed(url.host, allow_http):
        raise ConfigurationError("registry.url: use https://, or set registry.allow_http.")
    # The proxy of the environment has no business with a server of this machine.
    own = is_loopback(url.host.strip("[]"))
    async with httpx.AsyncClient(headers=HEADERS, timeout=timeout, trust_env=not own, follow_redirects=False) as client:
        yield WebSource(client, base, allow_http=allow_http)
