"""The result of a script, as JSON."""

from __future__ import annotations

import base64
import math
from decimal import Decimal

from jackfield.api.jsontext import Json


def as_json(value: object) -> Json:
    """Decimals become numbers, blobs base64. Raises ValueError for what is not finite."""
    if isinstance(value, dict):
        return {str(key): as_json(part) for key, part in value.items()}
    if isinstance(value, list):
        return [as_json(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no JSON")
    if value is None or isinstance(value, str | int | float):
        return value
    return plain(value)


def plain(value: object) -> int | float | str:
    """The values that JSON has no type for: decimals become numbers, blobs base64.

    Raises TypeError for anything else.
    """
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"a {type(value).__name__} is no JSON")
