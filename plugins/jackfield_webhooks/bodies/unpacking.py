"""The part that all content codings share."""

from __future__ import annotations

from jackfield.api.errors import InvalidInput

STEP = 1 << 18
"""Bytes that are unpacked at a time."""


def broken(coding: str) -> InvalidInput:
    return InvalidInput(
        f"The body is not valid {coding}.", details={"body": f"Content-Encoding says {coding}; it is broken or cut"}
    )
