"""Images of an item, for models that see."""

from __future__ import annotations

import base64

from jackfield.api.ai import Picture
from jackfield.api.binary import BinaryError
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.workflows import Item

MAX_PICTURES = 16
MAX_BYTES = 20 * 2**20
"""Of one image; providers take no larger ones."""


async def pictures_of(run: NodeRun, item: Item) -> list[Picture]:
    """All images of the item. Raises `NodeError`."""
    names = [name for name, file in (item.get("binary") or {}).items() if file.get("mimeType", "").startswith("image/")]
    return [await picture_of(run, item, name) for name in names[:MAX_PICTURES]]


async def picture_of(run: NodeRun, item: Item, name: str, detail: str = "") -> Picture:
    """Raises `NodeError`."""
    file = (item.get("binary") or {}).get(name)
    if file is None:
        raise NodeError(f"The item has no file '{name}'.")
    try:
        content = await run.binary.read(file)
    except BinaryError as exc:
        raise NodeError(exc.message) from None
    if len(content) > MAX_BYTES:
        raise NodeError(f"The image '{name}' has {len(content)} bytes, more than {MAX_BYTES}.")
    return Picture(file.get("mimeType") or "image/png", base64.b64encode(content).decode(), detail=detail)
