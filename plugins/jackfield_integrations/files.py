"""Files of items that go to and come from other machines, within the setting `integrations.max_bytes`."""

from __future__ import annotations

import mimetypes
from collections.abc import AsyncIterable, AsyncIterator

from jackfield.api.binary import DEFAULT_TYPE
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import chunks_of, kept_file
from jackfield.api.workflows import BinaryData, Item


async def bounded_chunks(run: NodeRun, item: Item, name: str, index: int, limit: int) -> AsyncIterator[bytes]:
    """The item's file in chunks. limit: bytes. Raises `NodeError`."""
    total = 0
    async for chunk in chunks_of(run, item, name, index):
        total += len(chunk)
        if total > limit:
            raise too_large(limit)
        yield chunk


def too_large(limit: int) -> NodeError:
    return NodeError(f"The file is larger than {limit} bytes (integrations.max_bytes).")


async def kept(run: NodeRun, content: bytes | AsyncIterable[bytes], name: str) -> BinaryData:
    """A new file of the execution; its name tells its type. Raises `NodeError`."""
    return await kept_file(run, content, mime_type=mimetypes.guess_type(name)[0] or DEFAULT_TYPE, file_name=name)
