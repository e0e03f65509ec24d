"""Convert to File: items, or one of their fields, as a file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeParameters, NodeResult, NodeRun, needed
from jackfield.api.nodes.files import kept_file
from jackfield.api.nodes.items import new_item, pairs
from jackfield.api.nodes.running import ItemNode, made_at_once
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import BinaryData, Item, Items, Outputs
from jackfield_nodes.files.convert_event import EventParameters, event_file
from jackfield_nodes.files.form import CONVERT, CONVERT_OPTIONS
from jackfield_nodes.files.writing import (
    MARKED,
    TABLES,
    TableWriting,
    TextForm,
    base64_content,
    json_content,
    named,
    table_file,
    text_content,
)
from jackfield_nodes.values.paths import get_path
from jackfield_nodes.values.zones import zone_of


class ConvertOptions(TableWriting, title="Options"):
    ui_fields: ClassVar[UiFields] = CONVERT_OPTIONS

    encoding: str = Field("", description="toJson, toText, toBinary: UTF-8 unless given.")
    add_bom: Flag = Field(
        False, alias="addBOM", description="toJson, toText: with a byte order mark, if encoding is utf8, cesu8 or ucs2."
    )
    mime_type: str = Field("", description="toBinary: the file's media type.")
    data_is_base64: Flag = Field(True, alias="dataIsBase64", description="toBinary: whether the field is base64.")
    format: Flag = Field(False, description="toJson: on several lines.")

    def text(self) -> TextForm:
        return TextForm(self.encoding, self.add_bom and self.encoding in MARKED, self.format)


class Convert(EventParameters):
    ui_fields: ClassVar[UiFields] = CONVERT
    ui_order: ClassVar[Sequence[str]] = (
        "operation",
        "mode",
        "sourceProperty",
        "title",
        "start",
        "end",
        "allDay",
        "binaryPropertyName",
    )

    operation: Literal["csv", "html", "iCal", "toJson", "ods", "rtf", "toText", "xls", "xlsx", "toBinary"] = Field(
        "csv", description="The kind of the new file."
    )
    mode: Literal["once", "each"] = Field("once", description="toJson: one file of all items, or one of each.")
    source_property: str = Field(
        "",
        description="toText, toBinary: the field with the content.",
        json_schema_extra=needed({"operation": ["toText", "toBinary"]}),
    )
    binary_property_name: str = Field("data", description="The field for the file.", json_schema_extra=needed())
    options: ConvertOptions = Field(default_factory=ConvertOptions)


class ConvertNode(ItemNode):
    kind = "convertToFile"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Convert to File", "Makes files of items.", "transform")
    model: type[NodeParameters] = Convert

    async def execute(self, run: NodeRun) -> NodeResult:
        given = run.node.parameters
        operation = given.get("operation") or "csv"
        if operation not in TABLES and (operation != "toJson" or given.get("mode") == "each"):
            return await super().execute(run)
        if not run.items:
            return [[]]

        async def work() -> Outputs:
            return [[await self._of_all(run, await run.resolve_first())]]

        # In n8n JSON of all items that cannot be made fails the whole node, and tables do not.
        return await (work() if operation == "toJson" else made_at_once(run, work))

    async def _of_all(self, run: NodeRun, parameters: Convert) -> Item:
        options = parameters.options
        if parameters.operation == "toJson":
            rows: list[Json] = [item["json"] for item in run.items]
            content = await asyncio.to_thread(json_content, rows, options.text())
            name = options.file_name or "file.json"
            file = await kept_file(run, content, mime_type="application/json", file_name=name)
        else:
            file = await table_file(run, run.items, parameters.operation, options, "File")
        return new_item({}, pairs(range(len(run.items))), {parameters.binary_property_name: file})

    async def item(self, run: NodeRun, parameters: Convert, item: Item, index: int) -> Items:
        file = await self._of_one(run, parameters, item, index)
        return [new_item({}, index, {parameters.binary_property_name: file})]

    async def _of_one(self, run: NodeRun, parameters: Convert, item: Item, index: int) -> BinaryData:
        options = parameters.options
        if parameters.operation == "iCal":
            content = await asyncio.to_thread(event_file, parameters, zone_of(run), self._context.clock.now_ms())
            name = parameters.additional_fields.file_name or "event.ics"
            return await kept_file(run, content, mime_type="text/calendar", file_name=name)
        if parameters.operation == "toJson":
            content = json_content(item["json"], options.text())
            name = options.file_name or "file.json"
            return await kept_file(run, content, mime_type="application/json", file_name=name)
        value = _source(item, parameters.source_property, index)
        if parameters.operation == "toText":
            kind = "application/json" if isinstance(value, dict | list) or value is None else "text/plain"
            content = text_content(value, options.text())
            return await kept_file(run, content, mime_type=kind, file_name=options.file_name or "file.txt")
        return await self._binary(run, value, options)

    @staticmethod
    async def _binary(run: NodeRun, value: Json, options: ConvertOptions) -> BinaryData:
        kind = ""
        if options.data_is_base64 or (run.node.version or 1) > 1:
            content, kind = await asyncio.to_thread(base64_content, value)
        else:
            content = text_content(value, options.text())
            kind = "application/json" if isinstance(value, dict | list) or value is None else ""
        file = await kept_file(run, content, mime_type=options.mime_type or kind, file_name=options.file_name)
        return named(file)


def _source(item: Item, name: str, index: int) -> Json:
    if not name:
        raise NodeError("The parameter sourceProperty is empty; name the field with the content.")
    found, value = get_path(item["json"], name)
    if not found:
        raise NodeError(f"Item {index} has no field '{name}'; see the parameter sourceProperty.")
    return value


def node(context: PluginContext) -> ConvertNode:
    return ConvertNode(context)
