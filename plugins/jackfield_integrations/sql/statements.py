"""SQL as parts, so that values and names never become text before the dialect quotes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record


@record
class SqlName:
    """A table, column or schema."""

    text: str


@record
class SqlValue:
    """A value that the driver binds. column: the column of the statement's table that it is for, if any."""

    value: Json
    column: str = ""


Part: TypeAlias = "str | SqlName | SqlValue"


@record
class Statement:
    """parts: plain text is the author's or this package's own, never data; reads: whether no rows is an answer and not
    a success to report."""

    parts: Sequence[Part]
    reads: bool = False
    table: tuple[str, str] = ("", "")
    """Schema and table that values with a `column` are for."""


@record
class SqlDialect:
    """How one kind of database writes SQL. name: of its rules in `placeholders`; quote: around names; mark: stands for
    a value."""

    name: str
    quote: str
    mark: str
    skip: str
    """Words after INSERT that pass over rows which are there already."""
    skip_after: str
    """The same at the end of the statement."""
    returning: bool
    atomic_single: bool
    """Whether several statements sent at once are one transaction."""
    schemas: bool
    max_name: int = 128

    def name_sql(self, text: str) -> str:
        """The name, quoted. Raises `NodeError`."""
        if not text or "\0" in text or len(text) > self.max_name:
            raise NodeError("A table or column has no name, or one that is too long.")
        return f"{self.quote}{text.replace(self.quote, self.quote * 2)}{self.quote}"

    def render(self, parts: Sequence[Part]) -> tuple[str, list[SqlValue]]:
        """The text with a mark per value, and the values. Text keeps its percent signs when there are no values, since
        drivers then leave them alone."""
        values = [part for part in parts if isinstance(part, SqlValue)]
        doubled = bool(values) and self.mark == "%s"
        return "".join(self._texts(parts, doubled)), values

    def _texts(self, parts: Sequence[Part], doubled: bool) -> Iterator[str]:
        for part in parts:
            if isinstance(part, SqlValue):
                yield self.mark
                continue
            text = self.name_sql(part.text) if isinstance(part, SqlName) else part
            yield text.replace("%", "%%") if doubled else text


POSTGRES = SqlDialect("postgres", '"', "%s", "", " ON CONFLICT DO NOTHING", True, True, True)
MYSQL = SqlDialect("mysql", "`", "%s", " IGNORE", "", False, False, False)
SQLITE = SqlDialect("sqlite", '"', "?", "", " ON CONFLICT DO NOTHING", True, True, False)


def joined(rows: Sequence[Sequence[Part]], between: str) -> list[Part]:
    """All parts, with this text between the rows."""
    made: list[Part] = []
    for index, row in enumerate(rows):
        if index:
            made.append(between)
        made += row
    return made
