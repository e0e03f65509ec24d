"""Pieces of conditions that read the same in every SQL."""

from __future__ import annotations

from collections.abc import Iterable

from .dialect import SqlValue


def where(conditions: Iterable[tuple[str, SqlValue]]) -> tuple[str, list[SqlValue]]:
    """` WHERE a AND b` of those conditions whose value is given, and the values."""
    given = [(sql, value) for sql, value in conditions if value is not None]
    clause = " AND ".join(sql for sql, _ in given)
    return (f" WHERE {clause}" if clause else ""), [value for _, value in given]


def like_of(pattern: str) -> str:
    """A pattern with `%` for any characters, in the language of LIKE with a backslash as escape."""
    return pattern.replace("\\", "\\\\").replace("_", "\\_")
