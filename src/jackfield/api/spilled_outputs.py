"""Large outputs of node runs, which are files of their execution: the record says `spilled` in place of `outputs`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import orjson

from .binary import BinaryError, BinaryFiles, BinaryStore
from .context import PluginContext
from .errors import JackfieldError
from .history import NodeRecord, loaded, stored_json
from .json_slices import written
from .jsontext import LARGE
from .records import replace
from .storage import StoredExecution

MEDIA_TYPE = "application/json"
_MARK = b'"spilled":'


async def with_outputs(context: PluginContext, stored: StoredExecution) -> StoredExecution:
    """The execution with all outputs in their records, as whoever reads items of the past needs it. Raises
    `JackfieldError` when a file cannot be read, and ValueError when what is stored is damaged."""
    if not any(_MARK in chunk for chunk in stored.steps):
        return stored
    files = context.port(BinaryStore).files(stored.row.id)
    return replace(stored, steps=[await _whole(files, chunk) for chunk in stored.steps])


async def _whole(files: BinaryFiles, chunk: bytes) -> bytes:
    if _MARK not in chunk:  # items may have the word too
        return chunk
    records: list[NodeRecord] = loaded(chunk) if len(chunk) < LARGE else await asyncio.to_thread(loaded, chunk)
    parts: list[bytes] = []
    for record in records:
        data = await asyncio.to_thread(written, record, stored_json)
        if "spilled" in record:
            data = await asyncio.to_thread(_joined, record, await _content(files, record))
        parts.append(data)
    return await asyncio.to_thread(_chunk, parts)


async def _content(files: BinaryFiles, record: NodeRecord) -> bytes:
    file = record["spilled"]
    try:
        return await files.read(file, limit=max(file.get("fileSize", 0), len(file.get("data", ""))))
    except BinaryError as exc:
        raise JackfieldError(f"The outputs of the node '{record['node']}' cannot be read. {exc.message}") from None


def _joined(record: NodeRecord, outputs: bytes) -> bytes:
    rest = {name: value for name, value in record.items() if name != "spilled"}
    return stored_json(rest)[:-1] + b',"outputs":' + outputs + b"}"


def _chunk(parts: Sequence[bytes]) -> bytes:
    return b"[" + b",".join(parts) + b"]"


def spilled_record(record: NodeRecord) -> bytes:
    """A record without its outputs, which are in the file that it names."""
    return orjson.dumps({name: value for name, value in record.items() if name != "outputs"})
