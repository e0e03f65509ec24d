"""A registry of npm: what versions a package has, and their archives. Its address is the operator's."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from urllib.parse import quote

from jackfield.api.errors import InvalidInput, NotFound, UpstreamFailed
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.jsontext import Json, loads
from jackfield.api.plain_http import HttpFailed, PlainClient, StreamedReply
from jackfield.api.records import record

ABBREVIATED = "application/vnd.npm.install-v1+json"
MOST_DOCUMENT = 64 * 2**20
"""Bytes of a package's list of versions."""
MOST_DOCUMENTS = 512 * 2**20
"""Bytes of the lists of all packages that one needs."""
MOST_ARCHIVE = 256 * 2**20
_REDIRECTS = 5
_AT_ONCE = 8
"""Lists that are asked for at a time."""


@record
class Published:
    """One version. integrity: `sha512-...`, empty for old ones; sha1: hexadecimal; tarball: where its archive is."""

    name: str
    version: str
    tarball: str
    integrity: str
    sha1: str
    dependencies: dict[str, str]
    optional: dict[str, str]
    peers: dict[str, str]
    fits_here: bool


class NpmRegistry:
    """An asynchronous context manager. timeout: seconds of silence."""

    def __init__(self, url: str, token: str, timeout: float) -> None:
        self._url = url.rstrip("/")
        self._origin = _origin(HttpAddress.of(self._url))
        self._token = token
        self._client = PlainClient(timeout=timeout, trust_environment=True)
        self._turn = asyncio.Semaphore(_AT_ONCE)
        self._room = MOST_DOCUMENTS
        self._documents: dict[str, asyncio.Task[dict[str, Json]]] = {}

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._documents.values():
            task.cancel()
        await asyncio.gather(*self._documents.values(), return_exceptions=True)
        await self._client.__aexit__(kind, error, trace)

    async def document(self, name: str) -> dict[str, Json]:
        """The package's versions, asked for once. Raises `NotFound`, `UpstreamFailed`."""
        if name not in self._documents:
            self._documents[name] = asyncio.ensure_future(self._read(name))
        return await asyncio.shield(self._documents[name])

    async def _read(self, name: str) -> dict[str, Json]:
        async with self._turn:
            content = await self._content(name)
        self._room -= len(content)
        if self._room < 0:
            raise UpstreamFailed(f"The registry's lists have more than {MOST_DOCUMENTS} bytes together.")
        try:
            found = await asyncio.to_thread(loads, bytes(content))
        except InvalidInput:
            raise UpstreamFailed(f"The registry's answer for {name} is no JSON.") from None
        if not isinstance(found, dict) or not isinstance(found.get("versions"), dict):
            raise UpstreamFailed(f"The registry's answer for {name} lists no versions.")
        return found

    async def _content(self, name: str) -> bytearray:
        content = bytearray()
        try:
            address = HttpAddress.of(f"{self._url}/{quote(name, safe='@')}")
            async with self._client.stream("GET", address, self._headers(address, ABBREVIATED)) as answer:
                if answer.status == 404:
                    raise NotFound(f"The registry has no package {name}.")
                _require_ok(answer, name)
                async for chunk in answer.chunks():
                    content += chunk
                    if len(content) > MOST_DOCUMENT:
                        raise UpstreamFailed(f"The registry's list of {name} has more than {MOST_DOCUMENT} bytes.")
        except HttpFailed as exc:
            raise UpstreamFailed(f"The registry does not answer for {name}: {exc}.") from None
        return content

    async def download(self, published: Published, target: Path) -> str:
        """The archive, into a new file. Its `sha512-...`, which is what the registry has said, else the hash of what
        came. Raises `UpstreamFailed`."""
        where = published.tarball
        for _ in range(_REDIRECTS):
            try:
                address = HttpAddress.of(where)
                async with self._client.stream("GET", address, self._headers(address, "*/*")) as answer:
                    if answer.location is None:
                        _require_ok(answer, published.name)
                        return await self._kept(answer, published, target)
                    where = str(address.joined(answer.location))
            except (HttpFailed, ValueError) as exc:
                raise UpstreamFailed(f"The archive of {published.name} did not come: {exc}.") from None
        raise UpstreamFailed(f"The archive of {published.name} is behind more than {_REDIRECTS} redirects.")

    async def _kept(self, answer: StreamedReply, published: Published, target: Path) -> str:
        sha512, sha1, size = hashlib.sha512(), hashlib.sha1(usedforsecurity=False), 0
        file: BinaryIO = await asyncio.to_thread(target.open, "xb")
        try:
            async for chunk in answer.chunks():
                size += len(chunk)
                if size > MOST_ARCHIVE:
                    raise UpstreamFailed(f"The archive of {published.name} has more than {MOST_ARCHIVE} bytes.")

                def take(chunk: bytes = chunk) -> None:
                    sha512.update(chunk)
                    sha1.update(chunk)
                    file.write(chunk)

                await asyncio.to_thread(take)
        finally:
            await asyncio.to_thread(file.close)
        found = f"sha512-{base64.b64encode(sha512.digest()).decode()}"
        check_integrity(published, found, sha1.hexdigest())
        return found

    def _headers(self, address: HttpAddress, accept: str) -> dict[str, str]:
        token = {"Authorization": f"Bearer {self._token}"} if self._token and _origin(address) == self._origin else {}
        return {"Accept": accept, **token}


def _origin(address: HttpAddress) -> tuple[str, str, int | None]:
    """Where the token may go: not to the same host without TLS."""
    return (address.scheme, address.host, address.connected_port)


def check_integrity(published: Published, sha512: str, sha1: str) -> None:
    """Raises `UpstreamFailed` where the archive is another than the registry has announced."""
    known = [word for word in published.integrity.split() if word.startswith("sha512-") and _is_base64(word[7:])]
    fits = sha512 in known if known else bool(published.sha1) and published.sha1 == sha1
    if not fits:
        raise UpstreamFailed(
            f"The archive of {published.name} {published.version} is not the one that the registry announces: its "
            "hash differs. Nothing of it was used.",
        )


def _is_base64(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == 64
    except binascii.Error:
        return False


def _require_ok(answer: StreamedReply, name: str) -> None:
    if answer.status != 200:
        raise UpstreamFailed(f"The registry answers with the status {answer.status} for {name}.")
