"""Bases of `jackfield.api.binary.BinaryFiles`: everything but the place where content is kept."""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from contextlib import aclosing
from typing import Protocol

from .binary import (
    CHUNK,
    HEAD,
    BinaryError,
    BinarySettings,
    Content,
    Streamed,
    entry,
    inline_content,
    inline_entry,
    stream_of,
    too_large,
)
from .workflows import BinaryData

_FILE = re.compile(r"[0-9a-f]{64}", re.ASCII)
_EXECUTION = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}", re.ASCII)


def is_file_id(text: object) -> bool:
    """Whether the text can be a file's id: 64 lower-case hexadecimal digits."""
    return isinstance(text, str) and _FILE.fullmatch(text) is not None


def is_execution_id(text: object) -> bool:
    """Whether the text can be an execution's id: up to 64 letters, digits and hyphens."""
    return isinstance(text, str) and _EXECUTION.fullmatch(text) is not None


def checked_execution(execution_id: str) -> str:
    """The same. Raises `BinaryError` for what is no id."""
    if not is_execution_id(execution_id):
        raise BinaryError("This is no id of an execution.")
    return execution_id


def referred(items: Iterable[object]) -> list[str]:
    """The ids of the files that items refer to, each once. Items of scripts may have anything in their place."""
    found: dict[str, None] = {}
    for item in items:
        files = item.get("binary") if isinstance(item, dict) else None
        for file in files.values() if isinstance(files, dict) else ():
            if isinstance(file, dict) and is_file_id(file.get("id")):
                found[file["id"]] = None
    return list(found)


class KeptFile(Protocol):
    """A file that is there, while somebody reads it, or means to. size: bytes."""

    size: int

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """The content from its beginning, in chunks of at most 256 KiB. Raises `BinaryError`."""

    async def whole(self) -> bytes:
        """Raises `BinaryError`."""


class Incoming(Protocol):
    """A file while it is written, by one task."""

    async def write(self, piece: bytes) -> None:
        """Raises `BinaryError`."""

    async def commit(self, rest: bytes) -> str:
        """Write the rest, make the file durable and give it to the execution; its id. Raises `BinaryError`."""

    async def close(self) -> None:
        """Give up what is left; the committed file stays."""


class ExecutionFiles(ABC):
    """`jackfield.api.binary.BinaryFiles` over kept files that a driver opens and makes."""

    def __init__(self, execution_id: str, settings: BinarySettings) -> None:
        self._execution = execution_id
        self._settings = settings

    @abstractmethod
    async def opened(self, file_id: str) -> KeptFile:
        """Raises `BinaryError`."""

    @abstractmethod
    def incoming(self, described: BinaryData) -> Incoming:
        """A fresh file, which is made when the first piece of it comes.

        `described`: its entry in an item, without its size.
        """

    async def stream(self, file: BinaryData) -> AsyncIterator[bytes]:
        if not file.get("id"):
            content = await _decoded(file, self._settings.file_limit)
            for start in range(0, len(content), CHUNK):
                yield content[start : start + CHUNK]
            return
        async with aclosing((await self._kept(file)).chunks()) as chunks:
            async for chunk in chunks:
                yield chunk

    async def content(self, file: BinaryData) -> Content:
        if not file.get("id"):
            return await _decoded(file, self._settings.file_limit)
        kept = await self._kept(file)
        return Streamed(kept.size, kept.chunks, file["id"])

    async def read(self, file: BinaryData, *, limit: int | None = None) -> bytes:
        limit = self._settings.read_limit if limit is None else limit
        if not file.get("id"):
            return await _decoded(file, limit)
        kept = await self._kept(file)
        if kept.size > limit:
            raise too_large(limit)
        return await kept.whole()

    async def write(
        self, content: bytes | AsyncIterable[bytes], *, mime_type: str, file_name: str | None = None
    ) -> BinaryData:
        incoming: Incoming | None = None
        size, waiting, head = 0, bytearray(), b""
        most = max(CHUNK, self._settings.inline_limit)
        try:
            async for chunk in stream_of(content) if isinstance(content, bytes) else content:
                size += len(chunk)
                if size > self._settings.file_limit:
                    raise too_large(self._settings.file_limit)
                waiting += chunk
                if len(head) < HEAD:
                    head += chunk[: HEAD - len(head)]
                if len(waiting) > most:
                    incoming = incoming or self.incoming(entry(mime_type, file_name, 0, head))
                    await incoming.write(bytes(waiting))
                    waiting.clear()
            if incoming is None and size <= self._settings.inline_limit:
                return inline_entry(bytes(waiting), mime_type, file_name)
            incoming = incoming or self.incoming(entry(mime_type, file_name, 0, head))
            file_id = await incoming.commit(bytes(waiting))
        finally:
            if incoming is not None:
                await incoming.close()
        made = entry(mime_type, file_name, size, head)
        made["id"] = file_id
        return made

    async def _kept(self, file: BinaryData) -> KeptFile:
        file_id = file.get("id")
        if not is_file_id(file_id):
            raise BinaryError("The file's id is not valid.")
        return await self.opened(str(file_id))


async def _decoded(file: BinaryData, limit: int) -> bytes:
    if len(file.get("data") or "") <= CHUNK:
        return inline_content(file, limit)
    return await asyncio.to_thread(inline_content, file, limit)
