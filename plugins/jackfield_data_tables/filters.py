"""Filters as n8n writes them: `{"type": "and", "filters": [{"columnName", "condition", "value"}]}`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo

from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.storage.tables import OPERATORS, Cell, Condition, DataTable, Operator, RowFilter
from jackfield_data_tables.values import TableRefusal, typed

MOST_TEXT = 10_000
"""Characters of a pattern."""
_COMPARING = ("gt", "gte", "lt", "lte")


@record
class AskedCondition:
    """One condition as somebody asks for it."""

    column: str
    operator: str
    value: Json = None


def checked(
    table: DataTable, asked: Sequence[AskedCondition], *, any_of: bool, most: int, search: str = "", zone: tzinfo = UTC
) -> RowFilter:
    """The filter of a table's rows. search: a text that a cell holds. zone: of dates that name none. Raises
    `TableRefusal`."""
    if len(asked) > most:
        raise TableRefusal(f"a filter has at most {most} conditions (data_tables.max_conditions)")
    return RowFilter([_condition(table, each, zone) for each in asked], any_of, _pattern(search.strip()))


def _condition(table: DataTable, asked: AskedCondition, zone: tzinfo) -> Condition:
    kind = table.types().get(asked.column)
    if kind is None:
        raise TableRefusal(f"unknown column name '{asked.column}'", details={"filter": f"{asked.column} is no column"})
    operator: Operator | None = next((each for each in OPERATORS if each == asked.operator), None)
    if operator is None:
        raise TableRefusal(f"unknown condition '{asked.operator}'; conditions are {', '.join(OPERATORS)}")
    if operator in ("isEmpty", "isNotEmpty"):
        return Condition(asked.column, operator)
    value = typed(asked.value, asked.column, kind, zone)
    if operator in ("like", "ilike"):
        return Condition(asked.column, operator, _like(operator, asked.value, value))
    if operator in _COMPARING and value is None:
        raise TableRefusal(f"{operator.upper()} filter value cannot be null or undefined")
    return Condition(asked.column, operator, value)


def _like(operator: str, given: Json, value: Cell) -> str:
    if value is None:
        raise TableRefusal(f"{operator.upper()} filter value cannot be null or undefined")
    if not isinstance(given, str) or not isinstance(value, str):
        raise TableRefusal(f"{operator.upper()} filter value must be a string")
    return _pattern(value) or "%%"


def _pattern(text: str) -> str:
    """With `%` at both ends unless it has one; empty stays empty."""
    if len(text) > MOST_TEXT:
        raise TableRefusal(f"a text to look for has at most {MOST_TEXT} characters")
    return text if not text or "%" in text else f"%{text}%"
