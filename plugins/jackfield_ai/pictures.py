"""Images of an item, for models that see."""

from __future__ import annotations

import base64

from jackfield.api.ai import Picture
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.files import content_of, file_of

MAX_PICTURES = 16
MAX_BYTES = 20 * 2**20
"""Of one image; providers take no larger ones."""


async def pictures_of(run: NodeRun, index: int) -> list[Picture]:
    """All images of an input item. Raises `NodeError`."""
    files = run.items[index].get("binary") or {}
    names = [name for name, file in files.items() if file.get("mimeType", "").startswith("image/")]
    return [await picture_of(run, index, name) for name in names[:MAX_PICTURES]]


async def picture_of(run: NodeRun, index: int, name: str, detail: str = "") -> Picture:
    """One image of an input item. Raises `NodeError`."""
    item = run.items[index]
    content = await content_of(run, item, name, index)
    if len(content) > MAX_BYTES:
        raise NodeError(f"The image '{name}' has {len(content)} bytes, more than {MAX_BYTES}.")
    kind = file_of(item, name, index).get("mimeType") or "image/png"
    return Picture(kind, base64.b64encode(content).decode(), detail=detail)
