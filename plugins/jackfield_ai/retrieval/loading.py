"""Documents of an item: its JSON, a text of its author's, or a file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.ai import DOCUMENT, TEXT_SPLITTER, Document, TextSplitter
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.retrieval.file_texts import FileReading, documents_of_file
from jackfield_ai.retrieval.form import FILE_LOADER_OPTIONS, LOADER, LOADER_OPTIONS, METADATA
from jackfield_ai.retrieval.item_texts import in_pieces, texts_of, whole
from jackfield_ai.retrieval.splitting import RecursiveSplitter
from jackfield_ai.serving import splitter_of
from jackfield_ai.tools.toolbox import as_text

_MODE_SINCE = 1.1
"""Since then an attached splitter counts in the mode custom alone."""


class MetadataRow(Parameters):
    name: str = ""
    value: JsonValue = None


class MetadataRows(Parameters):
    ui_fields: ClassVar[UiFields] = METADATA

    metadata_values: list[MetadataRow] = Field(default_factory=list)


class LoaderOptions(Parameters):
    ui_fields: ClassVar[UiFields] = LOADER_OPTIONS

    metadata: MetadataRows = Field(default_factory=MetadataRows)


class FileLoaderOptions(LoaderOptions):
    ui_fields: ClassVar[UiFields] = FILE_LOADER_OPTIONS

    pointers: str = Field("", description="JSON pointers such as /text, separated by commas; empty: all texts.")
    split_pages: bool = Field(False, description="Each page of a PDF is a document.")
    column: str = Field("", description="The column of a CSV file that is read; empty: all of them.")
    separator: str = Field(",", description="The separator between the columns of a CSV file.")

    @property
    def reading(self) -> FileReading:
        return FileReading(self.pointers, self.split_pages, self.column, self.separator)


class Loader(Parameters):
    ui_fields: ClassVar[UiFields] = LOADER

    data_type: Literal["json", "binary"] = "json"
    json_mode: Literal["allInputData", "expressionData"] = "allInputData"
    json_data: JsonValue = ""
    binary_mode: Literal["allInputData", "specificField"] = "allInputData"
    binary_data_key: str = "data"
    loader: str = Field("auto", description="The file's own type decides.")
    text_splitting_mode: Literal["simple", "custom"] = "simple"
    options: FileLoaderOptions = Field(default_factory=FileLoaderOptions)


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
        for document in await self._whole():
            pieces = await asyncio.to_thread(self._pieces, document)
            made += [Document(piece.text, {**piece.metadata, **metadata}) for piece in pieces]
        return made

    def _pieces(self, document: Document) -> list[Document]:
        return in_pieces(document, self._splitter.split(document.text))

    async def _whole(self) -> list[Document]:
        parameters, item = self._parameters, self._node.item(self._item)
        if parameters.data_type == "json":
            given = parameters.json_data if parameters.json_mode == "expressionData" else item["json"]
            return texts_of(given) if isinstance(given, dict | list) else [whole(as_text(given), "text/plain")]
        files = item.get("binary") or {}
        names = [parameters.binary_data_key] if parameters.binary_mode == "specificField" else list(files)
        if not names:
            raise NodeError("The item has no file to load.", item=self._item)
        made: list[Document] = []
        reading = parameters.options.reading
        for name in names:
            content = await self._node.binary(self._item, name)
            made += await asyncio.to_thread(documents_of_file, content, files[name].get("mimeType", ""), reading)
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
        simple = (node.node.version or 1) >= _MODE_SINCE and parameters.text_splitting_mode == "simple"
        splitter = None if simple else await splitter_of(node, item)
        return ItemDocuments(node, item, parameters, splitter or RecursiveSplitter(1000, 200))


def loader(context: PluginContext, kind: str) -> LoaderNode:
    return LoaderNode(context)
