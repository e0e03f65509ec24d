"""Data tables: listed, made, and their rows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jackfield.api import jsontext
from jackfield.api.json_values import Json
from jackfield_mcp.caller import segment
from jackfield_mcp.tool import AnyTool, Arguments, McpTool, ToolRun
from jackfield_mcp.tools.paging import Ident, Page

Row = dict[str, str | bool | int | float | None]


class Condition(Arguments):
    columnName: Ident  # noqa: N815 - as in the API
    condition: Literal["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike"] = "eq"
    value: str | bool | int | float | None


class Filter(Arguments):
    type: Literal["and", "or"] = "and"
    filters: Annotated[list[Condition], Field(min_length=1, max_length=50)]


class List(Page):
    search: Ident | None = None


class Table(Arguments):
    table: Ident = Field(description="Id of the table.")


class Column(Arguments):
    name: Ident
    type: Literal["string", "number", "boolean", "date"]


class Create(Arguments):
    name: Annotated[str, Field(min_length=1, max_length=128)]
    columns: Annotated[list[Column], Field(max_length=100, default_factory=list)]


class Read(Page, Table):
    filter: Filter | None = None
    search: Ident | None = None
    sort_by: Ident | None = None
    order: Literal["asc", "desc"] | None = None


class Add(Table):
    rows: Annotated[list[Row], Field(min_length=1, max_length=1000)]


class Update(Table):
    filter: Filter
    data: Row
    dry_run: bool = False


class Delete(Table):
    filter: Filter
    dry_run: bool = Field(False, description="Tell how many rows would go.")


async def _list(run: ToolRun, given: List) -> Json:
    query = {"search": given.search, "offset": given.offset, "limit": given.limit}
    return await run.api.ask("GET", "/data-tables", query=query)


async def _get(run: ToolRun, given: Table) -> Json:
    return await run.api.ask("GET", _path(given))


async def _create(run: ToolRun, given: Create) -> Json:
    return await run.api.ask("POST", "/data-tables", body=given.model_dump())


async def _read(run: ToolRun, given: Read) -> Json:
    query = {
        "filter": None if given.filter is None else jsontext.dumps(given.filter.model_dump()).decode(),
        "search": given.search,
        "sortBy": given.sort_by,
        "order": given.order,
        "offset": given.offset,
        "limit": given.limit,
    }
    return await run.api.ask("GET", _path(given) + "/rows", query=query)


async def _add(run: ToolRun, given: Add) -> Json:
    return await run.api.ask("POST", _path(given) + "/rows", body={"data": [dict(row) for row in given.rows]})


def _changes(given: Update) -> Json:
    return {"filter": given.filter.model_dump(), "data": dict(given.data), "dryRun": given.dry_run, "returnData": True}


async def _update(run: ToolRun, given: Update) -> Json:
    return await run.api.ask("PATCH", _path(given) + "/rows/update", body=_changes(given))


async def _upsert(run: ToolRun, given: Update) -> Json:
    return await run.api.ask("POST", _path(given) + "/rows/upsert", body=_changes(given))


async def _delete(run: ToolRun, given: Delete) -> Json:
    query = {"filter": jsontext.dumps(given.filter.model_dump()).decode(), "dryRun": given.dry_run, "returnData": True}
    return await run.api.ask("DELETE", _path(given) + "/rows/delete", query=query)


def _path(given: Table) -> str:
    return f"/data-tables/{segment(given.table)}"


_READ, _WRITE = ("data-tables:read",), ("data-tables:write",)
DATA_TABLE_TOOLS: tuple[AnyTool, ...] = (
    McpTool("list_data_tables", "List data tables", "List data tables.", _READ, List, _list, reads=True),
    McpTool("get_data_table", "Read a data table", "Read a data table's columns.", _READ, Table, _get, reads=True),
    McpTool("create_data_table", "Create a data table", "Create a data table with columns.", _WRITE, Create, _create),
    McpTool(
        "read_rows",
        "Read rows",
        "Read rows of a data table: filtered, searched, sorted.",
        _READ,
        Read,
        _read,
        reads=True,
    ),
    McpTool("add_rows", "Add rows", "Add rows to a data table.", _WRITE, Add, _add),
    McpTool(
        "update_rows", "Change rows", "Change the rows that a filter finds.", _WRITE, Update, _update, destroys=True
    ),
    McpTool(
        "upsert_row",
        "Change or add a row",
        "Change the rows that a filter finds, or add one.",
        _WRITE,
        Update,
        _upsert,
        destroys=True,
        repeatable=True,
    ),
    McpTool(
        "delete_rows", "Delete rows", "Delete the rows that a filter finds.", _WRITE, Delete, _delete, destroys=True
    ),
)
