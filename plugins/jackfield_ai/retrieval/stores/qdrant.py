"""Qdrant Vector Store. Source: Qdrant's OpenAPI description (REST); layout of LangChain.js: payload `content` and
`metadata`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import quote

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.client import ProviderClient, ProviderRefusal
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.form import QDRANT, QDRANT_OPTIONS
from jackfield_ai.retrieval.stores.http import CONFLICT, StoreApi
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import JsonObject, StoreOptions, StoreParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm, WithoutUpdates

_AT_ONCE = 250
"""Points of one request; the server takes 32 MiB."""


class QdrantOptions(StoreOptions):
    ui_fields: ClassVar[UiFields] = QDRANT_OPTIONS

    collection_config: JsonObject = None
    search_filter_json: JsonObject = None
    content_payload_key: str = ""
    metadata_payload_key: str = ""


class QdrantParameters(StoreParameters):
    ui_fields: ClassVar[UiFields] = QDRANT

    qdrant_collection: Chosen = None
    options: QdrantOptions = Field(default_factory=QdrantOptions)

    def condition(self) -> Condition:
        return self.options.search_filter_json or {}


class QdrantCollection(Unprepared, WithoutUpdates):
    def __init__(self, api: StoreApi, name: str, options: QdrantOptions) -> None:
        self._api = api
        self._path = f"/collections/{quote(name, safe='')}"
        self._options = options
        self._content = options.content_payload_key or "content"
        self._metadata = options.metadata_payload_key or "metadata"

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        if not documents:
            return
        await self._make(len(vectors[0]))
        points: list[Json] = [
            {
                "id": key,
                "vector": list(vector),
                "payload": {self._content: document.text, self._metadata: dict(document.metadata)},
            }
            for document, vector, key in zip(documents, vectors, ids, strict=True)
        ]
        for start in range(0, len(points), _AT_ONCE):
            await self._api.ask("PUT", f"{self._path}/points?wait=true", {"points": points[start : start + _AT_ONCE]})

    async def _make(self, size: int) -> None:
        if await self._api.find("GET", self._path) is not None:
            return
        plain: dict[str, Json] = {"vectors": {"size": size, "distance": "Cosine"}}
        try:
            await self._api.ask("PUT", self._path, self._options.collection_config or plain)
        except ProviderRefusal as exc:
            if exc.status != CONFLICT:  # somebody else has made it meanwhile
                raise

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """Nothing where there is no such collection yet, as n8n has it."""
        asked: dict[str, Json] = {
            "query": list(vector),
            "limit": limit,
            "with_payload": [self._metadata, self._content],
        }
        if condition:
            asked["filter"] = dict(condition)
        answer = await self._api.find("POST", f"{self._path}/points/query", asked)
        return [self._document(row) for row in list_at(answer, "result", "points")]

    def _document(self, row: Json) -> Document:
        metadata, score, key = at(row, "payload", self._metadata), at(row, "score"), at(row, "id")
        return Document(
            text_at(row, "payload", self._content),
            metadata if isinstance(metadata, dict) else {},
            float(score) if isinstance(score, int | float) else 0.0,
            str(key or ""),
        )

    async def clear(self) -> None:
        await self._api.find("DELETE", self._path)


async def opened(context: PluginContext, user: StoreUser, parameters: QdrantParameters) -> QdrantCollection:
    client = ProviderClient(context, user, "qdrantApi", "Qdrant")
    api = StoreApi(client, (await client.values()).get("qdrantUrl", ""))
    name = needed(chosen(parameters.qdrant_collection), "qdrantCollection")
    return QdrantCollection(api, name, parameters.options)


FORM = VectorStoreForm(
    "langchain.vectorStoreQdrant",
    "Qdrant Vector Store",
    "Keeps documents with their embeddings in a collection of Qdrant.",
    QdrantParameters,
    opened,
    (NodeCredential("qdrantApi"),),
)


def qdrant(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
