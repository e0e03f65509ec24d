"""Conditions of lists that are limited to some projects."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.sql.projects import within_condition
from jackfield.api.storage import ResourceKind, Within
from jackfield_store_sqlite.dialect import SqliteDialect
from jackfield_store_sqlite.rows import Value

_DIALECT = SqliteDialect()


def limited(
    clause: str, values: Sequence[Value], kind: ResourceKind, field: str, within: Within | None
) -> tuple[str, list[Value]]:
    """clause: empty or ` WHERE ...`. field: holds the id. within: None adds nothing."""
    if within is None:
        return clause, list(values)
    condition, more = within_condition(_DIALECT, kind, field, within)
    return f"{clause}{' AND' if clause else ' WHERE'} {condition}", [*values, *more]
