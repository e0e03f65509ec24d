"""Long outputs of node runs as they are stored: as JSON of the record, or above a size in a file of the execution."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import orjson

from jackfield.api.binary import CHUNK, BinaryError, BinaryStore
from jackfield.api.caller_secrets import Hidden, hide
from jackfield.api.history import NodeRecord
from jackfield.api.json_slices import pieces
from jackfield.api.nodes import NodeError
from jackfield.api.records import record as value_type
from jackfield.api.spilled_outputs import MEDIA_TYPE, spilled_record
from jackfield_engine.run.stored_form import encode_long, too_much
from jackfield_engine.shared.services import Services


@value_type
class EncodedRecord:
    """data: JSON of the record; size: bytes that it counts, those of its file included."""

    data: bytes
    size: int


class _OutputWriting:
    """The JSON of one record's outputs, written on threads, piece by piece."""

    def __init__(self, record: NodeRecord, most: int, hidden: Hidden) -> None:
        """most: bytes that all of it may have; hidden: what it must not have."""
        self._hidden = hidden
        self._pieces: Iterator[bytes] = pieces(record.get("outputs"), orjson.dumps)
        self._most = most
        self.size = 0
        self.begun: list[bytes] = []

    def begin(self, record: NodeRecord, size: int) -> bytes | None:
        """The JSON of the record, whose outputs these are; None once they have more than that many bytes. On a thread.
        Raises TypeError for values that only the careful way can write."""
        self.begun = self._some(size)
        if self.size > size:
            return None
        return orjson.dumps({**record, "outputs": orjson.Fragment(b"".join(self.begun))})

    async def content(self) -> AsyncIterator[bytes]:
        """All of it. Raises `NodeError` when it is too much."""
        self.begun.reverse()
        while self.begun:
            yield self.begun.pop()
        while part := b"".join(await asyncio.to_thread(self._some, CHUNK)):
            if self.size > self._most:
                raise NodeError(too_much(self._most))
            yield part

    def _some(self, size: int) -> list[bytes]:
        found: list[bytes] = []
        until = self.size + size
        while self.size <= until and (piece := next(self._pieces, None)) is not None:
            found.append(hide(piece, self._hidden))
            self.size += len(piece)
        return found


async def encoded_long(services: Services, execution_id: str, record: NodeRecord, hidden: Hidden = ()) -> EncodedRecord:
    """Raises `NodeError` when the outputs are not JSON, are too much, or cannot be kept."""
    limit = services.settings.spill_bytes
    if limit and "outputs" in record:
        writing = _OutputWriting(record, services.settings.max_data, hidden)
        try:
            whole = await asyncio.to_thread(writing.begin, record, limit)
            if whole is None:
                return await _spilled(services, execution_id, record, writing)
            return EncodedRecord(whole, len(whole))
        except TypeError:  # rare values that only the careful way can write
            services.context.log.debug("the outputs of the node %r stay in the store", record["node"])
    data = await asyncio.to_thread(encode_long, record)
    return EncodedRecord(data, len(data))


async def _spilled(services: Services, execution_id: str, record: NodeRecord, writing: _OutputWriting) -> EncodedRecord:
    files = services.context.port(BinaryStore).files(execution_id)
    try:
        file = await files.write(writing.content(), mime_type=MEDIA_TYPE)
    except BinaryError as exc:
        raise NodeError(f"The node's output cannot be kept. {exc.message}") from None
    return EncodedRecord(spilled_record({**record, "spilled": file}), writing.size)
