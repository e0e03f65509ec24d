"""The parts of requests about rows: filters, orders, and in which form answers go back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from jackfield.api.errors import InvalidInput
from jackfield.api.http import parse_model
from jackfield.api.jsontext import Json, loads
from jackfield.api.object_references import load
from jackfield.api.storage.tables import TABLE_ORDERS, DataTable, RowFilter, RowOrder, TableOrder
from jackfield_data_tables.filters import AskedCondition, checked
from jackfield_data_tables.values import TableRefusal

if TYPE_CHECKING:
    from jackfield_data_tables.schemas import RowFilterBody


def schema(name: str) -> str:
    """Where the model of this name is, which is loaded with the first request that needs it."""
    return f"jackfield_data_tables.schemas:{name}"


def model(name: str) -> Any:  # of a request: the view says which model it is
    return load(schema(name))


def filter_body(text: str | None) -> RowFilterBody:
    """A filter in the query. Raises `InvalidInput`."""
    value = read_object(text, "filter") if text else {}
    return cast("RowFilterBody", parse_model(model("RowFilterBody"), value))


def read_object(text: str, name: str) -> Mapping[str, Json]:
    """A JSON object in the query. Raises `InvalidInput`."""
    try:
        found = loads(text.encode())
    except InvalidInput:
        found = None
    if not isinstance(found, dict):
        raise InvalidInput("Invalid filter format", details={name: "give a JSON object"})
    return found


def row_filter(table: DataTable, body: RowFilterBody, most: int, search: str = "") -> RowFilter:
    """Raises `TableRefusal`."""
    asked = [AskedCondition(each.column_name, each.condition, each.value) for each in body.filters]
    return checked(table, asked, any_of=body.type == "or", most=most, search=search)


def row_order(table: DataTable, column: str, way: str) -> RowOrder:
    """Raises `TableRefusal`."""
    if column not in table.types():
        raise TableRefusal(f"unknown column name '{column}'", details={"sortBy": "name a column"})
    return RowOrder(column, descending=way == "desc")


def colon_order(text: str) -> tuple[str, str]:
    """`name:asc` as its two parts. Raises `InvalidInput`."""
    column, _, way = text.partition(":")
    if way.lower() not in ("asc", "desc"):
        details = {"sortBy": "give a column, a colon, and asc or desc"}
        raise InvalidInput("Invalid sort format, expected <columnName>:<asc/desc>", details=details)
    return column, way.lower()


def table_order(name: str) -> TableOrder:
    """Raises `InvalidInput`."""
    for each in TABLE_ORDERS:
        if each == name:
            return each
    details = {"sortBy": f"give one of {', '.join(TABLE_ORDERS)}"}
    raise InvalidInput(f"sortBy must be one of {', '.join(TABLE_ORDERS)}.", details=details)


def rows_answer(rows: Sequence[dict[str, Json]], *, shown: bool) -> object:
    """As n8n answers a change: with the rows, or that it was made."""
    return list(rows) if shown else True
