"""Registries in a directory: `file://` URLs and plain paths."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from jackfield.api.errors import ConfigurationError, UpstreamFailed
from jackfield.api.registry import Fetched, OpenSource, Sink

BLOCK = 256 * 1024


class FileSource:
    """See `jackfield.api.registry.OpenSource`."""

    def __init__(self, base: Path) -> None:
        self._base = base

    async def fetch(self, path: str, sink: Sink, *, etag: str | None = None) -> Fetched:
        file = await asyncio.to_thread(self._opened, path)
        try:
            while block := await asyncio.to_thread(self._block, file, path):
                await sink(block)
        finally:
            file.close()
        return Fetched()

    def _block(self, file: BinaryIO, path: str) -> bytes:
        try:
            return file.read(BLOCK)
        except OSError as exc:
            raise UpstreamFailed(f"{self._base / path} cannot be read: {exc.strerror}.") from None

    def _opened(self, path: str) -> BinaryIO:
        """Raises `UpstreamFailed`; a pipe or a device, which might never end, is none of the files."""
        place = self._base / path
        try:
            descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as exc:
            raise UpstreamFailed(f"{place} cannot be read: {exc.strerror}.") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UpstreamFailed(f"{place} is not a file.")
        return os.fdopen(descriptor, "rb", buffering=0)


@asynccontextmanager
async def open_directory(base: str) -> AsyncIterator[OpenSource]:
    """Raises `ConfigurationError` for a URL of another machine or a path that is not absolute."""
    yield FileSource(directory(base))


def directory(base: str) -> Path:
    """The directory that a setting names."""
    if base.startswith("file:"):
        url = urlsplit(base)
        if url.netloc not in ("", "localhost") or url.query or url.fragment:
            raise ConfigurationError("registry.url: a file URL has the form file:///directory.")
        path = Path(unquote(url.path))
    else:
        path = Path(os.path.expanduser(base))  # noqa: PTH111 - leaves the `~` of a user who is not there
    if not path.is_absolute():
        raise ConfigurationError("registry.url: give an absolute directory, or a URL of https:// or file://.")
    return path
