"""Documents of an item: its JSON, a text of its author's, or a file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, cast

from pydantic import Field, JsonValue

from jackfield.api.ai import DOCUMENT, TEXT_SPLITTER, Document, TextSplitter
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Text
from jackfield_ai.retrieval.form import LOADER, LOADER_OPTIONS, METADATA
from jackfield_ai.retrieval.splitting import RecursiveSplitter
from jackfield_ai.serving import splitter_of
from jackfield_ai.tools.toolbox import as_text

_PDF = "jackfield_ai.retrieval.pdf:text_of"
"""By object reference: few documents are PDFs, and `pypdf` is large."""


class MetadataRow(Parameters):
    name: str = ""
    value: JsonValue = None


class MetadataRows(Parameters):
    ui_fields: ClassVar[UiFields] = METADATA

    metadata_values: list[MetadataRow] = Field(default_factory=list)


class LoaderOptions(Parameters):
    ui_fields: ClassVar[UiFields] = LOADER_OPTIONS

    metadata: MetadataRows = Field(default_factory=MetadataRows)


class Loader(Parameters):
    ui_fields: ClassVar[UiFields] = LOADER

    data_type: Literal["json", "binary"] = "json"
    json_mode: Literal["allInputData", "expressionData"] = "allInputData"
    json_data: Text = ""
    binary_mode: Literal["allInputData", "specificField"] = "allInputData"
    binary_data_key: str = "data"
    loader: str = Field("auto", description="The file's own type decides.")
    text_splitting_mode: Literal["simple", "custom"] = "simple"
    options: LoaderOptions = Field(default_factory=LoaderOptions)


def text_of_file(content: bytes, media_type: str) -> str:
    """The text of a file. Raises `NodeError` for a type without one."""
    kind = media_type.partition(";")[0].strip().lower()
    if kind == "application/pdf" or content[:5] == b"%PDF-":
        return cast("Callable[[bytes], str]", load(_PDF))(content)
    textual = ("application/json", "application/xml", "application/csv", "application/x-ndjson", "application/yaml")
    if kind.startswith("text/") or kind in textual or kind.endswith(("+json", "+xml")):
        return content.decode("utf-8", "replace")
    raise NodeError(f"The file's type {kind or 'is unknown and'} cannot be read as text; extract its text before.")


class ItemDocuments:
    """`Documents` of one item."""

    def __init__(self, node: AttachedNode, item: int, parameters: Loader, splitter: TextSplitter) -> None:
        self._node = node
        self._item = item
        self._parameters = parameters
        self._splitter = splitter

    async def load(self) -> Sequence[Document]:
        metadata: dict[str, Json] = {}
        for row in self._parameters.options.metadata.metadata_values:
            if row.name:
                metadata[row.name] = row.value
        made: list[Document] = []
        for text in await self._texts():
            made += [Document(piece, metadata) for piece in await asyncio.to_thread(self._splitter.split, text)]
        return made

    async def _texts(self) -> list[str]:
        parameters, item = self._parameters, self._node.item(self._item)
        if parameters.data_type == "json":
            given = parameters.json_mode == "expressionData"
            return [parameters.json_data if given else as_text(item["json"])]
        files = item.get("binary") or {}
        names = [parameters.binary_data_key] if parameters.binary_mode == "specificField" else list(files)
        if not names:
            raise NodeError("The item has no file to load.", item=self._item)
        made = []
        for name in names:
            content = await self._node.binary(self._item, name)
            made.append(await asyncio.to_thread(text_of_file, content, files[name].get("mimeType", "")))
        return made


class LoaderNode(ServingNode):
    kind = "langchain.documentDefaultDataLoader"
    versions: Sequence[float] = (1, 1.1)
    model = Loader
    description = NodeDescription(
        "Default Data Loader",
        "Makes documents of the items.",
        "ai",
        inputs=0,
        provides=DOCUMENT,
        accepts=(TEXT_SPLITTER,),
    )

    async def supply(self, node: AttachedNode, item: int) -> ItemDocuments:
        parameters: Loader = await node.parameters(item)
        return ItemDocuments(node, item, parameters, await splitter_of(node, item) or RecursiveSplitter(1000, 200))


def loader(context: PluginContext, kind: str) -> LoaderNode:
    return LoaderNode(context)
