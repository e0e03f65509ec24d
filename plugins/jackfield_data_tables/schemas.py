"""Queries, bodies and answers of `/data-tables`, in both of its forms."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, RootModel
from pydantic.alias_generators import to_camel

from jackfield.api.n8n_pages import CursorPage, CursorQuery, N8nOffset
from jackfield.api.schemas import Schema

TableName = Annotated[str, Field(min_length=1, max_length=128)]
ColumnName = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^\s*[a-zA-Z][a-zA-Z0-9_]*\s*$")]
CellValue = str | bool | int | float | None
RowValues = dict[str, CellValue]
TypeName = Literal["string", "number", "boolean", "date"]
FilterText = Annotated[
    str,
    Field(
        max_length=65_536,
        description='JSON: {"type": "and" or "or", "filters": [{"columnName", "condition", "value"}]}; conditions: '
        "eq, neq, like, ilike, gt, gte, lt, lte, isEmpty, isNotEmpty.",
    ),
]


class _Named(Schema):
    """Names are camelCase outside."""

    model_config = ConfigDict(alias_generator=to_camel)


class _Body(_Named):
    model_config = ConfigDict(extra="forbid")


class _Shown(_Named):
    model_config = ConfigDict(extra="allow")


class NewDataTableColumn(_Body):
    """A column. index: its place from 0; default: the end."""

    name: ColumnName
    type: TypeName
    index: int | None = Field(None, ge=0, le=1000)


class DataTableColumnChange(_Body):
    """Another name, another place, or both."""

    name: ColumnName | None = None
    index: int | None = Field(None, ge=0, le=1000)


class NewDataTable(_Body):
    name: TableName
    columns: list[NewDataTableColumn] = Field(default_factory=list, max_length=1000)
    project_id: str | None = None


class DataTableRename(_Body):
    name: TableName


class RowCondition(_Body):
    column_name: str = Field(min_length=1, max_length=63)
    condition: Literal["eq", "neq", "like", "ilike", "gt", "gte", "lt", "lte", "isEmpty", "isNotEmpty"] = "eq"
    value: CellValue = None


class RowFilterBody(_Body):
    """Conditions on rows, joined by and, or by or."""

    type: Literal["and", "or"] = "and"
    filters: list[RowCondition] = Field(default_factory=list, max_length=400)


class NewRows(_Body):
    """Rows to add. returnType: `count`: how many; `id`: their ids; `all`: whole rows."""

    data: list[RowValues]
    return_type: Literal["count", "id", "all"] = "count"


class RowChange(_Body):
    """The rows that the filter finds get these values. `returnData`: answer with the rows. `dryRun`: change nothing,
    and answer with the rows as they are and as they would be."""

    filter: RowFilterBody
    data: RowValues
    return_data: bool = False
    dry_run: bool = False


class RowsDeletion(_Named):
    """As `RowChange`. search: and only rows with such a cell."""

    filter: FilterText
    search: str = Field("", max_length=10_000)
    return_data: bool = False
    dry_run: bool = False


class RowsToRestore(_Body):
    """Whole rows, each as the answer that showed it had it."""

    data: list[RowValues] = Field(min_length=1, max_length=1000)


class RestoredRows(_Shown):
    restored_count: int


class DataTableUser(_Shown):
    """A workflow. nodes: the names of those that name the table."""

    id: str
    name: str
    active: bool
    nodes: list[str]


class DataTableUsers(_Shown):
    """truncated: there are more workflows with such nodes than one answer looks at."""

    data: list[DataTableUser]
    truncated: bool


class DataTablesQuery(_Named):
    """search: a part of the name, in any case."""

    offset: int = Field(0, ge=0)
    limit: int = Field(50, ge=1, le=100)
    search: str = Field("", max_length=128)
    sort_by: Literal["name", "createdAt", "updatedAt", "size"] = "updatedAt"
    order: Literal["asc", "desc"] = "desc"


class _RowsWanted(_Named):
    """search: what a cell holds, in any case; with `%` a pattern for a whole cell."""

    filter: FilterText | None = None
    search: str = Field("", max_length=10_000)
    sort_by: str = Field("id", max_length=63, description="The name of a column.")
    order: Literal["asc", "desc"] = "asc"


class DataTableRowsQuery(_RowsWanted):
    """`search`: what a cell holds, in any case; with `%` a pattern for a whole cell. `after`: that of the page before,
    in the same order. Then `offset` has no effect, rows that come and go shift nothing, and `total` is null."""

    after: str | None = Field(None, max_length=2_000)
    offset: int = Field(0, ge=0)
    limit: int = Field(100, ge=1, le=1000)


class N8nDataTablesQuery(CursorQuery):
    filter: str | None = Field(None, max_length=65_536, description="JSON with id, name or projectId.")
    sort_by: str | None = Field(None, description="name, createdAt, updatedAt or size, then :asc or :desc.")
    offset: N8nOffset = 0


class N8nDataTableRowsQuery(CursorQuery):
    filter: FilterText | None = None
    sort_by: str | None = Field(None, description="A column, then :asc or :desc.")
    search: str | None = Field(None, max_length=10_000)
    offset: N8nOffset = 0


class DataTableColumnShown(_Shown):
    id: str
    data_table_id: str
    name: str
    type: TypeName
    index: int
    created_at: str
    updated_at: str


class DataTableColumnsShown(RootModel[list[DataTableColumnShown]]):
    """In their order."""


class DataTableShown(_Shown):
    """rows: how many there are, which n8n's form leaves out; sizeBytes: what they take."""

    id: str
    name: str
    columns: list[DataTableColumnShown]
    rows: int | None = None
    size_bytes: int
    created_at: str
    updated_at: str


