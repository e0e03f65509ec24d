"""CSV files over the API: written a page at a time, and read from a file on the disk."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING, cast

from quart import Response, request

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, PayloadTooLarge, UnsupportedMediaType
from jackfield.api.http import SAVED, json_response, operation, read_query, save_as
from jackfield.api.storage.tables import DataTable, RowFilter, RowOrder
from jackfield_data_tables.asking import filter_body, model, row_filter, row_order, schema
from jackfield_data_tables.csv_texts import PIECE, CsvFile, Line, matched, written
from jackfield_data_tables.routes import ONE, READ, TAGS, WRITE, Route
from jackfield_data_tables.service import DataTables
from jackfield_data_tables.values import TableRefusal
from jackfield_data_tables.views import table_view

if TYPE_CHECKING:
    from jackfield_data_tables.schemas import CsvQuery, CsvTableQuery

CSV = "text/csv"
_IN_MEMORY = 256 * 1024
"""Bytes of a file that is not written to the disk."""


class CsvRoutes:
    """Views of files."""

    name = "data_tables_csv"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tables = context.port(DataTables)

    def routes(self) -> Sequence[Route]:
        return (
            ("POST", "/data-tables/csv", self.create_from_csv),
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
    )
    async def export_csv(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        query: CsvQuery = read_query(model("CsvQuery"))
        own = [column.name for column in table.columns]
        header = ["id", *own, "createdAt", "updatedAt"] if query.system_columns else own
        where = row_filter(table, filter_body(query.filter), self._tables.settings.max_conditions, query.search)
        order = row_order(table, query.sort_by, query.order)
        answer = Response(self._lines(table, header, where, order), content_type=f"{CSV}; charset=utf-8")
        save_as(answer, "data-table.csv")
        answer.timeout = None
        return answer

    async def _lines(
        self, table: DataTable, header: Sequence[str], where: RowFilter, order: RowOrder
    ) -> AsyncIterator[bytes]:
        offset = 0
        while True:
            found = await self._tables.page(table, where, order=order, offset=offset, limit=PIECE)
            yield await asyncio.to_thread(written, header, found.rows, first=offset == 0)
            offset += len(found.rows)
            if not found.rows or offset >= found.total:
                return

    @operation(
        "Add the rows of a CSV file to a data table; its first line names the columns",
        operation_id="importDataTableCsv",
        scope=WRITE,
        response=schema("CsvImported"),
        tags=TAGS,
        errors=(UnsupportedMediaType, PayloadTooLarge),
    )
    async def import_csv(self, table_id: str) -> Response:
        table = await self._tables.find(table_id)
        async with _received() as file:
            names = await asyncio.to_thread(CsvFile(file).names)
            found, ignored = matched(table, names)
            return await self._imported(table, file, found, ignored)

    @operation(
        "Create a data table from a CSV file; its values tell the columns' types",
        operation_id="createDataTableFromCsv",
        scope=WRITE,
        query=schema("CsvTableQuery"),
        response=schema("CsvImported"),
        status=201,
        tags=TAGS,
        errors=(Conflict, UnsupportedMediaType, PayloadTooLarge),
    )
    async def create_from_csv(self) -> Response:
        query: CsvTableQuery = read_query(model("CsvTableQuery"))
        async with _received() as file:
            columns = await asyncio.to_thread(CsvFile(file).columns)
            table = await self._tables.create(query.name, columns)
            try:
                names = await asyncio.to_thread(CsvFile(file).names)
                answer = await self._imported(table, file, *matched(table, names))
            except BaseException:
                await self._tables.delete(table.id)
                raise
        answer.status_code = 201
        return answer

    async def _imported(
        self, table: DataTable, file: IO[bytes], names: Mapping[str, str], ignored: Sequence[str]
    ) -> Response:
        """Every row is looked at before the first is stored."""
        async for piece in _pieces(file, names):
            await self._check(table, piece)
        count = 0
        async for piece in _pieces(file, names):
            count += len(await self._tables.insert(table, [row for _, row in piece]))
        shown = table_view(await self._tables.find(table.id))
        return json_response({"importedRowCount": count, "systemColumnsIgnored": list(ignored), "table": shown})

    async def _check(self, table: DataTable, piece: Sequence[Line]) -> None:
        """Raises `TableRefusal` with the line of the first row that does not fit."""
        try:
            await self._tables.checked_rows(table, [row for _, row in piece])
        except TableRefusal:
            for number, row in piece:
                try:
                    await self._tables.checked_rows(table, [row])
                except TableRefusal as exc:
                    raise exc.at_line(number) from None
            raise


async def _pieces(file: IO[bytes], names: Mapping[str, str]) -> AsyncIterator[list[Line]]:
    pieces: Iterator[list[Line]] = CsvFile(file).pieces(names)
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


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
