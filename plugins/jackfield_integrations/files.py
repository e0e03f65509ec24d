"""Files of items, with errors that name the item's field."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator

from jackfield.api.binary import BinaryError
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.workflows import BinaryData, Item


def file_of(item: Item, name: str) -> BinaryData:
    """The file of this name. Raises `NodeError` that lists the files there are."""
    files = item.get("binary") or {}
    if name not in files:
        known = ", ".join(files) or "none"
        raise NodeError(f"The item has no binary field '{name}'; it has: {known}.")
    return files[name]


async def content_of(run: NodeRun, file: BinaryData, limit: int) -> bytes:
    """The whole file. limit: bytes. Raises `NodeError`."""
    try:
        return await run.binary.read(file, limit=limit)
    except BinaryError as exc:
        raise NodeError(exc.message) from None


async def chunks_of(run: NodeRun, file: BinaryData, limit: int) -> AsyncIterator[bytes]:
    """The file in chunks. limit: bytes. Raises `NodeError`."""
    total = 0
    try:
        async for chunk in run.binary.stream(file):
            total += len(chunk)
            if total > limit:
                raise too_large(limit)
            yield chunk
    except BinaryError as exc:
        raise NodeError(exc.message) from None


def too_large(limit: int) -> NodeError:
    return NodeError(f"The file is larger than {limit} bytes (integrations.max_bytes).")


async def kept(run: NodeRun, content: bytes | AsyncIterable[bytes], name: str) -> BinaryData:
    """A new file of the execution; its type is told by its name. Raises `NodeError`."""
    import mimetypes

    mime_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    try:
        return await run.binary.write(content, mime_type=mime_type, file_name=name)
    except BinaryError as exc:
        raise NodeError(exc.message) from None
