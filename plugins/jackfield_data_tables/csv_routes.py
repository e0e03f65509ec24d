"""CSV files over the API: written a page at a time, and read from a file on the disk."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING, cast

from quart import Response, request

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, PayloadTooLarge, UnsupportedMediaType
from jackfield.api.http import SAVED, json_response, operation, read_query, save_as
from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import ColumnType, DataTable, RowFilter, RowMark, RowOrder
from jackfield_data_tables.asking import filter_body, model, row_filter, row_order, schema
from jackfield_data_tables.csv_forms import SIGNS
from jackfield_data_tables.csv_import import Import, Told, checked, stored
from jackfield_data_tables.csv_mapping import TakenColumns, taken_columns
from jackfield_data_tables.csv_preview import form_of, preview
from jackfield_data_tables.csv_texts import PIECE, CsvFile, Places, matched, written
from jackfield_data_tables.routes import ONE, READ, TAGS, WRITE, Route
from jackfield_data_tables.service import DataTables
from jackfield_data_tables.values import TableRefusal
from jackfield_data_tables.views import table_view

if TYPE_CHECKING:
    from jackfield_data_tables.schemas import CsvImportQuery, CsvPreviewQuery, CsvQuery, CsvTableQuery

CSV = "text/csv"
_IN_MEMORY = 256 * 1024
"""Bytes of a file that is not written to the disk."""
MOST_PREVIEWED = 1024 * 1024
"""Bytes of a file that a preview looks at."""
IMPORTING = "data_table.importing"
"""Type of the event, on the topic `workflows`, while a file is read for which somebody waits."""


class CsvRoutes:
    """Views of files."""

    name = "data_tables_csv"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tables = context.port(DataTables)

    def routes(self) -> Sequence[Route]:
        return (
            ("POST", "/data-tables/csv", self.create_from_csv),
            ("POST", "/data-tables/csv/preview", self.preview_csv),
            ("GET", f"{ONE}/csv", self.export_csv),
            ("POST", f"{ONE}/csv", self.import_csv),
        )

    @operation(
        "Write a data table as CSV: all rows, or those that a filter and a search find",
        operation_id="exportDataTableCsv",
        scope=READ,
        query=schema("CsvQuery"),
        tags=TAGS,
        media=(CSV,),
        headers=SAVED,
        act="data-table.export",
    )
    async def export_csv(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        query: CsvQuery = read_query(model("CsvQuery"))
        where = row_filter(table, filter_body(query.filter), self._tables.settings.max_conditions, query.search)
        order = row_order(table, query.sort_by, query.order)
        lines = self._lines(table, _header(table, query), SIGNS[query.delimiter], where, order)
        answer = Response(lines, content_type=f"{CSV}; charset=utf-8")
        save_as(answer, "data-table.csv")
        answer.timeout = None
        return answer

    async def _lines(
        self, table: DataTable, header: Sequence[str], sign: str, where: RowFilter, order: RowOrder
    ) -> AsyncIterator[bytes]:
        mark: RowMark | None = None
        while True:
            first = mark is None
            rows, mark = await self._tables.rows_after(table, where, order=order, mark=mark, limit=PIECE)
            yield await asyncio.to_thread(written, header, rows, sign=sign, first=first)
            if len(rows) < PIECE:
                return

    @operation(
        "Show how the beginning of a CSV file is read, and what its columns may become; nothing is stored",
        operation_id="previewDataTableCsv",
        scope=READ,
        query=schema("CsvPreviewQuery"),
        response=schema("CsvPreview"),
        tags=TAGS,
        errors=(UnsupportedMediaType, PayloadTooLarge),
        act=UNRECORDED,
    )
    async def preview_csv(self) -> Response:
        query: CsvPreviewQuery = read_query(model("CsvPreviewQuery"))
        async with _received() as file:
            found = await asyncio.to_thread(_previewed, file, query)
        return json_response(found)

    @operation(
        "Add the rows of a CSV file to a data table; its first line names the columns",
        operation_id="importDataTableCsv",
        scope=WRITE,
        query=schema("CsvImportQuery"),
        response=schema("CsvImported"),
        tags=TAGS,
        errors=(UnsupportedMediaType, PayloadTooLarge),
        act="data-table.import",
    )
    async def import_csv(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        query: CsvImportQuery = read_query(model("CsvImportQuery"))
        async with _received() as received:
            file = await _opened(received, query)
            if query.mapping is None:
                names = await asyncio.to_thread(file.names)
                places, ignored = matched(table, names)
                return await self._imported(table, Import(file, names, places, table.types()), query, ignored)
            header = await asyncio.to_thread(file.header)
            taken = taken_columns(query.mapping, header)
            self._tables.check_new_columns(table, list(taken.new))
            wanted = Import(file, header, taken.places, {**_own_types(table, taken), **taken.new})
            return await self._imported(table, wanted, query, [], taken.new)

    @operation(
        "Create a data table from a CSV file; its values tell the columns' types",
        operation_id="createDataTableFromCsv",
        scope=WRITE,
        query=schema("CsvTableQuery"),
        response=schema("CsvImported"),
        status=201,
        tags=TAGS,
        errors=(Conflict, UnsupportedMediaType, PayloadTooLarge),
        act="data-table.import",
    )
    async def create_from_csv(self) -> Response:
        query: CsvTableQuery = read_query(model("CsvTableQuery"))
        async with _received() as received:
            file = await _opened(received, query)
            header = await asyncio.to_thread(file.header)
            ignored: Sequence[str] = []
            places: Places
            if query.mapping is None:
                columns = dict(await asyncio.to_thread(file.columns))
                places = {place: name for place, name in enumerate(header) if name in columns}
                ignored = [name for name in header if name not in columns]
            else:
                taken = taken_columns(query.mapping, header)
                places, columns = taken.places, {name: taken.new.get(name, "string") for name in taken.places.values()}
            table = await self._tables.create(query.name, list(columns.items()))
            try:
                answer = await self._imported(table, Import(file, header, places, columns), query, ignored)
            except BaseException:
                await self._tables.delete(table.id)
                raise
        answer.status_code = 201
        return answer

    async def _imported(
        self,
        table: DataTable,
        wanted: Import,
        query: CsvImportQuery,
        ignored: Sequence[str],
        new: Mapping[str, ColumnType] | None = None,
    ) -> Response:
        """Every row is looked at before the first is stored. new: columns that the table gets first."""
        tell = self._telling(table.id, query.progress)
        await checked(self._tables, wanted, tell)
        for name, kind in (new or {}).items():
            await self._tables.add_column(table.id, name, kind, None)
        count = await stored(self._tables, table, wanted, tell, self._context.clock.now_ms())
        shown = table_view(await self._tables.find(table.id))
        return json_response({"importedRowCount": count, "systemColumnsIgnored": list(ignored), "table": shown})

    def _telling(self, table_id: str, progress: str) -> Told:
        def tell(phase: str, rows: int) -> None:
            if progress:
                told = {"dataTableId": table_id, "progress": progress, "phase": phase, "rows": rows}
                self._context.events.publish("workflows", IMPORTING, told)

        return tell


def _header(table: DataTable, query: CsvQuery) -> Sequence[str]:
    """Raises `TableRefusal`."""
    if query.columns is None:
        own = [column.name for column in table.columns]
        return ["id", *own, "createdAt", "updatedAt"] if query.system_columns else own
    names = [name.strip() for name in query.columns.split(",")]
    for name in names:
        if name not in table.types():
            raise TableRefusal(f"unknown column name '{name}'", details={"columns": f"{name} is no column"})
    return names


def _own_types(table: DataTable, taken: TakenColumns) -> Mapping[str, ColumnType]:
    """Raises `TableRefusal`."""
    types = {column.name: column.type for column in table.columns}
    for name in taken.places.values():
        if name not in taken.new and name not in types:
            raise TableRefusal(f"unknown column name '{name}'", details={"mapping": f"{name} is no column"})
    return types


async def _opened(file: IO[bytes], query: CsvImportQuery) -> CsvFile:
    return CsvFile(file, await asyncio.to_thread(form_of, file, query.encoding, query.delimiter))


def _previewed(file: IO[bytes], query: CsvPreviewQuery) -> dict[str, Json]:
    file.seek(0)
    sample = file.read(MOST_PREVIEWED + 1)
    whole = query.whole and len(sample) <= MOST_PREVIEWED
    return preview(sample[:MOST_PREVIEWED], query.encoding, query.delimiter, whole=whole)


@asynccontextmanager
async def _received() -> AsyncIterator[IO[bytes]]:
    """The request's body as a file. Raises `UnsupportedMediaType` and `PayloadTooLarge`."""
    kind = (request.content_type or "").split(";")[0].strip().lower()
    if kind != CSV:
        raise UnsupportedMediaType(f"Send the file as {CSV}.")
    limit, size = request.max_content_length, 0
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        async for chunk in request.body:
            size += len(chunk)
            if limit is not None and size > limit:
                raise PayloadTooLarge(f"The body may have at most {limit} bytes.")
            await asyncio.to_thread(file.write, chunk)
        yield cast("IO[bytes]", file)
