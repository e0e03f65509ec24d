"""Extract from File: what is in a file, as items.

Operations that make rows give one item per row; the others put the content into one field.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, Protocol, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import Flag, NodeDescription, NodeError, NodeRun, Parameters, needed
from jackfield.api.nodes.items import new_item, new_items
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Items
from jackfield_nodes.files.form import EXTRACT, EXTRACT_OPTIONS
from jackfield_nodes.files.formats.charsets import decoded
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.reading import TableFormat, TableReading, file_content, table_of
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.values.conversions import UnfitValue
from jackfield_nodes.values.paths import set_path

READ_CALENDAR = "jackfield_nodes.files.formats.calendars:read_calendar"
READ_PDF = "jackfield_nodes.files.formats.pdf:read_pdf"
"""Their libraries are loaded with the first such file."""
TABLES: Sequence[TableFormat] = ("csv", "html", "ods", "rtf", "xls", "xlsx")


class PdfReader(Protocol):
    """See `formats.pdf.read_pdf`."""

    def __call__(
        self, content: bytes, budget: FileBudget, *, password: str, most: int | None, join: bool
    ) -> dict[str, Json]: ...


class ExtractOptions(TableReading, title="Options"):
    ui_fields: ClassVar[UiFields] = EXTRACT_OPTIONS

    join_pages: Flag = Field(True, description="PDF: all pages as one text.")
    keep_source: Literal["", "json", "binary", "both"] = Field(
        "", description="The part of the input item that is kept."
    )
    max_pages: int = Field(-1, ge=-1, description="PDF: pages to read at most; -1: all.")
    password: str = Field("", description="PDF: its password.", json_schema_extra={"secret": True})
    strip_bom: Flag = Field(True, alias="stripBOM", description="Texts without their byte order mark.")


class ExtractFromFile(Parameters, title="Extract"):
    ui_fields: ClassVar[UiFields] = EXTRACT

    operation: Literal[
        "csv",
        "html",
        "fromJson",
        "ics",
        "fromIcs",
        "ods",
        "pdf",
        "rtf",
        "text",
        "xml",
        "xls",
        "xlsx",
        "binaryToPropery",
        "binaryToProperty",
    ] = Field("csv", description="The kind of the file, and its result.")
    binary_property_name: str = Field("data", description="The field with the file.", json_schema_extra=needed())
    destination_key: str = Field(
        "data",
        description="The field for the content, where it is one value.",
        json_schema_extra=needed({"operation": ["binaryToPropery", "fromJson", "text", "fromIcs", "xml"]}),
    )
    options: ExtractOptions = Field(default_factory=ExtractOptions)


class ExtractNode(ItemNode):
    kind = "extractFromFile"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription("Extract From File", "Makes items of what is in a file.", "transform")
    model = ExtractFromFile

    async def item(self, run: NodeRun, parameters: ExtractFromFile, item: Item, index: int) -> Items:
        name, operation, options = parameters.binary_property_name, parameters.operation, parameters.options
        content = await file_content(self._context, run, item, name, index)
        if operation in TABLES:
            rows = await table_of(self._context, content, operation, options, tolerant=(run.node.version or 1) <= 1)  # type: ignore[arg-type]  # one of TABLES
            return new_items(rows, index)
        if operation == "pdf":
            return [_kept(item, await self._pdf(content, options), parameters, index)]
        value = await asyncio.to_thread(self._value, content, parameters)
        made: dict[str, Json] = dict(item["json"]) if options.keep_source in ("json", "both") else {}
        return [_kept(item, _with_value(made, parameters.destination_key, value), parameters, index)]

    async def _pdf(self, content: bytes, options: ExtractOptions) -> dict[str, Json]:
        return await asyncio.to_thread(_pdf, content, FileBudget(self._context.settings(FilesSettings)), options)

    def _value(self, content: bytes, parameters: ExtractFromFile) -> Json:
        if parameters.operation.startswith("binaryTo"):
            return base64.b64encode(content).decode("ascii")
        text = decoded(content, parameters.options.encoding)
        if parameters.operation in ("ics", "fromIcs"):
            read_calendar = cast("Callable[[str, FileBudget], dict[str, Json]]", load(READ_CALENDAR))
            return read_calendar(text, FileBudget(self._context.settings(FilesSettings)))
        if parameters.operation == "fromJson":
            return parsed(text) if text else {}
        return text


def _pdf(content: bytes, budget: FileBudget, options: ExtractOptions) -> dict[str, Json]:
    most = None if options.max_pages < 0 else options.max_pages
    read_pdf = cast("PdfReader", load(READ_PDF))
    return read_pdf(content, budget, password=options.password, most=most, join=options.join_pages)


def parsed(text: str) -> Json:
    """The value of a JSON file. Raises `NodeError`."""
    try:
        return loads(text, max_depth=200)
    except InvalidInput as exc:
        reason = (exc.details or {}).get("body", exc.message)
        raise NodeError(f"The file is not valid JSON: {reason}.") from None


def _with_value(json: dict[str, Json], key: str, value: Json) -> dict[str, Json]:
    """An object without a field to put it into takes the place of all."""
    if not key and isinstance(value, dict):
        return {**json, **value}
    try:
        set_path(json, key or "data", value)
    except UnfitValue as exc:
        raise NodeError(f"The content cannot be put into {key}: {exc}.") from None
    return json


def _kept(item: Item, json: dict[str, Json], parameters: ExtractFromFile, index: int) -> Item:
    """The output item, with those files that stay: all but the one that was read, unless it is to be kept."""
    keep = parameters.options.keep_source
    if parameters.operation == "pdf" and keep in ("json", "both"):
        json = {**item["json"], **json}
    files = dict(item.get("binary") or {})
    if keep not in ("binary", "both"):
        files.pop(parameters.binary_property_name, None)
    made = new_item(json, index)
    if files:
        made["binary"] = files
    return made


def node(context: PluginContext) -> ExtractNode:
    return ExtractNode(context)
