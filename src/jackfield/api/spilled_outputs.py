"""Large outputs of node runs, which are files of their execution: the record says `spilled` in place of `outputs`."""

from __future__ import annotations

import asyncio

import orjson

from .binary import BinaryError, BinaryFiles, BinaryStore, BinaryUnavailable, told_size
from .context import PluginContext
from .errors import BinaryStoreUnavailable, JackfieldError
from .history import NodeRecord, loaded, stored_json
from .json_slices import written
from .jsontext import LARGE
from .records import replace
from .storage import StoredExecution

MEDIA_TYPE = "application/json"
_MARK = b'"spilled":'


async def with_outputs(context: PluginContext, stored: StoredExecution) -> StoredExecution:
    """The execution with all outputs in their records, as whoever reads items of the past needs it. Raises
    `BinaryStoreUnavailable` when a file may be read later, `JackfieldError` when it cannot, and ValueError when what is
    stored is damaged."""
    if not any(_MARK in chunk for chunk in stored.steps):
        return stored
    files = context.port(BinaryStore).files(stored.row.id)
    return replace(stored, steps=[part for chunk in stored.steps for part in await _whole(files, chunk)])


async def _whole(files: BinaryFiles, chunk: bytes) -> list[bytes]:
    """A chunk per record, so that each is read for itself."""
    if _MARK not in chunk:
        return [chunk]
    records: list[NodeRecord] = loaded(chunk) if len(chunk) < LARGE else await asyncio.to_thread(loaded, chunk)
    if not any(is_spilled(record) for record in records):  # items may have the word too
        return [chunk]
    parts: list[bytes] = []
    for record in records:
        if is_spilled(record):
            parts.append(await asyncio.to_thread(_joined, record, await _content(files, record)))
        else:
            parts.append(await asyncio.to_thread(written, [record], stored_json))
    return parts


def is_spilled(record: NodeRecord) -> bool:
    """Whether its outputs are a file. Marks between the records have no such member."""
    return isinstance(record.get("spilled"), dict)


async def _content(files: BinaryFiles, record: NodeRecord) -> bytes:
    file = record["spilled"]
    try:
        return await files.read(file, limit=max(told_size(file), len(file.get("data", ""))))
    except BinaryError as exc:
        kind = BinaryStoreUnavailable if isinstance(exc, BinaryUnavailable) else JackfieldError
        raise kind(f"The outputs of the node '{record['node']}' cannot be read. {exc.message}") from None


def _joined(record: NodeRecord, outputs: bytes) -> bytes:
    rest = {name: value for name, value in record.items() if name != "spilled"}
    return b"".join((b"[", stored_json(rest)[:-1], b',"outputs":', outputs, b"}]"))


def spilled_record(record: NodeRecord) -> bytes:
    """A record without its outputs, which are in the file that it names."""
    return orjson.dumps({name: value for name, value in record.items() if name != "outputs"})
