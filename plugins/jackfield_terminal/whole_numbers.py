"""Whole numbers of JSON, which has one kind of number: some clients write 80 as 80.0."""

from __future__ import annotations


def whole(value: object) -> object:
    """An integer where the number is one; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
