"""Strict JSON (RFC 8259): no NaN, no bad UTF-8, no document deeper than the limit.

Malformed JSON, NaN, bad UTF-8, UTF-16 and a depth over 64 are 400 everywhere.
"""

from __future__ import annotations

import orjson

from .headroom import check_memory
from .json_values import Json, depth_exceeds, dumps, invalid, too_deep

__all__ = ["LARGE", "MAX_DEPTH", "Json", "depth_exceeds", "dumps", "loads"]

MAX_DEPTH = 64
LARGE = 1024 * 1024
"""From that many bytes on a document is parsed in slices."""


def _may_be_deeper(data: bytes | str, limit: int) -> bool:
    """False: there are fewer brackets than levels. Walking through a small document costs as much as parsing it."""
    text = data.encode("utf-8", "replace") if isinstance(data, str) else data
    brackets = text.count(b"{") + text.count(b"[")
    # A brace before a slash stands in a text: deliveries are full of templates of addresses, such as `{/sha}`.
    return brackets > limit and brackets - text.count(b"{/") > limit


def loads(data: bytes | str, *, max_depth: int = MAX_DEPTH) -> Json:
    """Parse one document. Raises `InvalidInput` that says where it breaks; never quotes the data. A large one belongs
    on a thread: it is parsed in slices, between which other threads run."""
    if len(data) >= LARGE:
        from .json_slices import parsed  # rarely needed

        return parsed(data, max_depth)
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as exc:
        check_memory(exc.msg)
        reason = f"{exc.msg} (line {exc.lineno}, column {exc.colno})"
        raise invalid(reason) from None
    if _may_be_deeper(data, max_depth) and depth_exceeds(value, max_depth):
        raise too_deep(max_depth)
    return value
