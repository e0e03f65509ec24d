"""Files of items, with errors that say which item and field."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import Protocol

from ..binary import DEFAULT_TYPE, BinaryError, BinaryFiles, Content
from ..multipart import FormFile
from ..workflows import BinaryData, Item
from .types import NodeError, NodeRun


class FileRun(Protocol):
    """A keeper of files for an execution: a `NodeRun`, or the run that a trigger gets."""

    @property
    def binary(self) -> BinaryFiles: ...


def file_of(item: Item, name: str, index: int) -> BinaryData:
    """The file in this field of an input item. Raises `NodeError` that lists the files there are."""
    files: Mapping[str, BinaryData] = item.get("binary") or {}
    if name not in files:
        known = ", ".join(files) or "none"
        raise NodeError(f"Item {index} has no binary field '{name}'; it has: {known}.", item=index)
    return files[name]


async def content_of(run: NodeRun, item: Item, name: str, index: int, *, limit: int | None = None) -> bytes:
    """The whole content of the item's file. limit: bytes; None: the setting `binary.read_limit`. Raises `NodeError`."""
    file = file_of(item, name, index)
    try:
        return await run.binary.read(file, limit=limit)
    except BinaryError as exc:
        raise _unread(exc, name, index) from None


async def read_file(run: FileRun, file: BinaryData) -> bytes:
    """The whole content of a file that is in no field of an input item. Raises `NodeError`."""
    try:
        return await run.binary.read(file)
    except BinaryError as exc:
        raise NodeError(exc.message) from None


async def sendable(run: NodeRun, item: Item, name: str, index: int) -> Content:
    """The item's file for a request or an answer, in memory only when the item has it there. Raises `NodeError`."""
    file = file_of(item, name, index)
    try:
        return await run.binary.content(file)
    except BinaryError as exc:
        raise _unread(exc, name, index) from None


async def form_file(run: NodeRun, item: Item, name: str, index: int, *, field: str) -> FormFile:
    """The item's file for this field of a form that a request sends. Raises `NodeError`."""
    content = await sendable(run, item, name, index)
    file = file_of(item, name, index)
    return FormFile(field, file.get("fileName") or name, content, file.get("mimeType") or DEFAULT_TYPE)


async def chunks_of(run: NodeRun, item: Item, name: str, index: int) -> AsyncIterator[bytes]:
    """The content of the item's file, piece by piece. Raises `NodeError`."""
    file = file_of(item, name, index)
    try:
        async for chunk in run.binary.stream(file):
            yield chunk
    except BinaryError as exc:
        raise _unread(exc, name, index) from None


async def kept_file(
    run: FileRun, content: bytes | AsyncIterable[bytes], *, mime_type: str, file_name: str | None = None
) -> BinaryData:
    """An entry for a new file, to be put into an item. Raises `NodeError`."""
    try:
        return await run.binary.write(content, mime_type=mime_type, file_name=file_name or None)
    except BinaryError as exc:
        raise NodeError(exc.message) from None


def with_file(item: Item, name: str, file: BinaryData) -> dict[str, BinaryData]:
    """The item's files and this one."""
    return {**(item.get("binary") or {}), name: file}


def _unread(exc: BinaryError, name: str, index: int) -> NodeError:
    return NodeError(f"The binary field '{name}' of item {index} cannot be read: {exc.message}", item=index)
