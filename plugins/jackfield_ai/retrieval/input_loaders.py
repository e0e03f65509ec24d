"""JSON Input Loader and Binary Input Loader: what n8n had before the Default Data Loader. Source: n8n's loaders."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import DOCUMENT, TEXT_SPLITTER, Document, TextSplitter
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.retrieval.file_texts import FileReading, documents_of_file, pointed
from jackfield_ai.retrieval.form import BINARY_INPUT, JSON_INPUT
from jackfield_ai.retrieval.item_texts import in_pieces
from jackfield_ai.retrieval.loading import LoaderOptions
from jackfield_ai.serving import splitter_of


class JsonInput(Parameters):
    ui_fields: ClassVar[UiFields] = JSON_INPUT

    pointers: str = Field("", description="JSON pointers such as /text, separated by commas; empty: all texts.")
    options: LoaderOptions = Field(default_factory=LoaderOptions)

    def metadata(self) -> dict[str, Json]:
        return {row.name: row.value for row in self.options.metadata.metadata_values if row.name}


class BinaryInput(JsonInput):
    ui_fields: ClassVar[UiFields] = BINARY_INPUT

    loader: str = Field("auto", description="The file's own type decides.")
    binary_data_key: str = Field("data", description="The field of the file.")
    split_pages: bool = Field(True, description="Each page of a PDF is a document.")
    column: str = Field("", description="The column of a CSV file that is read; empty: all of them.")
    separator: str = Field(",", description="The separator between the columns of a CSV file.")

    @property
    def reading(self) -> FileReading:
        return FileReading(self.pointers, self.split_pages, self.column, self.separator)


class InputDocuments:
    """`Documents` of one item. splitter: None: documents stay whole."""

    def __init__(self, node: AttachedNode, item: int, parameters: JsonInput, splitter: TextSplitter | None) -> None:
        self._node = node
        self._item = item
        self._parameters = parameters
        self._splitter = splitter

    async def load(self) -> Sequence[Document]:
        found = await self._whole()
        if self._splitter is not None:
            found = await asyncio.to_thread(self._pieces, self._splitter, found)
        more = self._parameters.metadata()
        return [Document(one.text, {**one.metadata, **more}) for one in found]

    def _pieces(self, splitter: TextSplitter, documents: Sequence[Document]) -> list[Document]:
        return [piece for one in documents for piece in in_pieces(one, splitter.split(one.text))]

    async def _whole(self) -> list[Document]:
        parameters, item = self._parameters, self._node.item(self._item)
        if not isinstance(parameters, BinaryInput):
            return pointed(item["json"], parameters.pointers)
        name = parameters.binary_data_key
        content = await self._node.binary(self._item, name)
        kind = (item.get("binary") or {})[name].get("mimeType", "")
        return await asyncio.to_thread(documents_of_file, content, kind, parameters.reading)


class JsonInputNode(ServingNode):
    kind = "langchain.documentJsonInputLoader"
    versions: Sequence[float] = (1,)
    model = JsonInput
    description = NodeDescription(
        "JSON Input Loader",
        "Makes documents of texts in the items.",
        "ai",
        inputs=0,
        provides=DOCUMENT,
        accepts=(TEXT_SPLITTER,),
    )

    async def supply(self, node: AttachedNode, item: int) -> InputDocuments:
        parameters: JsonInput = await node.parameters(item)
        return InputDocuments(node, item, parameters, await splitter_of(node, item))


class BinaryInputNode(JsonInputNode):
    kind = "langchain.documentBinaryInputLoader"
    model = BinaryInput
    description = NodeDescription(
        "Binary Input Loader",
        "Makes documents of a file of the items.",
        "ai",
        inputs=0,
        provides=DOCUMENT,
        accepts=(TEXT_SPLITTER,),
    )


def json_input(context: PluginContext, kind: str) -> JsonInputNode:
    return JsonInputNode(context)


def binary_input(context: PluginContext, kind: str) -> BinaryInputNode:
    return BinaryInputNode(context)
