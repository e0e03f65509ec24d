"""How values of the query are read, for the models of queries."""

from __future__ import annotations

MAX_OFFSET = 2**31 - 1
MOST_NAMES = 20


def names(given: object) -> object:
    """The parts of a text between its commas."""
    return [part for each in given.split(",") if (part := each.strip())] if isinstance(given, str) else given
