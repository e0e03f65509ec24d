"""Data tables of n8n. A table keeps its id, so that the nodes that name it need no change. Once it is here as a whole,
further imports leave it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.data_tables import ForeignTable, TableImport
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import COLUMN_TYPES, ColumnType
from jackfield.api.workflows import Problem
from jackfield_migration.bundle import BundleDocument
from jackfield_migration.identities import IdMap, foreign_id
from jackfield_migration.report import Result, Status, Told

DATA_TABLE = "dataTable"
_WHOLE = "whole"
"""In place of a digest: every part was stored."""
_NO_PLUGIN = "The plugin of data tables is not loaded."


class DataTableImport:
    """One import's tables, part by part."""

    def __init__(self, context: PluginContext, source: str, told: Told, *, dry_run: bool) -> None:
        self._told = told
        self._tables = context.find_port(TableImport)
        self._ids = IdMap(context, source, DATA_TABLE)
        self._dry_run = dry_run

    async def run(self, sources: Sequence[BundleDocument]) -> list[Result]:
        """One result per table that begins here, and one for each part that failed."""
        if not sources:
            return []
        await self._ids.load()
        results = [result for source in sources if (result := await self._one(source)) is not None]
        if not self._dry_run:
            await self._ids.save()
        return results

    async def _one(self, source: BundleDocument) -> Result | None:
        document, ident = source.document, foreign_id(source.document)
        status: Status
        problems: list[Problem] = []
        try:
            status = await self._kept(document, ident)
        except JackfieldError as exc:
            status = "refused" if isinstance(exc, InvalidInput) else "failed"
            problems.append(Problem("rows", exc.message))
        own = None if problems or self._dry_run else ident
        name = str(document.get("name") or "")[:128]
        result = Result(DATA_TABLE, name, ident, source.origin, status, own, problems=problems)
        if status == "created":
            self._told(result)
        return None if document.get("part") and not problems else result

    async def _kept(self, document: Mapping[str, Json], ident: str) -> Status:
        """Raises `JackfieldError`."""
        if self._tables is None:
            raise InvalidInput(_NO_PLUGIN)
        table = _foreign(document, ident)
        there = await self._tables.there(ident)
        if there and self._ids.digest(ident) == _WHOLE:
            return "unchanged"
        if self._dry_run:
            return "created"
        if there:
            await self._tables.add_rows(ident, table.rows)
        elif document.get("part"):
            raise InvalidInput("The first rows of the data table were not imported.")
        else:
            await self._tables.create(table)
        self._ids.own(ident, ident)
        if document.get("last", True):
            self._ids.imported(ident, _WHOLE)
        return "created"


def _foreign(document: Mapping[str, Json], ident: str) -> ForeignTable:
    """Raises `InvalidInput`."""
    columns = [_column(each) for each in _objects(document.get("columns"))]
    return ForeignTable(str(document.get("name") or ""), columns, _objects(document.get("rows")), ident)


def _column(given: Mapping[str, Json]) -> tuple[str, ColumnType]:
    for kind in COLUMN_TYPES:
        if kind == given.get("type"):
            return str(given.get("name") or ""), kind
    raise InvalidInput(f"The column {given.get('name')} has a type that data tables do not have.")


def _objects(value: Json) -> list[Mapping[str, Json]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
