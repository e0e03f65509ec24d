"""The port `TableImport`: tables of other systems, with the ids and times of their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC

from jackfield.api.context import PluginContext
from jackfield.api.data_tables import ForeignTable
from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import SYSTEM_COLUMNS, DataTableFilter, NewDataRow
from jackfield_data_tables.service import MOST_NAME, DataTables, table_name
from jackfield_data_tables.values import TableRefusal, moment_of

_ID = re.compile(r"[A-Za-z0-9-]{1,36}")
_MOST_TRIES = 1000
_LARGEST_ID = 2**53


class TakingOver:
    """`jackfield.api.data_tables.TableImport`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tables = context.port(DataTables)

    async def create(self, table: ForeignTable) -> str:
        if table.id and not _ID.fullmatch(table.id):
            raise TableRefusal("the id of a data table has letters and digits, at most 36")
        name = await self._free(table_name(table.name))
        made = await self._tables.create(name, table.columns, table.id)
        try:
            await self.add_rows(made.id, table.rows)
        except JackfieldError:
            await self._tables.delete(made.id)
            raise
        return made.id

    async def add_rows(self, table_id: str, rows: Sequence[Mapping[str, Json]]) -> int:
        table = await self._tables.find(table_id)
        own = [{name: value for name, value in row.items() if name not in SYSTEM_COLUMNS} for row in rows]
        cells = await self._tables.checked_rows(table, own)
        new = [
            NewDataRow(held, _id(row.get("id")), _time(row.get("createdAt")), _time(row.get("updatedAt")))
            for row, held in zip(rows, cells, strict=True)
        ]
        await self._tables.check_size(sum(len(str(value)) for row in own for value in row.values()))
        made = await self._context.store.add_data_rows(table_id, new, now=self._context.clock.now_ms())
        self._tables.tell(table_id)
        return len(made)

    async def there(self, table_id: str) -> bool:
        return await self._context.store.data_table(table_id) is not None

    async def _free(self, name: str) -> str:
        tried = name
        for number in range(2, _MOST_TRIES):
            where = DataTableFilter(name=tried)
            page = await self._context.store.data_tables(where, order="name", descending=False, offset=0, limit=1)
            if not page.total:
                break
            ending = f" {number}"
            tried = name[: MOST_NAME - len(ending)] + ending
        return tried


def _id(value: Json) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _LARGEST_ID:
        raise TableRefusal("the id of a row is no whole number above 0")
    return value


def _time(value: Json) -> int | None:
    if not isinstance(value, str | int | float):
        return None
    try:
        return moment_of(value, UTC)
    except (ValueError, OverflowError):
        raise TableRefusal(f"the time {str(value)[:40]!r} of a row is no date") from None