class DataTablePage(_Shown):
    data: list[DataTableShown]
    total: int
    offset: int
    limit: int


class N8nDataTablePage(CursorPage):
    data: list[DataTableShown]


class DataTableRowShown(_Shown):
    """A cell per column, beside the row's own."""

    id: int | None
    created_at: str | None
    updated_at: str | None


class DataTableRowPage(_Shown):
    """after: for the query of the page that follows; null where no row is, or its cell is too long for an address."""

    data: list[DataTableRowShown]
    total: int | None
    offset: int
    limit: int
    after: str | None


class N8nDataTableRowPage(CursorPage):
    data: list[DataTableRowShown]


class RowsAnswer(RootModel[JsonValue]):
    """Rows, ids, true, or what was counted, as the request asks."""


class ClearedRows(_Shown):
    deleted_count: int


class _CsvForm(_Named):
    delimiter: Literal["comma", "semicolon", "tab", "pipe"] | None = Field(
        None,
        description="The character between cells. Default: the one that gives the first lines equally many cells.",
    )
    encoding: Literal["utf-8", "utf-16", "latin-1", "windows-1252"] | None = None


class CsvQuery(_RowsWanted):
    """Which rows, in which order, as of the list of rows. systemColumns: with id, createdAt and updatedAt, unless
    columns names those that are wanted."""

    system_columns: bool = True
    columns: str | None = Field(None, max_length=65_536, description="Names with commas between them, in their order.")
    delimiter: Literal["comma", "semicolon", "tab", "pipe"] = "comma"


class CsvPreviewQuery(_CsvForm):
    """`encoding`: default: the one that the file seems to have. `whole`: the body is the whole file, and not its
    beginning, whose last line may be cut off."""

    whole: bool = True


class CsvColumnTaken(_Body):
    """A column of the file that is taken. `place`: in the file, from 0. `name`: of the table's column. `type`: of a new
    column, which the table gets before its rows."""

    place: int = Field(ge=0, le=100_000)
    name: ColumnName
    type: TypeName | None = None


class CsvMapping(_Body):
    """Which columns of a file are taken; the others are left out."""

    columns: list[CsvColumnTaken] = Field(min_length=1, max_length=1000)


class CsvImportQuery(_CsvForm):
    """encoding: default: the one that the file's mark names, else utf-8. progress: a name that events of the import
    carry."""

    mapping: str | None = Field(
        None,
        max_length=262_144,
        description='JSON: {"columns": [{"place", "name", "type"}]}: the columns of the file that are taken, '
        "by their place from 0, and the table's columns for them. With a type the column is a new one. Default: "
        "all columns, by their names.",
    )
    progress: str = Field("", max_length=64)


class CsvTableQuery(CsvImportQuery):
    name: TableName


class CsvPreviewColumn(_Shown):
    """suggestedName: a name that a column may have; type: that of its first value."""

    name: str
    suggested_name: str
    type: TypeName


class CsvPreview(_Shown):
    """rows: the cells of the first ones, cut after 200 characters."""

    encoding: Literal["utf-8", "utf-16", "latin-1", "windows-1252"]
    delimiter: Literal["comma", "semicolon", "tab", "pipe"]
    columns: list[CsvPreviewColumn]
    rows: list[list[str]]


class CsvImported(_Shown):
    """ignored: columns of the file that every table has itself."""

    imported_row_count: int
    system_columns_ignored: list[str]
    table: DataTableShown
