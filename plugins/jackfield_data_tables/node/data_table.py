"""Data table: rows of a table in the daemon's store, and the tables themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.dates import iana_zone
from jackfield.api.errors import NotFound
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.nodes.items import new_item, new_items, passed_on
from jackfield.api.nodes.running import ModelNode, each
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.storage.tables import TABLE_ORDERS, DataTable, DataTableFilter, RowMark, RowOrder, TableOrder
from jackfield.api.workflows import Items
from jackfield_data_tables.node.errors import of_all, of_item
from jackfield_data_tables.node.parameters import DataTableParameters, TableLocator
from jackfield_data_tables.node.rows import columns_of, filter_of, row_of
from jackfield_data_tables.service import DataTables
from jackfield_data_tables.views import listed_view, node_view

PAGE = 1000
_PAUSE = 20
"""Items after which others get their turn."""
Work = Callable[[NodeRun, DataTableParameters, int], Awaitable[Items]]


class DataTableNode(ModelNode):
    """Rows are worked on per item; inserts of one table go to the store together."""

    kind = "dataTable"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription(
        "Data table", "Keeps rows in a data table of the daemon.", "transform", help="data-tables#the-node"
    )
    effect = True
    model = DataTableParameters

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tables = context.port(DataTables)
        self._rows: Mapping[str, Work] = {
            "insert": self._insert,
            "get": self._get,
            "update": self._update,
            "upsert": self._upsert,
            "deleteRows": self._delete_rows,
            "rowExists": self._exists,
            "rowNotExists": self._not_exists,
        }
        self._of_tables: Mapping[str, Work] = {
            "create": self._create,
            "list": self._list,
            "update": self._rename,
            "delete": self._delete,
            "clear": self._clear,
        }

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: Sequence[DataTableParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        works = self._of_tables if first.resource == "table" else self._rows
        work = works.get(first.operation)
        if work is None:
            raise NodeError(f"The operation {first.operation} is none of the resource {first.resource}.")
        if work == self._insert and not _computed(run):
            return [await of_all(run, lambda: self._insert_all(run, resolved))]
        made: Items = []
        async for index, _ in each(run.items, _PAUSE):
            made += await of_item(
                run, index, self._bound(work, run, resolved, index), tell_all=first.resource == "table"
            )
        return [made]

    @staticmethod
    def _bound(
        work: Work, run: NodeRun, resolved: Sequence[DataTableParameters], index: int
    ) -> Callable[[], Awaitable[Items]]:
        async def one() -> Items:
            return await work(run, resolved[index], index)

        return one

    async def _insert_all(self, run: NodeRun, resolved: Sequence[DataTableParameters]) -> Items:
        table = await self._chosen(resolved[0])
        rows = []
        async for index, _ in each(run.items):
            rows.append(row_of(run, resolved[index], index))
        made = await self._tables.insert(table, rows, iana_zone(run.execution.timezone))
        if resolved[0].options.optimize_bulk:
            return [{"json": _counted(len(made))}]
        return [new_item(row, index) for index, row in enumerate(made)]

    async def _insert(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        table = await self._chosen(given)
        row = row_of(run, given, index)
        made = await self._tables.insert(table, [row], iana_zone(run.execution.timezone))
        if given.options.optimize_bulk:
            return new_items([_counted(1)], index)
        return new_items(made, 0)  # as in n8n, whichever item it was

    async def _get(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        table = await self._chosen(given)
        order = RowOrder()
        if given.order_by and given.order_by_column:
            if given.order_by_column not in table.types():
                raise NodeError("Specified column does not exist", item=index)
            order = RowOrder(given.order_by_column, descending=given.order_by_direction.upper() == "DESC")
        limit = 0 if given.return_all else max(0, int(given.limit))
        return new_items(await self._found(run, given, table, limit, order), index)

    async def _found(
        self, run: NodeRun, given: DataTableParameters, table: DataTable, limit: int, order: RowOrder
    ) -> list[dict[str, Json]]:
        """limit: 0: all."""
        where = filter_of(run, given, table, self._tables.settings.max_conditions)
        found: list[dict[str, Json]] = []
        mark: RowMark | None = None
        while True:
            wanted = min(PAGE, limit - len(found)) if limit else PAGE
            rows, mark = await self._tables.rows_after(table, where, order=order, mark=mark, limit=wanted)
            found += rows
            if len(rows) < wanted or len(found) == limit:
                return found

    async def _update(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        return await self._change(run, given, index, upsert=False)

    async def _upsert(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        return await self._change(run, given, index, upsert=True)

    async def _change(self, run: NodeRun, given: DataTableParameters, index: int, *, upsert: bool) -> Items:
        table, dry = await self._chosen(given), _dry(given)
        row = row_of(run, given, index)
        where = filter_of(run, given, table, self._tables.settings.max_conditions)
        if not where.conditions:
            raise NodeError("At least one condition is required", item=index)
        change = self._tables.upsert if upsert else self._tables.update
        return new_items(await change(table, where, row, dry=dry, zone=iana_zone(run.execution.timezone)), index)

    async def _delete_rows(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        table, dry = await self._chosen(given), _dry(given)
        where = filter_of(run, given, table, self._tables.settings.max_conditions)
        if not where.conditions:
            raise NodeError("At least one condition is required", item=index)
        return new_items(await self._tables.remove(table, where, dry=dry), index)

    async def _exists(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        return await self._passed(run, given, index, when=True)

    async def _not_exists(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        return await self._passed(run, given, index, when=False)

    async def _passed(self, run: NodeRun, given: DataTableParameters, index: int, *, when: bool) -> Items:
        """The input item, when a row is there or not."""
        found = await self._found(run, given, await self._chosen(given), 1, RowOrder())
        return [passed_on(run.items[index], index)] if bool(found) == when else []

    async def _create(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        if given.options.create_if_not_exists:
            present = await self._tables.named(given.table_name)
            if present is not None and present.name == given.table_name:
                return new_items([listed_view(present)], index)
        return new_items([node_view(await self._tables.create(given.table_name, columns_of(given)))], index)

    async def _list(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        options = given.options
        sort = options.sort_field if options.sort_direction else ""
        order: TableOrder = sort if sort in TABLE_ORDERS else "updatedAt"
        descending = options.sort_direction.lower() != "asc" if sort else True
        where = DataTableFilter(search=options.filter_name or None)
        limit = self._tables.settings.max_tables if given.return_all else max(0, int(given.limit))
        page = await self._context.store.data_tables(where, order=order, descending=descending, offset=0, limit=limit)
        return new_items([listed_view(table) for table in page.rows], index)

    async def _rename(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        table = await self._chosen(given)
        await self._tables.rename(table.id, given.new_name)
        return new_items([{"success": True, "name": given.new_name}], index)

    async def _delete(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        table = await self._chosen(given)
        await self._tables.delete(table.id)
        named = given.data_table_id.value if isinstance(given.data_table_id, TableLocator) else given.data_table_id
        return new_items([{"success": True, "deletedTableId": named}], index)

    async def _clear(self, run: NodeRun, given: DataTableParameters, index: int) -> Items:
        count = await self._tables.clear(await self._chosen(given))
        return new_items([{"success": True, "deletedCount": count}], index)

    async def _chosen(self, given: DataTableParameters) -> DataTable:
        """Raises `NodeError`."""
        chosen = given.data_table_id
        locator = chosen if isinstance(chosen, TableLocator) else TableLocator(value=chosen or "")
        value = locator.value or ""
        if locator.mode == "name":
            found = await self._tables.named(value)
            if found is None:
                raise NodeError(f'Data table with name "{value}" not found')
            return found
        try:
            return await self._tables.find(value)
        except NotFound:
            raise NodeError(
                f"Data table with ID '{value}' could not be found in this project",
                description="Choose an existing data table in the node, or create it.",
            ) from None


def _computed(run: NodeRun) -> bool:
    """Whether an expression chooses the table, so that each item may have another."""
    chosen = run.node.parameters.get("dataTableId")
    value = chosen.get("value") if isinstance(chosen, dict) else chosen
    return isinstance(value, str) and "{" in value


def _dry(given: DataTableParameters) -> bool:
    """Raises `NodeError`."""
    dry = given.options.dry_run
    if not isinstance(dry, bool):
        raise NodeError(f"unexpected input {dumps(dry).decode()} for boolean dryRun")
    return dry


def _counted(count: int) -> dict[str, Json]:
    return {"success": True, "insertedRows": count}


def node(context: PluginContext) -> DataTableNode:
    return DataTableNode(context)
