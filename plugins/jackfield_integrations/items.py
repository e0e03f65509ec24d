"""How these nodes make items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Items


def made_of(rows: Iterable[Mapping[str, Json]], index: int) -> Items:
    """New items that come from this input item."""
    return [{"json": dict(row), "pairedItem": {"item": index}} for row in rows]
