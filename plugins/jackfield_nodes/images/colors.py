"""Colors as Edit Image's documents have them."""

from __future__ import annotations

import re
from typing import TypeAlias

from PIL import ImageColor

from jackfield.api.nodes import NodeError

Rgba: TypeAlias = tuple[int, int, int, int]
"""Red, green, blue and opacity: 0 is transparent, 255 is not."""
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})\Z")
_CLEAR = ("none", "transparent")


def color(text: str, name: str) -> Rgba:
    """Of a hexadecimal number or a name. Its last two digits are transparency, as GraphicsMagick counts it: `00` is
    opaque, `ff` cannot be seen. name: the parameter. Raises `NodeError`."""
    given = text.strip()
    if given.lower() in _CLEAR:
        return (0, 0, 0, 0)
    try:
        if given.startswith("#") and not _HEX.match(given):
            raise ValueError
        red, green, blue, alpha = _rgba(given)
    except ValueError:
        raise NodeError(f"The parameter {name} is no color; give one such as #ff0000, #ff000080 or red.") from None
    return (red, green, blue, 255 - alpha if len(given) in (5, 9) and given.startswith("#") else alpha)


def _rgba(text: str) -> Rgba:
    red, green, blue, *rest = ImageColor.getrgb(text)
    return (red, green, blue, rest[0] if rest else 255)
