"""The connection that the SQL nodes want."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol, TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.sql.statements import Statement

Rows: TypeAlias = "list[dict[str, Json]]"


@record
class SqlReading:
    """How results are read. most: rows; large: how 64-bit numbers come, None: as the database's own node does it;
    decimals_as_numbers: instead of text."""

    most: int
    large: Literal["text", "numbers"] | None = None
    decimals_as_numbers: bool = False


class SqlSession(Protocol):
    """One connection. Every method raises `NodeError`, without secrets."""

    async def run(self, statement: Statement, reading: SqlReading) -> Rows:
        """All rows of all results."""

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Commits at the end, rolls back when the body raises."""


def too_many(most: int) -> NodeError:
    return NodeError(f"The query gives more than {most} rows (integrations.max_rows); limit it.")
