"""In the place of orjson, which refuses free-threaded Python: what executions need of it, by msgspec.

Both builds of Python are measured with it, so that they do the same.
"""

from __future__ import annotations

from typing import Any

import msgspec

JSONDecodeError = ValueError
OPT_STRICT_INTEGER = OPT_SORT_KEYS = OPT_INDENT_2 = 0
_decoder = msgspec.json.Decoder()
_encoder = msgspec.json.Encoder()


def loads(data: bytes | str) -> Any:  # as orjson's
    """Raises `ValueError`."""
    return _decoder.decode(data)


def dumps(value: object, default: object = None, option: int | None = None) -> bytes:
    """Raises `TypeError` for what is no JSON."""
    return _encoder.encode(value)


class Fragment:
    """JSON that is written already."""

    def __init__(self, data: bytes) -> None:
        self.contents = data
