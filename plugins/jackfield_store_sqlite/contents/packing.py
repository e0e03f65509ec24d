"""Large values lie compressed in the file, where that saves enough.

Writing them and copying them from the log into the file cost more than LZ4 does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

from jackfield.api.object_references import load

_LARGEST = 2**30
"""Bytes; LZ4 takes no 2 GiB."""


class Packing:
    """least: bytes from which something is compressed; 0: nothing is."""

    def __init__(self, least: int) -> None:
        self._least = least or _LARGEST

    def packed(self, data: bytes) -> tuple[bytes, int | None]:
        """The bytes that are kept, and how many they stand for; None: they are kept as they are."""
        size = len(data)
        if not self._least <= size < _LARGEST:
            return data, None
        made = _compress()(data, store_size=False)
        return (made, size) if len(made) <= size - size // 8 else (data, None)


def opened(kept: bytes, size: int | None) -> bytes:
    """The bytes that were packed. Raises ValueError when it is damaged."""
    if size is None:
        return kept
    try:
        found = _decompress()(kept, uncompressed_size=size)
    except Exception as exc:  # LZ4's own, which is nothing narrower, or no memory for a size that damage has made
        raise ValueError("The compressed data is damaged.") from exc
    if len(found) != size:
        raise ValueError("The compressed data is damaged.")
    return found


@cache
def _compress() -> Callable[..., bytes]:
    """Loaded with the first that is large."""
    return cast("Callable[..., bytes]", load("lz4.block:compress"))


@cache
def _decompress() -> Callable[..., bytes]:
    return cast("Callable[..., bytes]", load("lz4.block:decompress"))
