"""`zip:///srv/registry.zip`: a registry as `jackfield registry build` makes it, in one file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit
from zipfile import BadZipFile, ZipFile

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield.api.registry import Fetched, OpenSource, RegistrySource, Sink

BLOCK = 256 * 1024
"""Bytes that are read at once."""


class OpenZip:
    """An archive for the time of one sync. Several files may be read side by side."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    async def fetch(self, path: str, sink: Sink, *, etag: str | None = None) -> Fetched:
        """Raises `UpstreamFailed` for a file that is not there or is damaged."""
        try:
            file: IO[bytes] = await asyncio.to_thread(self._archive.open, path)
            with file:
                while block := await asyncio.to_thread(file.read, BLOCK):
                    await sink(block)
        except KeyError:
            raise UpstreamFailed(f"{self._archive.filename} has no {path}.") from None
        except (BadZipFile, OSError) as exc:
            raise UpstreamFailed(f"{path} of {self._archive.filename} cannot be read: {exc}.") from None
        return Fetched()


class ZipSource:
    """`RegistrySource`."""

    schemes: tuple[str, ...] = ("zip",)

    @asynccontextmanager
    async def open(self, base: str) -> AsyncIterator[OpenSource]:
        """Raises `ConfigurationError` for a URL of another form, `UpstreamFailed` for what is no archive."""
        url = urlsplit(base)
        path = Path(unquote(url.path))
        if url.netloc or not path.is_absolute():
            raise ConfigurationError("registry.url: a zip URL has the form zip:///directory/file.zip.")
        try:
            archive = await asyncio.to_thread(ZipFile, path)
        except (BadZipFile, OSError) as exc:
            raise UpstreamFailed(f"{path} is no zip file that can be read: {exc}.") from None
        with archive:
            yield OpenZip(archive)


SOURCES: Sequence[RegistrySource] = (ZipSource(),)
