"""Spreadsheet File, which Extract From File and Convert to File have replaced: the same readers and writers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.nodes import Flag, NodeDescription, NodeParameters, NodeResult, NodeRun, Parameters, needed
from jackfield.api.nodes.files import file_of
from jackfield.api.nodes.items import new_item, new_items, pairs
from jackfield.api.nodes.running import ItemNode, made_at_once
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Item, Items, Outputs
from jackfield_nodes.files.form import SPREADSHEET
from jackfield_nodes.files.reading import TableReading, file_content, format_of, table_of
from jackfield_nodes.files.writing import TableWriting, table_file


class SpreadsheetOptions(TableReading):
    """Of reading and of writing."""

    file_name: str | None = Field(None, description="toFile: the file's name.")
    compression: Flag = Field(False, description="toFile: sheets are packed always.")

    def writing(self) -> TableWriting:
        return TableWriting(
            file_name=self.file_name,
            header_row=self.header_row,
            sheet_name=self.sheet_name or "Sheet",
        )


class Spreadsheet(Parameters):
    ui_fields: ClassVar[UiFields] = SPREADSHEET

    operation: Literal["fromFile", "toFile"] = Field("fromFile", description="Which way.")
    file_format: Literal["", "autodetect", "csv", "html", "ods", "rtf", "xls", "xlsx"] = Field(
        "", description="fromFile: told by the file unless given; toFile: xls unless given."
    )
    binary_property_name: str = Field(
        "data", description="The field that has the file, or gets the file.", json_schema_extra=needed()
    )
    options: SpreadsheetOptions = Field(default_factory=SpreadsheetOptions)


class SpreadsheetNode(ItemNode):
    kind = "spreadsheetFile"
    versions: Sequence[float] = (1, 2)
    description = NodeDescription("Spreadsheet File", "Reads and makes spreadsheets.", "transform")
    model: type[NodeParameters] = Spreadsheet

    async def execute(self, run: NodeRun) -> NodeResult:
        if run.node.parameters.get("operation") != "toFile":
            return await super().execute(run)
        if not run.items:
            return [[]]

        async def work() -> Outputs:
            return [[await self._to_file(run)]]

        return await made_at_once(run, work)

    async def _to_file(self, run: NodeRun) -> Item:
        given: Spreadsheet = await run.resolve_first()
        kind = given.file_format if given.file_format not in ("", "autodetect") else "xls"
        file = await table_file(run, run.items, kind, given.options.writing(), "spreadsheet")
        return new_item({}, pairs(range(len(run.items))), {given.binary_property_name: file})

    async def item(self, run: NodeRun, parameters: Spreadsheet, item: Item, index: int) -> Items:
        name = parameters.binary_property_name
        file = file_of(item, name, index)
        content = await file_content(self._context, run, item, name, index)
        given = parameters.file_format
        kind = format_of(file, content) if given == "" or given == "autodetect" else given
        rows = await table_of(self._context, content, kind, parameters.options, tolerant=True)
        return new_items(rows, index)


def node(context: PluginContext) -> SpreadsheetNode:
    return SpreadsheetNode(context)
