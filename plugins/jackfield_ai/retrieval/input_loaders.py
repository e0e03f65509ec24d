"""JSON Input Loader and Binary Input Loader: what n8n had before the Default Data Loader. Sources: n8n's loaders,
LangChain.js' JSONLoader, RFC 6901."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import DOCUMENT, TEXT_SPLITTER, Document, TextSplitter
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.retrieval.form import BINARY_INPUT, JSON_INPUT
from jackfield_ai.retrieval.item_texts import in_pieces, numbered, texts_of, whole
from jackfield_ai.retrieval.loading import LoaderOptions, text_of_file
from jackfield_ai.serving import splitter_of

_JSON = "application/json"
_DEPTH = 200


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
    split_pages: bool = Field(True, description="Not used: a PDF is one document.")
    column: str = Field("", description="Not used: a CSV file is one document.")
    separator: str = Field(",", description="Not used.")


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
        return await asyncio.to_thread(_of_file, content, kind, parameters.pointers)


def _of_file(content: bytes, media_type: str, pointers: str) -> list[Document]:
    """Raises `NodeError`."""
    text = text_of_file(content, media_type)
    if media_type.partition(";")[0].strip().lower() != _JSON:
        return [whole(text, media_type)]
    try:
        return pointed(loads(text), pointers)
    except InvalidInput:
        raise NodeError("The file's type is JSON, but it is not valid JSON.") from None


def pointed(value: Json, pointers: str) -> list[Document]:
    """A document for each text below what one of the pointers leads to, at the highest level that has any, and beside
    it. Without pointers: for each text."""
    paths = [path for one in pointers.split(",") if (path := one.strip())]
    if not paths:
        return texts_of(value)
    return numbered(list(_pointed(value, [_steps(path) for path in paths], found=False, depth=0)))


def _pointed(value: Json, paths: Sequence[Sequence[str]], *, found: bool, depth: int) -> Iterator[str]:
    if not isinstance(value, dict | list) or depth > _DEPTH:
        return
    targets = [target for path in paths if (target := _at(value, path))]
    for target in targets:
        yield from (document.text for document in texts_of(target))
    if not targets and found:
        return
    for inner in value.values() if isinstance(value, dict) else value:
        if not any(inner is target for target in targets):
            yield from _pointed(inner, paths, found=found or bool(targets), depth=depth + 1)


def _steps(path: str) -> list[str]:
    """Raises `NodeError` for what is no JSON pointer."""
    if not path.startswith("/"):
        raise NodeError(f"The pointer {path[:100]!r} is none; a JSON pointer begins with /, such as /text.")
    return [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]


def _at(value: Json, path: Sequence[str]) -> Json:
    for step in path:
        if isinstance(value, list):
            value = value[int(step)] if step.isdecimal() and int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


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
