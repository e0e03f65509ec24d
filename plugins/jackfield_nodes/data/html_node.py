"""HTML: takes values out of a document, makes documents and tables. The older HTML Extract does the first alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Literal, Protocol, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.javascript import to_string
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    Flag,
    NodeDescription,
    NodeError,
    NodeParameters,
    NodeResult,
    NodeRun,
    Parameters,
    needed,
)
from jackfield.api.nodes.files import content_of
from jackfield.api.nodes.items import new_item, pairs
from jackfield.api.nodes.running import ItemNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Items
from jackfield_nodes.data.form import EXTRACTION, HTML, HTML_EXTRACT, HTML_OPTIONS
from jackfield_nodes.data.html_table import TableRow, TableStyle, html_table
from jackfield_nodes.data.html_values import HtmlCleaning, HtmlWanted
from jackfield_nodes.files.formats.charsets import decoded
from jackfield_nodes.values.paths import get_path

EXTRACTED = "jackfield_nodes.data.html_reading:extracted"
"""Place of an `HtmlExtractor`, which needs a parser of HTML."""
_PARTS = re.compile(r"\{\{.*?\}\}", re.DOTALL)
"""Expressions in a text that is none as a whole."""
LARGE = 64 * 1024
"""Documents from that many characters on are parsed on a thread."""


class HtmlExtractor(Protocol):
    """See `html_reading.extracted`."""

    def __call__(
        self, html: str, wanted: Sequence[tuple[str, HtmlWanted]], cleaning: HtmlCleaning
    ) -> dict[str, Json]: ...


class Extraction(Parameters):
    ui_fields: ClassVar[UiFields] = EXTRACTION

    key: str = Field("", description="The field for the value.")
    css_selector: str = Field("", description="Which elements.")
    return_value: Literal["attribute", "html", "text", "value"] = Field("text", description="The part of them.")
    attribute: str = Field("", description="Which attribute.")
    skip_selectors: str = Field("", description="text: selectors of elements to leave out, separated by commas.")
    return_array: Flag = Field(False, description="All values as a list, instead of one.")


class Extractions(Parameters):
    values: list[Extraction] = Field(default_factory=list)


class HtmlOptions(Parameters, title="Options"):
    ui_fields: ClassVar[UiFields] = HTML_OPTIONS

    trim_values: Flag = Field(False, description="Without blanks at the ends.")
    clean_up_text: Flag = Field(False, description="Without line breaks and repeated blanks.")
    capitalize: Flag = Field(False, description="Table: `first_name` as First Name.")
    caption: str = Field("", description="Table: the caption of the table.")
    custom_styling: Flag = Field(False, description="Table: without the default style.")
    table_attributes: str = Field("", description='Attributes of the table, such as `class="wide"`.')
    header_attributes: str = Field("", description="Attributes of the header cells.")
    row_attributes: str = Field("", description="Attributes of the rows.")
    cell_attributes: str = Field("", description="Attributes of the cells.")


class HtmlParameters(Parameters, title="Html"):
    ui_fields: ClassVar[UiFields] = HTML

    operation: Literal["generateHtmlTemplate", "extractHtmlContent", "convertToHtmlTable"] = Field(
        "generateHtmlTemplate", description="The work that the node does."
    )
    html: object = Field("", description="generateHtmlTemplate: the document.")
    source_data: Literal["json", "binary"] = Field("json", description="extractHtmlContent: where the document is.")
    data_property_name: str = Field(
        "data",
        description="The field with the document, or with its file.",
        json_schema_extra=needed({"operation": ["extractHtmlContent"]}),
    )
    extraction_values: Extractions = Field(default_factory=Extractions)
    options: HtmlOptions = Field(default_factory=HtmlOptions)

    @classmethod
    def late(cls, parameters: Mapping[str, Json]) -> Collection[str]:
        """A document that is no expression may have some in it."""
        return ("html",) if isinstance(html := parameters.get("html"), str) and not html.startswith("=") else ()


class TrimmedOptions(HtmlOptions, title="Options"):
    trim_values: Flag = Field(True, description="Without blanks at the ends.")


class HtmlExtract(HtmlParameters, title="HtmlExtract"):
    """The older node, whose texts keep their line breaks."""

    ui_fields: ClassVar[UiFields] = HTML_EXTRACT

    options: TrimmedOptions = Field(default_factory=TrimmedOptions)

    operation: Literal["extractHtmlContent"] = Field("extractHtmlContent", description="The work that the node does.")


class HtmlNode(ItemNode):
    kind = "html"
    versions: Sequence[float] = (1, 1.1, 1.2)
    description = NodeDescription("HTML", "Takes values out of HTML, makes documents and tables.", "transform")
    model: type[NodeParameters] = HtmlParameters

    async def execute(self, run: NodeRun) -> NodeResult:
        if run.node.parameters.get("operation") == "convertToHtmlTable":
            return [await self._table(run)]
        return await super().execute(run)

    async def _table(self, run: NodeRun) -> Items:
        if not run.items:
            return []
        resolved: list[HtmlParameters] = await run.resolve()
        options = resolved[0].options
        own = [TableRow(each.options.row_attributes, each.options.cell_attributes) for each in resolved]
        style = TableStyle(
            options.table_attributes,
            options.header_attributes,
            plain=options.custom_styling,
            capitalize=options.capitalize,
            caption=options.caption,
        )
        rows = [item["json"] for item in run.items]
        made = await asyncio.to_thread(html_table, rows, own, style)
        return [new_item({"table": made}, pairs(range(len(rows))))]

    async def item(self, run: NodeRun, parameters: HtmlParameters, item: Item, index: int) -> Items:
        if parameters.operation == "generateHtmlTemplate":
            return [new_item({"html": await self._template(run, parameters.html, index)}, index)]
        wanted = [(each.key, _wanted(each)) for each in parameters.extraction_values.values]
        cleaning = self._cleaning(run, parameters.options)
        made: Items = []
        for document in await self._documents(run, parameters, item, index):
            found = await _off_loop(document, wanted, cleaning)
            made.append(new_item(found, index))
        return made

    @staticmethod
    async def _template(run: NodeRun, html: object, index: int) -> Json:
        """The document, with the values of the expressions in it."""
        written = run.node.parameters.get("html")
        if not isinstance(written, str):
            return html  # type: ignore[return-value]  # a resolved parameter is JSON
        made = written = written.removeprefix("=")  # n8n replaces each expression also where the whole is one
        for part in _PARTS.findall(written):
            made = made.replace(part, await _shown(run, part, index), 1)
        return made

    def _cleaning(self, run: NodeRun, options: HtmlOptions) -> HtmlCleaning:
        version = run.node.version or 1
        return HtmlCleaning(options.trim_values, options.clean_up_text, layout=version >= 1.2)

    @staticmethod
    async def _documents(run: NodeRun, parameters: HtmlParameters, item: Item, index: int) -> list[str]:
        """The document, or those of a list. Raises `NodeError`."""
        name = parameters.data_property_name
        if parameters.source_data == "binary":
            return [decoded(await content_of(run, item, name, index), "")]
        found, value = get_path(item["json"], name)
        if not found:
            raise NodeError(f"Item {index} has no field '{name}' with HTML; see the parameter dataPropertyName.")
        return [_text(each, name, index) for each in (value if isinstance(value, list) else [value])]


class HtmlExtractNode(HtmlNode):
    kind = "htmlExtract"
    versions: Sequence[float] = (1,)
    description = NodeDescription("HTML Extract", "Takes values out of HTML.", "transform")
    model: type[NodeParameters] = HtmlExtract

    def _cleaning(self, run: NodeRun, options: HtmlOptions) -> HtmlCleaning:
        return HtmlCleaning(options.trim_values, clean_up=False, layout=False, empty=True)


async def _shown(run: NodeRun, expression: str, index: int) -> str:
    """The output of an expression in the text. Raises `NodeError`."""
    value = (await run.evaluate({"html": f"={expression}"}, item=index))["html"]
    if value is not None:
        return to_string(value)
    text = (await run.evaluate({"html": f"={{{{ String({expression[2:-2]}) }}}}"}, item=index))["html"]
    return text if isinstance(text, str) else "undefined"


def _wanted(given: Extraction) -> HtmlWanted:
    skip = [selector.strip() for selector in given.skip_selectors.split(",") if selector.strip()]
    return HtmlWanted(given.css_selector, given.return_value, given.attribute, given.return_array, skip)


def _text(value: Json, name: str, index: int) -> str:
    if not isinstance(value, str):
        raise NodeError(f"The field '{name}' of item {index} is not text with HTML.")
    return value


async def _off_loop(html: str, wanted: Sequence[tuple[str, HtmlWanted]], cleaning: HtmlCleaning) -> dict[str, Json]:
    extracted = cast("HtmlExtractor", load(EXTRACTED))
    if len(html) < LARGE:
        return extracted(html, wanted, cleaning)
    return await asyncio.to_thread(extracted, html, wanted, cleaning)


def node(context: PluginContext) -> HtmlNode:
    return HtmlNode(context)
