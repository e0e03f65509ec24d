"""The files of one execution, and one file while somebody reads it, or means to."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from contextlib import aclosing
from typing import TypeVar

from jackfield.api.binary import (
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
from jackfield.api.workflows import BinaryData
from jackfield_binary.layout import Incoming, Layout, is_file_id, reported

Result = TypeVar("Result")


class OpenFile:
    """An open file. Readers are independent of each other, and the file's name may go meanwhile. It is closed with its
    last holder: answers and requests that share it end at times of their own, and a thread that reads holds it too, so
    that no descriptor is closed under it."""

    def __init__(self, descriptor: int, size: int) -> None:
        """size: bytes."""
        self._descriptor = descriptor
        self.size = size
        weakref.finalize(self, os.close, descriptor)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The content from its beginning. Raises `BinaryError`."""
        place = 0
        while chunk := await asyncio.to_thread(self._read, CHUNK, place):
            place += len(chunk)
            yield chunk

    def whole(self) -> bytes:
        """Blocking. Raises `BinaryError`."""
        first = self._read(self.size, 0)
        if len(first) == self.size:
            return first
        content = bytearray(first)
        while chunk := self._read(self.size - len(content), len(content)):
            content += chunk
        return bytes(content)

    def _read(self, size: int, place: int) -> bytes:
        with reported("The file could not be read"):
            return os.pread(self._descriptor, size, place)


class DiskFiles:
    """`jackfield.api.binary.BinaryFiles`. Every read and write of the disk is done on a thread."""

    def __init__(self, layout: Layout, execution_id: str, settings: BinarySettings) -> None:
        self._layout = layout
        self._execution = execution_id
        self._settings = settings

    async def stream(self, file: BinaryData) -> AsyncIterator[bytes]:
        if not file.get("id"):
            content = await _decoded(file, self._settings.file_limit)
            for start in range(0, len(content), CHUNK):
                yield content[start : start + CHUNK]
            return
        async with aclosing((await self._opened(file)).chunks()) as chunks:
            async for chunk in chunks:
                yield chunk

    async def content(self, file: BinaryData) -> Content:
        if not file.get("id"):
            return await _decoded(file, self._settings.file_limit)
        opened = await self._opened(file)
        return Streamed(opened.size, opened.chunks, file["id"])

    async def read(self, file: BinaryData, *, limit: int | None = None) -> bytes:
        limit = self._settings.read_limit if limit is None else limit
        if not file.get("id"):
            return await _decoded(file, limit)
        opened = await self._opened(file)
        if opened.size > limit:
            raise too_large(limit)
        return await asyncio.to_thread(opened.whole)

    async def write(
        self, content: bytes | AsyncIterable[bytes], *, mime_type: str, file_name: str | None = None
    ) -> BinaryData:
        chunks = stream_of(content) if isinstance(content, bytes) else content
        incoming = Incoming(self._layout)
        head, first = bytearray(), b""
        try:
            async for chunk in chunks:
                if incoming.size + len(head) + len(chunk) > self._settings.file_limit:
                    raise too_large(self._settings.file_limit)
                head += chunk
                if len(first) < HEAD:
                    first += chunk[: HEAD - len(first)]
                if len(head) > (max(CHUNK, self._settings.inline_limit)):
                    await _run_to_end(incoming.write, bytes(head))
                    head.clear()
            if not incoming.size and len(head) <= self._settings.inline_limit:
                return inline_entry(bytes(head), mime_type, file_name)
            file_id = await _run_to_end(_finish, incoming, bytes(head), self._execution)
        finally:
            await _run_to_end(incoming.close)
        made = entry(mime_type, file_name, incoming.size, first)
        made["id"] = file_id
        return made

    async def _opened(self, file: BinaryData) -> OpenFile:
        file_id = file.get("id")
        if not is_file_id(file_id):
            raise BinaryError("The file's id is not valid.")
        return await asyncio.to_thread(self._open, str(file_id))

    def _open(self, file_id: str) -> OpenFile:
        return OpenFile(*self._layout.open(self._execution, file_id))


async def _run_to_end(work: Callable[..., Result], *args: object) -> Result:
    """Run on a thread, to its end also when the caller is cancelled meanwhile: a descriptor that is closed under a
    thread may be another file's the moment after."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def _decoded(file: BinaryData, limit: int) -> bytes:
    if len(file.get("data") or "") <= CHUNK:
        return inline_content(file, limit)
    return await asyncio.to_thread(inline_content, file, limit)


def _finish(incoming: Incoming, rest: bytes, execution_id: str) -> str:
    incoming.write(rest)
    return incoming.commit(execution_id)
