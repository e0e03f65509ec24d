"""Data tables: listed, made, and their rows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jackfield.api import jsontext
from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, McpTool, ToolArguments, ToolRun
from jackfield_mcp.tools.paging import Ident, PageArguments

Row = dict[str, str | bool | int | float | None]


class TableCondition(ToolArguments):
    columnName: Ident  # noqa: N815 - as in the API
    condition: Literal["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike"] = "eq"
    value: str | bool | int | float | None


class TableFilter(ToolArguments):
    type: Literal["and", "or"] = "and"
    filters: Annotated[list[TableCondition], Field(min_length=1, max_length=50)]


class ListTablesArguments(PageArguments):
    search: Ident | None = None


class TableArguments(ToolArguments):
    table: Ident = Field(description="Id of the table.")


class TableColumn(ToolArguments):
    name: Ident
    type: Literal["string", "number", "boolean", "date"]


class CreateTableArguments(ToolArguments):
    name: Annotated[str, Field(min_length=1, max_length=128)]
    columns: Annotated[list[TableColumn], Field(max_length=100, default_factory=list)]


class ReadRowsArguments(PageArguments, TableArguments):
    filter: TableFilter | None = None
    search: Ident | None = None
    sort_by: Ident | None = None
    order: Literal["asc", "desc"] | None = None


class AddRowsArguments(TableArguments):
    rows: Annotated[list[Row], Field(min_length=1, max_length=1000)]


class UpdateRowsArguments(TableArguments):
    filter: TableFilter
    data: Row
    dry_run: bool = False


class DeleteRowsArguments(TableArguments):
    filter: TableFilter
    dry_run: bool = Field(False, description="Tell how many rows would go.")


async def _list(run: ToolRun, given: ListTablesArguments) -> Json:
    query = {"search": given.search, "offset": given.offset, "limit": given.limit}
    return await run.api.ask("GET", "/data-tables", query=query)


async def _get(run: ToolRun, given: TableArguments) -> Json:
    return await run.api.ask("GET", _path(given))


async def _create(run: ToolRun, given: CreateTableArguments) -> Json:
    return await run.api.ask("POST", "/data-tables", body=given.model_dump())


async def _read(run: ToolRun, given: ReadRowsArguments) -> Json:
    query = {
        "filter": None if given.filter is None else jsontext.dumps(given.filter.model_dump()).decode(),
        "search": given.search,
        "sortBy": given.sort_by,
        "order": given.order,
        "offset": given.offset,
        "limit": given.limit,
    }
    return await run.api.ask("GET", _path(given) + "/rows", query=query)


async def _add(run: ToolRun, given: AddRowsArguments) -> Json:
    return await run.api.ask("POST", _path(given) + "/rows", body={"data": [dict(row) for row in given.rows]})


def _changes(given: UpdateRowsArguments) -> Json:
    return {"filter": given.filter.model_dump(), "data": dict(given.data), "dryRun": given.dry_run, "returnData": True}


async def _update(run: ToolRun, given: UpdateRowsArguments) -> Json:
    return await run.api.ask("PATCH", _path(given) + "/rows/update", body=_changes(given))


async def _upsert(run: ToolRun, given: UpdateRowsArguments) -> Json:
    return await run.api.ask("POST", _path(given) + "/rows/upsert", body=_changes(given))


async def _delete(run: ToolRun, given: DeleteRowsArguments) -> Json:
    query = {"filter": jsontext.dumps(given.filter.model_dump()).decode(), "dryRun": given.dry_run, "returnData": True}
    return await run.api.ask("DELETE", _path(given) + "/rows/delete", query=query)


def _path(given: TableArguments) -> str:
    return f"/data-tables/{segment(given.table)}"


_READ, _WRITE = ("data-tables:read",), ("data-tables:write",)
DATA_TABLE_TOOLS: tuple[AnyTool, ...] = (
    McpTool("list_data_tables", "List data tables", "List data tables.", _READ, ListTablesArguments, _list, reads=True),
    McpTool(
        "get_data_table", "Read a data table", "Read a data table's columns.", _READ, TableArguments, _get, reads=True
    ),
    McpTool(
        "create_data_table",
        "Create a data table",
        "Create a data table with columns.",
        _WRITE,
        CreateTableArguments,
        _create,
    ),
    McpTool(
        "read_rows",
        "Read rows",
        "Read rows of a data table: filtered, searched, sorted.",
        _READ,
        ReadRowsArguments,
        _read,
        reads=True,
    ),
    McpTool("add_rows", "Add rows", "Add rows to a data table.", _WRITE, AddRowsArguments, _add),
    McpTool(
        "update_rows",
        "Change rows",
        "Change the rows that a filter finds.",
        _WRITE,
        UpdateRowsArguments,
        _update,
        destroys=True,
    ),
    McpTool(
        "upsert_row",
        "Change or add a row",
        "Change the rows that a filter finds, or add one.",
        _WRITE,
        UpdateRowsArguments,
        _upsert,
        destroys=True,
        repeatable=True,
    ),
    McpTool(
        "delete_rows",
        "Delete rows",
        "Delete the rows that a filter finds.",
        _WRITE,
        DeleteRowsArguments,
        _delete,
        destroys=True,
    ),
)
