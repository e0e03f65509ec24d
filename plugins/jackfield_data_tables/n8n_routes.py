"""`/data-tables` of n8n's public API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.errors import InvalidInput, NotFound
from jackfield.api.http import json_response, operation, read_query
from jackfield.api.jsontext import Json
from jackfield.api.n8n_pages import asked_cursor, page
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield.api.records import replace
from jackfield.api.storage.tables import DataTable, DataTableFilter, RowOrder
from jackfield_data_tables.asking import (
    colon_order,
    filter_body,
    read_object,
    row_filter,
    row_order,
    schema,
    table_order,
)
from jackfield_data_tables.routes import ONE, READ, Route, TableRoutes
from jackfield_data_tables.views import n8n_view

if TYPE_CHECKING:
    from jackfield_data_tables.schemas import N8nDataTableRowsQuery, N8nDataTablesQuery

TAGS = ("n8n data tables",)
_FILTERS = ("id", "name", "projectId")


class N8nTableRoutes(TableRoutes):
    """Lists with cursors."""

    name = "n8n_data_tables"

    def routes(self) -> Sequence[Route]:
        return (
            ("GET", "/data-tables", self.list_data_tables),
            ("GET", f"{ONE}/rows", self.list_rows),
            *super().routes(),
        )

    def view(self, table: DataTable) -> dict[str, Json]:
        return n8n_view(table)

    @operation(
        "List data tables",
        scope=READ,
        query=schema("N8nDataTablesQuery"),
        response=schema("N8nDataTablePage"),
        tags=TAGS,
    )
    async def list_data_tables(self) -> Response:
        query: N8nDataTablesQuery = read_query(schema("N8nDataTablesQuery"))
        cursor = asked_cursor(query, query.offset)
        column, way = colon_order(query.sort_by or "updatedAt:desc")
        where = await self._of_project(query.filter)
        found = await self._context.store.data_tables(
            where, order=table_order(column), descending=way == "desc", offset=cursor.offset, limit=cursor.limit
        )
        rows: list[Json] = [n8n_view(table) for table in found.rows]
        return json_response(page(rows, cursor.after(len(rows), found.total)))

    async def _of_project(self, text: str | None) -> DataTableFilter:
        """n8n's filter of tables; one that names several projects names the first. Raises `InvalidInput`."""
        where = _wanted(text)
        projects = _list((read_object(text, "filter") if text else {}).get("projectId", []))
        try:
            await ask_about(self._context.find_port(ProjectAccess), str(projects[0]) if projects else None)
        except NotFound:
            return replace(where, ids=[])
        return where

    @operation(
        "List rows of a data table",
        operation_id="listDataTableRows",
        scope=READ,
        query=schema("N8nDataTableRowsQuery"),
        response=schema("N8nDataTableRowPage"),
        tags=TAGS,
    )
    async def list_rows(self, table_id: str) -> Response:
        query: N8nDataTableRowsQuery = read_query(schema("N8nDataTableRowsQuery"))
        table, cursor = await self._tables.find(table_id), asked_cursor(query, query.offset)
        order = row_order(table, *colon_order(query.sort_by)) if query.sort_by else RowOrder()
        body = filter_body(query.filter)
        where = row_filter(table, body, self._tables.settings.max_conditions, query.search or "")
        found, _ = await self._tables.page(table, where, order=order, offset=cursor.offset, limit=cursor.limit)
        return json_response(page(list(found.rows), cursor.after(len(found.rows), found.total)))


def _wanted(text: str | None) -> DataTableFilter:
    """n8n's filter of tables. Raises `InvalidInput`."""
    given = read_object(text, "filter") if text else {}
    for key, value in given.items():
        if key not in _FILTERS or not all(isinstance(each, str) for each in _list(value)):
            raise InvalidInput("Invalid filter fields", details={"filter": f"give {', '.join(_FILTERS)} as texts"})
    ids = [str(each) for each in _list(given["id"])] if "id" in given else None
    names = [str(each) for each in _list(given.get("name", []))]
    if len(names) > 1:
        raise InvalidInput("Invalid filter fields", details={"filter": "name one name"})
    return DataTableFilter(search=names[0] if names else None, ids=ids)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]
