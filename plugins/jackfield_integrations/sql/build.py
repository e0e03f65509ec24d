"""The statements of the operations insert, update, upsert, select and deleteTable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.records import record
from jackfield_integrations.sql.statements import Part, SqlDialect, SqlName, SqlValue, Statement, joined

OPERATORS: Mapping[str, str] = {
    "equal": "=",
    "=": "=",
    "!=": "<>",
    "LIKE": "LIKE",
    ">": ">",
    "<": "<",
    ">=": ">=",
    "<=": "<=",
    "IS NULL": "IS NULL",
    "IS NOT NULL": "IS NOT NULL",
}


@record
class SqlCondition:
    """column, an operator as n8n names it, value."""

    column: str
    operator: str
    value: Json


@record
class SqlWhere:
    conditions: Sequence[SqlCondition] = ()
    combine: Literal["AND", "OR"] = "AND"


@record
class SqlTable:
    """A table, below a schema where the database has them. returning: columns to give back, `*` for all."""

    dialect: SqlDialect
    name: str
    schema: str = ""
    returning: Sequence[str] = ("*",)

    def part(self) -> list[Part]:
        if not self.name:
            raise NodeError("The parameter table is empty.")
        if self.schema and self.dialect.schemas:
            return [SqlName(self.schema), ".", SqlName(self.name)]
        return [SqlName(self.name)]

    def statement(self, parts: Sequence[Part], *, gives_back: bool) -> Statement:
        back: list[Part] = []
        if gives_back and self.dialect.returning:
            back = [" RETURNING ", *columns(self.returning)]
        return Statement([*parts, *back], table=(self.schema, self.name))


def columns(names: Sequence[str]) -> list[Part]:
    """A list of columns; `*` is every one."""
    if not names or "*" in names:
        return ["*"]
    return joined([[SqlName(name)] for name in names], ", ")


def _need(row: Mapping[str, Json], what: str) -> None:
    if not row:
        raise NodeError(f"There is no column to {what}; map at least one.")


def insert(table: SqlTable, row: Mapping[str, Json], *, skip: bool = False, words: str = "") -> Statement:
    """One row. skip: pass over a row that is there already; words: such as LOW_PRIORITY."""
    _need(row, "insert")
    dialect = table.dialect
    return table.statement(
        [
            f"INSERT{words}{dialect.skip if skip else ''} INTO ",
            *table.part(),
            *_values(row),
            dialect.skip_after if skip else "",
        ],
        gives_back=True,
    )


def _values(row: Mapping[str, Json]) -> list[Part]:
    return [
        " (",
        *joined([[SqlName(name)] for name in row], ", "),
        ") VALUES (",
        *joined([[SqlValue(value, name)] for name, value in row.items()], ", "),
        ")",
    ]


def _assignments(row: Mapping[str, Json]) -> list[Part]:
    return joined([[SqlName(name), " = ", SqlValue(value, name)] for name, value in row.items()], ", ")


def update(table: SqlTable, match: Mapping[str, Json], row: Mapping[str, Json]) -> Statement:
    """Set the row's columns where every column of `match` has its value."""
    _need(row, "update")
    _need(match, "match on")
    found = where(SqlWhere([SqlCondition(name, "equal", value) for name, value in match.items()]))
    return table.statement(["UPDATE ", *table.part(), " SET ", *_assignments(row), *found], gives_back=True)


def upsert(table: SqlTable, match: Sequence[str], row: Mapping[str, Json]) -> Statement:
    """Insert the row, or update the one that has the same values in the columns of `match`, which need a unique
    index."""
    _need(row, "insert or update")
    _need(dict.fromkeys(match), "match on")
    others = [name for name in row if name not in match]
    head: list[Part] = ["INSERT INTO ", *table.part(), *_values(row)]
    if table.dialect.name == "mysql":
        kept = others or list(match)
        changes = joined([[SqlName(name), " = VALUES(", SqlName(name), ")"] for name in kept], ", ")
        return table.statement([*head, " ON DUPLICATE KEY UPDATE ", *changes], gives_back=False)
    head += [" ON CONFLICT (", *columns(match), ") DO "]
    if not others:
        return table.statement([*head, "NOTHING"], gives_back=True)
    changes = joined([[SqlName(name), " = EXCLUDED.", SqlName(name)] for name in others], ", ")
    return table.statement([*head, "UPDATE SET ", *changes], gives_back=True)


@record
class Selection:
    """limit: rows, None: all; sort: columns with ASC or DESC."""

    columns: Sequence[str] = ("*",)
    where: SqlWhere = SqlWhere()
    sort: Sequence[tuple[str, str]] = ()
    limit: int | None = None
    distinct: bool = False


def select(table: SqlTable, wanted: Selection) -> Statement:
    parts: list[Part] = ["SELECT DISTINCT " if wanted.distinct else "SELECT ", *columns(wanted.columns)]
    parts += [" FROM ", *table.part(), *where(wanted.where)]
    if wanted.sort:
        order = [[SqlName(name), " DESC" if direction.upper() == "DESC" else " ASC"] for name, direction in wanted.sort]
        parts += [" ORDER BY ", *joined(order, ", ")]
    if wanted.limit is not None:
        parts.append(f" LIMIT {max(0, wanted.limit)}")
    return Statement(parts, reads=True)


def where(wanted: SqlWhere) -> list[Part]:
    """The clause, or nothing. Raises `NodeError` for an operator that is none."""
    if not wanted.conditions:
        return []
    return [" WHERE ", *joined([_condition(condition) for condition in wanted.conditions], f" {wanted.combine} ")]


def _condition(condition: SqlCondition) -> list[Part]:
    operator = OPERATORS.get(condition.operator)
    if operator is None:
        raise NodeError(f"The condition {condition.operator!r} is unknown; use one of {', '.join(OPERATORS)}.")
    if operator.startswith("IS "):
        return [SqlName(condition.column), f" {operator}"]
    if condition.value is None and operator in {"=", "<>"}:
        return [SqlName(condition.column), " IS NULL" if operator == "=" else " IS NOT NULL"]
    return [SqlName(condition.column), f" {operator} ", SqlValue(condition.value, condition.column)]


@record
class Removal:
    """command: what goes, all rows, some rows, or the table itself."""

    command: Literal["truncate", "delete", "drop"]
    where: SqlWhere = SqlWhere()
    cascade: bool = False
    restart: bool = False


def remove(table: SqlTable, wanted: Removal) -> Statement:
    dialect = table.dialect.name
    cascade = " CASCADE" if wanted.cascade and dialect == "postgres" else ""
    match wanted.command:
        case "drop":
            return Statement(["DROP TABLE IF EXISTS ", *table.part(), cascade])
        case "delete":
            return Statement(["DELETE FROM ", *table.part(), *where(wanted.where)])
    if dialect == "sqlite":
        return Statement(["DELETE FROM ", *table.part()])
    restart = " RESTART IDENTITY" if wanted.restart and dialect == "postgres" else ""
    return Statement(["TRUNCATE TABLE ", *table.part(), restart, cascade])
