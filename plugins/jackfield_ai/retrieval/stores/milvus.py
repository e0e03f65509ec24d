"""Milvus Vector Store. Source: Milvus' reference of its RESTful API (v2); layout of LangChain.js: `langchain_text`,
`langchain_vector`, `langchain_primaryid`, and a field for each property of the metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCredential, NodeError
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.form import MILVUS, MILVUS_OPTIONS
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import StoreOptions, StoreParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm, WithoutUpdates

_KEY, _TEXT, _VECTOR = "langchain_primaryid", "langchain_text", "langchain_vector"
_LONGEST = 65_535
_AT_ONCE = 250


class MilvusOptions(StoreOptions):
    ui_fields: ClassVar[UiFields] = MILVUS_OPTIONS

    clear_collection: bool = False


class MilvusParameters(StoreParameters):
    ui_fields: ClassVar[UiFields] = MILVUS

    milvus_collection: Chosen = None
    options: MilvusOptions = Field(default_factory=MilvusOptions)

    @property
    def clears(self) -> bool:
        return self.options.clear_collection


class MilvusCollection(Unprepared, WithoutUpdates):
    """Its documents have IDs of the server's own."""

    def __init__(self, api: StoreApi, name: str) -> None:
        self._api = api
        self._name = name

    async def _ask(self, work: str, **more: Json) -> Json:
        """Raises `NodeError`: the server says so in an answer with status 200."""
        answer = await self._api.ask("POST", f"/v2/vectordb/{work}", {"collectionName": self._name, **more})
        code = at(answer, "code")
        if code not in (0, 200):
            raise NodeError(f"Milvus refused {work} ({code}): {text_at(answer, 'message')[:500]}")
        return at(answer, "data")

    async def _there(self) -> bool:
        return at(await self._ask("collections/has"), "has") is True

    async def _fields(self) -> dict[str, str]:
        """Names and types of the collection's fields, without the key that the server gives."""
        found = await self._ask("collections/describe")
        rows = [row for row in list_at(found, "fields") if not at(row, "autoId")]
        return {text_at(row, "name"): text_at(row, "type") for row in rows}

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        if not documents:
            return
        if not await self._there():
            await self._make(documents[0], len(vectors[0]))
        names = [name for name in await self._fields() if name not in (_TEXT, _VECTOR)]
        rows: list[Json] = [
            {_TEXT: document.text, _VECTOR: list(vector), **_properties(document, names)}
            for document, vector in zip(documents, vectors, strict=True)
        ]
        for start in range(0, len(rows), _AT_ONCE):
            await self._ask("entities/insert", data=rows[start : start + _AT_ONCE])

    async def _make(self, sample: Document, size: int) -> None:
        """sample: whose properties become fields; those of other documents have to be the same."""
        fields: list[Json] = [
            {"fieldName": _KEY, "dataType": "Int64", "isPrimary": True},
            {"fieldName": _TEXT, "dataType": "VarChar", "elementTypeParams": {"max_length": str(_LONGEST)}},
            {"fieldName": _VECTOR, "dataType": "FloatVector", "elementTypeParams": {"dim": str(size)}},
        ]
        fields += [_field(name, value) for name, value in sample.metadata.items() if value is not None]
        index: dict[str, Json] = {"fieldName": _VECTOR, "indexName": _VECTOR, "metricType": "L2"}
        index["params"] = {"index_type": "HNSW", "M": "8", "efConstruction": "64"}
        schema: dict[str, Json] = {"autoId": True, "enableDynamicField": False, "fields": fields}
        await self._ask("collections/create", schema=schema, indexParams=[index])

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """Scores are distances. Raises `NodeError` where there is no such collection, as n8n does."""
        if not await self._there():
            raise NodeError(f"Milvus has no collection {self._name[:100]}; insert documents first.")
        names = [name for name, kind in (await self._fields()).items() if not kind.endswith("Vector")]
        await self._ask("collections/load")
        rows = await self._ask(
            "entities/search", data=[list(vector)], annsField=_VECTOR, limit=limit, outputFields=[*names]
        )
        return [_document(row, names) for row in rows] if isinstance(rows, list) else []

    async def clear(self) -> None:
        if await self._there():
            await self._ask("collections/drop")


def _field(name: str, value: Json) -> Json:
    if isinstance(value, bool):
        return {"fieldName": name, "dataType": "Bool"}
    if isinstance(value, int | float):
        return {"fieldName": name, "dataType": "Float"}
    return {"fieldName": name, "dataType": "VarChar", "elementTypeParams": {"max_length": str(_LONGEST)}}


def _properties(document: Document, names: Sequence[str]) -> dict[str, Json]:
    """The values that the collection has fields for. Raises `NodeError` for a field that the metadata lack."""
    made: dict[str, Json] = {}
    for name in names:
        value = document.metadata.get(name)
        if value is None:
            raise NodeError(f"The collection has a field {name[:100]}, which the document's metadata lack; add it.")
        made[name] = dumps(value).decode() if isinstance(value, dict | list) else value
    return made


def _document(row: Json, names: Sequence[str]) -> Document:
    metadata = {name: _read(at(row, name)) for name in names if name != _TEXT}
    score, key = at(row, "distance"), at(row, "id") or at(row, _KEY)
    return Document(
        text_at(row, _TEXT),
        metadata,
        float(score) if isinstance(score, int | float) else 0.0,
        "" if key is None else str(key),
    )


def _read(value: Json) -> Json:
    """A text that is JSON is what it says, as LangChain.js reads it."""
    try:
        return loads(value) if isinstance(value, str) else value
    except InvalidInput:
        return value


async def opened(context: PluginContext, user: StoreUser, parameters: MilvusParameters) -> MilvusCollection:
    client = ProviderClient(context, user, "milvusApi", "Milvus")
    base = (await client.values()).get("baseUrl", "")
    name = needed(chosen(parameters.milvus_collection), "milvusCollection")
    return MilvusCollection(StoreApi(client, base if "://" in base else f"http://{base}"), name)


FORM = VectorStoreForm(
    "langchain.vectorStoreMilvus",
    "Milvus Vector Store",
    "Keeps documents with their embeddings in a collection of Milvus.",
    MilvusParameters,
    opened,
    (NodeCredential("milvusApi"),),
)


def milvus(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
