"""Values that a document fixes, which n8n looks at before a workflow starts."""

from __future__ import annotations

from collections.abc import Callable

from jackfield.api.jsontext import Json


def mistake(value: Json, convert: Callable[[object], object], wanted: str) -> str:
    """Why a fixed value is not what is wanted, such as `one JSON object`; empty for one that fits, for none at all, and
    for an expression. convert: raises ValueError for what does not fit."""
    if value is None or (isinstance(value, str) and value.startswith("=")):
        return ""
    try:
        convert(value)
    except ValueError as exc:
        return f"It must be {wanted}, and it is {exc}; change it, or use an expression."
    return ""
