"""Identifiers: UUID version 7 (RFC 9562), so that rows made together lie together in an index."""

from __future__ import annotations

import os
import time
import uuid

RANDOM_BYTES = 10
POOLED = 256

_pool: list[bytes] = []
# A forked process must not hand out the same random bytes again.
os.register_at_fork(after_in_child=_pool.clear)


def _random() -> bytes:
    """Random bytes of the system, fetched for many ids at once.

    A call of the system hands the interpreter to another thread, which under load costs far more than the call.
    """
    while True:
        try:
            return _pool.pop()  # atomic: ids are made in several threads
        except IndexError:
            fresh = os.urandom(RANDOM_BYTES * POOLED)
            _pool.extend(fresh[start : start + RANDOM_BYTES] for start in range(0, len(fresh), RANDOM_BYTES))


def new_id() -> str:
    """A fresh UUIDv7 as text: 48 bits of Unix milliseconds, 74 random bits."""
    stamp = time.time_ns() // 1_000_000
    value = stamp << 80 | int.from_bytes(_random())
    value = value & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID in any of its spellings."""
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
