"""Times in queries of the API."""

from __future__ import annotations

from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from .clock import from_iso


def moment(given: object) -> int:
    """An ISO 8601 time as Unix ms. Raises `ValueError`."""
    text = str(given)
    try:
        # A + that was not percent-encoded arrives as a space.
        return from_iso(text.replace(" ", "+") if "T" in text else text)
    except (ValueError, OverflowError):
        raise ValueError("give an ISO 8601 time such as 2026-01-31T12:00:00Z") from None


Moment = Annotated[int, PlainValidator(moment), WithJsonSchema({"type": "string"})]
"""An ISO 8601 time of the query, read as Unix ms."""
