"""`/data-tables` for our own clients and for n8n's: what both have in the same form stands in `TableRoutes`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.http import json_response, operation, read_model, read_query
from jackfield.api.jsontext import Json
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield.api.storage.tables import DataTable, DataTableFilter
from jackfield_data_tables.asking import (
    filter_body,
    model,
    row_filter,
    row_order,
    rows_answer,
    schema,
    table_order,
)
from jackfield_data_tables.marks import mark_text, read_mark
from jackfield_data_tables.service import DataTables, column_of
from jackfield_data_tables.taking_over import TakingOver
from jackfield_data_tables.used_by import users_of
from jackfield_data_tables.values import TableRefusal
from jackfield_data_tables.views import column_view, column_views, table_view

if TYPE_CHECKING:
    from jackfield_data_tables.schemas import (
        DataTableColumnChange,
        DataTableRename,
        DataTableRowsQuery,
        DataTablesQuery,
        NewDataTable,
        NewDataTableColumn,
        NewRows,
        RowChange,
        RowsDeletion,
        RowsToRestore,
    )

READ, WRITE = "data-tables:read", "data-tables:write"
TAGS = ("data tables",)
ONE = "/data-tables/<table_id>"
View: TypeAlias = Callable[..., Awaitable[Response]]
Route: TypeAlias = "tuple[str, str, View]"


class TableRoutes:
    """The common part of both forms. Subclasses say how tables look."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tables = context.port(DataTables)

    def routes(self) -> Sequence[Route]:
        column = f"{ONE}/columns/<column_id>"
        return (
            ("POST", "/data-tables", self.create_data_table),
            ("GET", ONE, self.get_data_table),
            ("PATCH", ONE, self.rename_data_table),
            ("DELETE", ONE, self.delete_data_table),
            ("GET", f"{ONE}/columns", self.list_columns),
            ("POST", f"{ONE}/columns", self.add_column),
            ("PATCH", column, self.change_column),
            ("DELETE", column, self.delete_column),
            ("POST", f"{ONE}/rows", self.add_rows),
            ("PATCH", f"{ONE}/rows/update", self.update_rows),
            ("POST", f"{ONE}/rows/upsert", self.upsert_row),
            ("DELETE", f"{ONE}/rows/delete", self.delete_rows),
            ("DELETE", f"{ONE}/rows/clear", self.clear_rows),
        )

    def view(self, table: DataTable) -> dict[str, Json]:
        return table_view(table)

    @operation(
        "Create a data table",
        scope=WRITE,
        request=schema("NewDataTable"),
        response=schema("DataTableShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def create_data_table(self) -> Response:
        body: NewDataTable = await read_model(model("NewDataTable"))
        await ask_about(self._context.find_port(ProjectAccess), body.project_id)
        made = await self._tables.create(body.name, [(each.name, each.type) for each in body.columns])
        return json_response(self.view(made), 201)

    @operation("Read a data table with its columns", scope=READ, response=schema("DataTableShown"), tags=TAGS)
    async def get_data_table(self, table_id: str) -> Response:
        return json_response(self.view(await self._tables.find(table_id)))

    @operation(
        "Rename a data table",
        scope=WRITE,
        request=schema("DataTableRename"),
        response=schema("DataTableShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def rename_data_table(self, table_id: str) -> Response:
        body: DataTableRename = await read_model(model("DataTableRename"))
        await self._tables.rename(table_id, body.name)
        return json_response(self.view(await self._tables.find(table_id)))

    @operation("Delete a data table with its rows", scope=WRITE, status=204, tags=TAGS)
    async def delete_data_table(self, table_id: str) -> Response:
        await self._tables.delete(table_id)
        return Response(status=204)

    @operation(
        "List the columns of a data table",
        operation_id="listDataTableColumns",
        scope=READ,
        response=schema("DataTableColumnsShown"),
        tags=TAGS,
    )
    async def list_columns(self, table_id: str) -> Response:
        return json_response(column_views(await self._tables.find(table_id)))

    @operation(
        "Add a column to a data table",
        operation_id="addDataTableColumn",
        scope=WRITE,
        request=schema("NewDataTableColumn"),
        response=schema("DataTableColumnShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def add_column(self, table_id: str) -> Response:
        body: NewDataTableColumn = await read_model(model("NewDataTableColumn"))
        made = await self._tables.add_column(table_id, body.name, body.type, body.index)
        return json_response(await self._column(table_id, made.id), 201)

    @operation(
        "Rename or move a column",
        operation_id="updateDataTableColumn",
        scope=WRITE,
        request=schema("DataTableColumnChange"),
        response=schema("DataTableColumnShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def change_column(self, table_id: str, column_id: str) -> Response:
        body: DataTableColumnChange = await read_model(model("DataTableColumnChange"))
        if body.name is None and body.index is None:
            raise InvalidInput("Give the column a name or an index.", details={"body": "has neither name nor index"})
        await self._tables.change_column(table_id, column_id, body.name, body.index)
        return json_response(await self._column(table_id, column_id))

    @operation(
        "Delete a column with its cells", operation_id="deleteDataTableColumn", scope=WRITE, status=204, tags=TAGS
    )
    async def delete_column(self, table_id: str, column_id: str) -> Response:
        await self._tables.delete_column(table_id, column_id)
        return Response(status=204)

    @operation(
        "Add rows to a data table",
        operation_id="addDataTableRows",
        scope=WRITE,
        request=schema("NewRows"),
        response=schema("RowsAnswer"),
        tags=TAGS,
    )
    async def add_rows(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        body: NewRows = await read_model(model("NewRows"))
        made = await self._tables.insert(table, body.data)
        if body.return_type == "all":
            return json_response(made)
        if body.return_type == "id":
            return json_response([{"id": row["id"]} for row in made])
        return json_response({"success": True, "insertedRows": len(made)})

    @operation(
        "Change the rows that a filter finds",
        operation_id="updateDataTableRows",
        scope=WRITE,
        request=schema("RowChange"),
        response=schema("RowsAnswer"),
        tags=TAGS,
    )
    async def update_rows(self, table_id: str) -> Response:
        return await self._changed(table_id, upsert=False)

    @operation(
        "Change the rows that a filter finds, or add one where there is none",
        operation_id="upsertDataTableRow",
        scope=WRITE,
        request=schema("RowChange"),
        response=schema("RowsAnswer"),
        tags=TAGS,
    )
    async def upsert_row(self, table_id: str) -> Response:
        return await self._changed(table_id, upsert=True)

    async def _changed(self, table_id: str, *, upsert: bool) -> Response:
        table = await self._tables.find(table_id)
        body: RowChange = await read_model(model("RowChange"))
        where = row_filter(table, body.filter, self._tables.settings.max_conditions)
        change = self._tables.upsert if upsert else self._tables.update
        rows = await change(table, where, body.data, dry=body.dry_run)
        return json_response(rows_answer(rows, shown=body.return_data or body.dry_run))

    @operation(
        "Delete the rows that a filter finds",
        operation_id="deleteDataTableRows",
        scope=WRITE,
        query=schema("RowsDeletion"),
        response=schema("RowsAnswer"),
        tags=TAGS,
    )
    async def delete_rows(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        query: RowsDeletion = read_query(model("RowsDeletion"))
        where = row_filter(table, filter_body(query.filter), self._tables.settings.max_conditions, query.search)
        rows = await self._tables.remove(table, where, dry=query.dry_run)
        return json_response(rows_answer(rows, shown=query.return_data or query.dry_run))

    @operation(
        "Delete all rows of a data table",
        operation_id="clearDataTableRows",
        scope=WRITE,
        response=schema("ClearedRows"),
        tags=TAGS,
    )
    async def clear_rows(self, table_id: str) -> Response:
        return json_response({"deletedCount": await self._tables.clear(await self._tables.find(table_id))})

    async def _column(self, table_id: str, column_id: str) -> dict[str, Json]:
        index, column = column_of(await self._tables.find(table_id), column_id)
        return column_view(column, table_id, index)


class OwnTableRoutes(TableRoutes):
    """Lists as all of ours."""

    name = "data_tables"

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._taking_over = TakingOver(context)

    def routes(self) -> Sequence[Route]:
        return (
            ("GET", "/data-tables", self.list_data_tables),
            ("GET", f"{ONE}/rows", self.list_rows),
            ("POST", f"{ONE}/rows/restore", self.restore_rows),
            ("GET", f"{ONE}/workflows", self.list_users),
            *super().routes(),
        )

    @operation(
        "List data tables",
        scope=READ,
        query=schema("DataTablesQuery"),
        response=schema("DataTablePage"),
        tags=TAGS,
    )
    async def list_data_tables(self) -> Response:
        query: DataTablesQuery = read_query(model("DataTablesQuery"))
        found = await self._context.store.data_tables(
            DataTableFilter(search=query.search or None),
            order=table_order(query.sort_by),
            descending=query.order == "desc",
            offset=query.offset,
            limit=query.limit,
        )
        rows: list[Json] = [table_view(table) for table in found.rows]
        return json_response({"data": rows, "total": found.total, "offset": query.offset, "limit": query.limit})

    @operation(
        "List rows of a data table: filtered, searched, sorted, a page at a time",
        operation_id="listDataTableRows",
        scope=READ,
        query=schema("DataTableRowsQuery"),
        response=schema("DataTableRowPage"),
        tags=TAGS,
    )
    async def list_rows(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        query: DataTableRowsQuery = read_query(model("DataTableRowsQuery"))
        most = self._tables.settings.max_conditions
        where = row_filter(table, filter_body(query.filter), most, query.search)
        order = row_order(table, query.sort_by, query.order)
        asked = {"offset": query.offset, "limit": query.limit}
        if query.after is None:
            page, last = await self._tables.page(table, where, order=order, **asked)
            return json_response({"data": list(page.rows), "total": page.total, **asked, "after": mark_text(last)})
        mark = read_mark(table, order, query.after)
        rows, last = await self._tables.rows_after(table, where, order=order, mark=mark, limit=query.limit)
        return json_response({"data": rows, "total": None, **asked, "after": mark_text(last)})

    @operation(
        "Put deleted rows back with their ids and times; where a row has the id, it stays as it is",
        operation_id="restoreDataTableRows",
        scope=WRITE,
        request=schema("RowsToRestore"),
        response=schema("RestoredRows"),
        tags=TAGS,
    )
    async def restore_rows(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        body: RowsToRestore = await read_model(model("RowsToRestore"))
        for row in body.data:
            row_id = row.get("id")
            if isinstance(row_id, bool) or not isinstance(row_id, int) or not 0 < row_id <= table.last_row:
                details = {"data": f"give each row an id from 1 to {table.last_row}"}
                raise TableRefusal("a row to restore has an id that no row of the table has had", details=details)
        return json_response({"restoredCount": await self._taking_over.add_rows(table_id, body.data)})

    @operation(
        "List the workflows whose nodes name a data table by its id or its name",
        operation_id="listDataTableWorkflows",
        scope="workflows:read",
        response=schema("DataTableUsers"),
        tags=TAGS,
    )
    async def list_users(self, table_id: str) -> Response:
        return json_response(await users_of(self._context, await self._tables.find(table_id)))
