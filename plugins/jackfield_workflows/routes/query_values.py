"""How values of the query are read, for the models of queries."""

from __future__ import annotations

from jackfield.api.clock import from_iso

MAX_OFFSET = 2**31 - 1
MOST_NAMES = 20


def names(given: object) -> object:
    """The parts of a text between its commas."""
    return [part for each in given.split(",") if (part := each.strip())] if isinstance(given, str) else given


def moment(given: object) -> int:
    """An ISO 8601 time as Unix ms. Raises `ValueError`."""
    text = str(given)
    try:
        # A + that was not percent-encoded arrives as a space.
        return from_iso(text.replace(" ", "+") if "T" in text else text)
    except (ValueError, OverflowError):
        raise ValueError("give an ISO 8601 time such as 2026-01-31T12:00:00Z") from None
