"""A file on its way into the bucket."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from jackfield.api.binary import BinaryError
from jackfield_binary_s3.bucket import Bucket

_END = b""
_FAREWELL_S = 5.0
"""Seconds for the end of an upload that is given up."""


class _Stopped(Exception):
    """The writer of the file has given it up."""


class Referring(Protocol):
    """Of `FileReferences`, what an upload needs."""

    async def add(self, execution_id: str, file_ids: Sequence[str]) -> None:
        """Raises `BinaryUnavailable`, `FilesGoing`."""


class BucketUpload:
    """`jackfield.api.binary_drivers.Incoming`. A file of one part is one request; a larger one is sent as it comes, and
    never whole in memory."""

    def __init__(
        self,
        bucket: Bucket,
        references: Referring,
        execution_id: str,
        attributes: Mapping[str, str],
        file_id: str | None = None,
    ) -> None:
        """attributes: headers with which the bucket gives the file; file_id: None: a fresh one."""
        self._bucket = bucket
        self._references = references
        self._execution = execution_id
        self._attributes = attributes
        self._id = file_id or secrets.token_hex(32)
        self._begun = bytearray()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        self._sending: asyncio.Task[None] | None = None

    async def write(self, piece: bytes) -> None:
        if self._sending is None:
            self._begun += piece
            if len(self._begun) <= self._bucket.part_size:
                return
            await self._references.add(self._execution, [self._id])
            self._sending = asyncio.ensure_future(self._bucket.put_parts(self._id, self._taken(), self._attributes))
            piece = bytes(self._begun)
            self._begun.clear()
        await self._give(self._sending, piece)

    async def commit(self, rest: bytes) -> str:
        if self._sending is None:
            await self._references.add(self._execution, [self._id])
            await self._bucket.put(self._id, bytes(self._begun + rest), self._attributes)
            return self._id
        if rest:
            await self._give(self._sending, rest)
        await self._give(self._sending, _END)
        await asyncio.shield(self._sending)
        return self._id

    async def close(self) -> None:
        """Ends what was begun and not committed; the server gets the order to forget its parts, if it answers soon."""
        sending = self._sending
        if sending is None:
            return
        if not sending.done():
            while not self._pieces.empty():
                self._pieces.get_nowait()
            self._pieces.put_nowait(None)
            await asyncio.wait([sending], timeout=_FAREWELL_S)
            sending.cancel()
        if sending.done() and not sending.cancelled():
            sending.exception()  # whoever wrote has it, or gave up before it came

    async def _give(self, sending: asyncio.Task[None], piece: bytes) -> None:
        """Returns when the driver takes pieces no slower than they come. Raises what the sending raises."""
        giving = asyncio.ensure_future(self._pieces.put(piece))
        try:
            await asyncio.wait([giving, sending], return_when=asyncio.FIRST_COMPLETED)
        finally:
            giving.cancel()
        if sending.done():
            sending.result()
            if piece != _END:
                raise BinaryError("The file could not be kept: its upload ended early.")

    async def _taken(self) -> AsyncIterator[bytes]:
        """The pieces, up to an empty one."""
        while piece := await self._pieces.get():
            yield piece
        if piece is None:
            raise _Stopped
