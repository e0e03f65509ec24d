"""MongoDB Atlas Vector Store. Source: MongoDB's reference of `$vectorSearch`; layout of LangChain.js: text, embedding
and the metadata side by side in a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, MongoConnection
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeError
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.databases import databases, member
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.retrieval.stores.form import MONGO, MONGO_OPTIONS
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import (
    JsonObject,
    JsonRows,
    StoreOptions,
    UpdatingParameters,
    needed,
)
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm

_CANDIDATES = 10
"""Looked at for each document that is wanted, as LangChain.js has it."""
_MOST_CANDIDATES = 10_000
_AT_ONCE = 500
_SCORE = "score"


class AtlasOptions(StoreOptions):
    ui_fields: ClassVar[UiFields] = MONGO_OPTIONS

    namespace: str = ""
    clear_namespace: bool = False
    pre_filter: JsonObject = None
    post_filter_pipeline: JsonRows = None


class AtlasParameters(UpdatingParameters):
    ui_fields: ClassVar[UiFields] = MONGO

    mongo_collection: Chosen = None
    embedding: str = "embedding"
    metadata_field: str = Field("text", alias="metadata_field", description="The field of the text.")
    vector_index_name: str = ""
    options: AtlasOptions = Field(default_factory=AtlasOptions)

    @property
    def clears(self) -> bool:
        return self.options.clear_namespace and bool(self.options.namespace)

    def condition(self) -> Condition:
        return self.options.pre_filter or {}


class AtlasCollection(Unprepared):
    def __init__(
        self, connections: DatabaseConnections, values: Mapping[str, str], parameters: AtlasParameters, name: str
    ) -> None:
        self._connections = connections
        self._values = values
        self._name = name
        self._index = parameters.vector_index_name
        self._text = parameters.metadata_field or "text"
        self._embedding = parameters.embedding or "embedding"
        self._namespace = parameters.options.namespace
        self._after = parameters.options.post_filter_pipeline or []

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        rows = list(zip(documents, vectors, ids, strict=True))
        async with self._connections.mongo(self._values) as database:
            for start in range(0, len(rows), _AT_ONCE):
                updates = [
                    {"q": {"_id": key}, "u": {"$set": self._row(document, vector)}, "upsert": True}
                    for document, vector, key in rows[start : start + _AT_ONCE]
                ]
                answer = await database.command(_database(database), {"update": self._name, "updates": updates})
                failed = answer.get("writeErrors")
                if isinstance(failed, list) and failed:
                    raise NodeError(f"MongoDB did not keep a document: {str(member(failed[0], 'errmsg'))[:500]}")

    def _row(self, document: Document, vector: Vector) -> dict[str, object]:
        plain = {name: value for name, value in document.metadata.items() if name != "_id"}
        where = {"namespace": self._namespace} if self._namespace else {}
        return {self._text: document.text, self._embedding: list(vector), **plain, **where}

    async def replace(self, document: Document, vector: Vector, id: str) -> None:
        await self.insert([document], [vector], [id])

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        search: dict[str, object] = {
            "queryVector": [float(one) for one in vector],
            "index": needed(self._index, "vectorIndexName"),
            "path": self._embedding,
            "limit": limit,
            "numCandidates": min(_CANDIDATES * limit, _MOST_CANDIDATES),
        }
        if condition:
            search["filter"] = dict(condition)
        steps = [
            {"$vectorSearch": search},
            {"$set": {_SCORE: {"$meta": "vectorSearchScore"}}},
            {"$project": {self._embedding: 0}},
            *self._after,
        ]
        command = {"aggregate": self._name, "pipeline": steps, "cursor": {"batchSize": max(limit, 1)}}
        async with self._connections.mongo(self._values) as database:
            answer = await database.command(_database(database), command)
        rows = member(answer, "cursor", "firstBatch")
        return [self._document(row) for row in rows] if isinstance(rows, list) else []

    def _document(self, row: object) -> Document:
        known = dict(row) if isinstance(row, Mapping) else {}
        score, text = known.pop(_SCORE, 0.0), known.pop(self._text, "")
        metadata = {str(name): _plain(value) for name, value in known.items()}
        return Document(
            text if isinstance(text, str) else "",
            metadata,
            float(score) if isinstance(score, int | float) else 0.0,
            str(known.get("_id", "")),
        )

    async def clear(self) -> None:
        """The documents of the namespace."""
        command = {"delete": self._name, "deletes": [{"q": {"namespace": self._namespace}, "limit": 0}]}
        async with self._connections.mongo(self._values) as database:
            await database.command(_database(database), command)


def _database(database: MongoConnection) -> str:
    """Raises `NodeError`."""
    if not database.database:
        raise NodeError("The credential mongoDb names no database; fill it in.")
    return database.database


def _plain(value: object) -> Json:
    """A value that is no JSON, such as an ObjectId or a date, is its text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


async def opened(context: PluginContext, user: StoreUser, parameters: AtlasParameters) -> AtlasCollection:
    name = needed(chosen(parameters.mongo_collection), "mongoCollection")
    return AtlasCollection(databases(context), await user.credential("mongoDb"), parameters, name)


FORM = VectorStoreForm(
    "langchain.vectorStoreMongoDBAtlas",
    "MongoDB Atlas Vector Store",
    "Keeps documents with their embeddings in a collection of MongoDB Atlas.",
    AtlasParameters,
    opened,
    (NodeCredential("mongoDb"),),
    lacking_library("pymongo", "mongodb"),
)


def mongo_atlas(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
