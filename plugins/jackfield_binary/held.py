"""A kept file while somebody reads it, or means to."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import AsyncGenerator

from jackfield.api.binary import CHUNK
from jackfield_binary.layout import reported


class HeldFile:
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
