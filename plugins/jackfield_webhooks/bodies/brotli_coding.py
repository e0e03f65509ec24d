"""The content coding `br`."""

from __future__ import annotations

from collections.abc import Iterator

import brotli

from jackfield_webhooks.bodies.unpacking import STEP, broken


def unpacked(body: bytes) -> Iterator[bytes]:
    """Raises `InvalidInput`."""
    unpacker = brotli.Decompressor()
    try:
        part = unpacker.process(body, output_buffer_limit=STEP)
        yield part
        while not unpacker.is_finished():
            part = unpacker.process(b"", output_buffer_limit=STEP)
            if not part and unpacker.can_accept_more_data():
                raise broken("br")
            yield part
    except brotli.error:
        raise broken("br") from None
