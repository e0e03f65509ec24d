"""Reading single values of a document liberally: what cannot be read becomes the default."""

from __future__ import annotations

import math

from jackfield.api.jsontext import Json


def number(value: Json) -> float | None:
    """A finite number, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value) if not isinstance(value, str) or len(value) <= 40 else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def clamped(value: Json, default: int, low: int, high: int) -> int:
    """A whole number within its range; the default when it is no number."""
    found = number(value)
    return default if found is None else int(min(max(found, low), high))


def text(value: Json) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def reference(value: Json) -> str | None:
    """The id in a plain text, a number or a resource locator `{__rl, value}`."""
    if isinstance(value, dict):
        value = value.get("value")
    return identifier(value)


def identifier(value: Json) -> str | None:
    """An id of any kind as text; None when there is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text(value)
    return repr(value) if -(2**63) <= value < 2**64 else None
