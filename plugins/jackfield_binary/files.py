"""The files of one execution, and one file while somebody reads it, or means to."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

from jackfield.api.binary import CHUNK, BinarySettings
from jackfield.api.binary_drivers import ExecutionFiles
from jackfield.api.workflows import BinaryData
from jackfield_binary.layout import Layout, StagedFile, reported

Result = TypeVar("Result")


class OpenFile:
    """An open file. Readers are independent of each other, and the file's name may go meanwhile. It is closed with its
    last holder: answers and requests that share it end at their own times. A thread that reads holds it too, so that no
    descriptor is closed under it."""

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

    async def whole(self) -> bytes:
        """Raises `BinaryError`."""
        return await asyncio.to_thread(self._whole)

    def _whole(self) -> bytes:
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


class IncomingFile:
    """`jackfield.api.binary_drivers.Incoming`. Its disk is written on threads."""

    def __init__(self, incoming: StagedFile, execution_id: str) -> None:
        self._incoming = incoming
        self._execution = execution_id

    async def write(self, piece: bytes) -> None:
        await _run_to_end(self._incoming.write, piece)

    async def commit(self, rest: bytes) -> str:
        return await _run_to_end(self._finish, rest)

    async def close(self) -> None:
        await _run_to_end(self._incoming.close)

    def _finish(self, rest: bytes) -> str:
        self._incoming.write(rest)
        return self._incoming.commit(self._execution)


class DiskFiles(ExecutionFiles):
    """`jackfield.api.binary.BinaryFiles`. Every read and write of the disk is done on a thread."""

    def __init__(self, layout: Layout, execution_id: str, settings: BinarySettings) -> None:
        super().__init__(execution_id, settings)
        self._layout = layout

    async def opened(self, file_id: str) -> OpenFile:
        return await asyncio.to_thread(self._open, file_id)

    def incoming(self, described: BinaryData) -> IncomingFile:
        return IncomingFile(StagedFile(self._layout), self._execution)

    def _open(self, file_id: str) -> OpenFile:
        return OpenFile(*self._layout.open(self._execution, file_id))


async def _run_to_end(work: Callable[..., Result], *args: object) -> Result:
    """Run on a thread, to its end also when the caller is cancelled meanwhile. A descriptor that is closed under a
    thread may be another file's the moment after."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
