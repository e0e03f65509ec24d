"""Redis Vector Store: hashes under an index of RediSearch. Source: Redis' command reference (`FT.CREATE`, `FT.SEARCH`);
layout of LangChain.js."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, DatabaseRefusal, RedisConnection
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import NodeCredential, NodeError
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.databases import databases
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.retrieval.stores.form import REDIS, REDIS_OPTIONS
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import StoreOptions, UpdatingParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm

_SCORE = "vector_score"
_MEANING = re.compile(r"[^\w\s:\"-]")
_ESCAPED = ("-", ":", '"')
"""The characters that LangChain.js writes with a backslash, so that the full-text index takes them for a part of the
word."""


class RedisStoreOptions(StoreOptions):
    ui_fields: ClassVar[UiFields] = REDIS_OPTIONS

    metadata_filter: str = ""
    key_prefix: str = ""
    overwrite_documents: bool = False
    metadata_key: str = ""
    content_key: str = ""
    vector_key: str = ""
    ttl: int | None = Field(None, ge=0, description="Seconds until a document is forgotten; empty or 0: never.")


class RedisStoreParameters(UpdatingParameters):
    ui_fields: ClassVar[UiFields] = REDIS

    redis_index: Chosen = None
    options: RedisStoreOptions = Field(default_factory=RedisStoreOptions)

    @property
    def clears(self) -> bool:
        return self.options.overwrite_documents

    def condition(self) -> Condition:
        """Raises `NodeError`."""
        words = [word.strip() for word in self.options.metadata_filter.split(",")]
        return {"words": [plain_word(word) for word in words if word]}


class RedisIndex(Unprepared):
    def __init__(
        self, connections: DatabaseConnections, values: Mapping[str, str], name: str, options: RedisStoreOptions
    ) -> None:
        self._connections = connections
        self._values = values
        self._name = name
        self._prefix = options.key_prefix.strip() or f"doc:{name}:"
        self._content = options.content_key.strip() or "content"
        self._metadata = options.metadata_key.strip() or "metadata"
        self._vector = options.vector_key.strip() or "content_vector"
        self._ttl = options.ttl or 0

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        if not documents:
            return
        async with self._connections.redis(self._values) as database:
            await self._make(database, len(vectors[0]))
            for document, vector, key in zip(documents, vectors, ids, strict=True):
                place = f"{self._prefix}{key}"
                about = escaped(dumps(dict(document.metadata)).decode())
                fields = (self._vector, blob(vector), self._content, document.text, self._metadata, about)
                await database.command("HSET", place, *fields)
                if self._ttl:
                    await database.command("EXPIRE", place, self._ttl)

    async def _make(self, database: RedisConnection, size: int) -> None:
        try:
            await database.command("FT.INFO", self._name)
        except DatabaseRefusal as exc:
            if "unknown command" in exc.message:
                raise NodeError(
                    "This Redis has no search; use Redis 8, Redis Stack, or the module RediSearch."
                ) from None
            vector = (self._vector, "VECTOR", "HNSW", 6, "TYPE", "FLOAT32", "DIM", size, "DISTANCE_METRIC", "COSINE")
            texts = (self._content, "TEXT", self._metadata, "TEXT")
            words = ("FT.CREATE", self._name, "ON", "HASH", "PREFIX", 1, self._prefix, "SCHEMA", *vector, *texts)
            await database.command(*words)

    async def replace(self, document: Document, vector: Vector, id: str) -> None:
        """id: with or without the prefix of the store's keys."""
        await self.insert([document], [vector], [id.removeprefix(self._prefix)])

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """Scores are distances."""
        words = condition.get("words")
        async with self._connections.redis(self._values) as database:
            answer = await database.command(*self._search(vector, limit, words if isinstance(words, list) else []))
        rows = answer[1:] if isinstance(answer, list) else []
        return [self._document(str(key), _pairs(fields)) for key, fields in zip(rows[::2], rows[1::2], strict=False)]

    def _search(self, vector: Vector, limit: int, words: Sequence[Json]) -> list[str | bytes | int]:
        wanted = f"@{self._metadata}:({'|'.join(escaped(str(word)) for word in words)})" if words else "*"
        query = f"{wanted} => [KNN {limit} @{self._vector} $vector AS {_SCORE}]"
        made: list[str | bytes | int] = ["FT.SEARCH", self._name, query, "RETURN", 3, self._metadata, self._content]
        return [*made, _SCORE, "SORTBY", _SCORE, "LIMIT", 0, limit, "PARAMS", 2, "vector", blob(vector), "DIALECT", 2]

    def _document(self, key: str, fields: Mapping[str, str]) -> Document:
        try:
            metadata = loads(unescaped(fields.get(self._metadata, "{}")))
        except InvalidInput:
            metadata = {}
        score = fields.get(_SCORE, "")
        return Document(
            fields.get(self._content, ""),
            metadata if isinstance(metadata, dict) else {},
            float(score or 0),
            key.removeprefix(self._prefix),
        )

    async def clear(self) -> None:
        """The index with its documents; one that is not there is empty."""
        async with self._connections.redis(self._values) as database:
            try:
                await database.command("FT.INFO", self._name)
            except DatabaseRefusal:
                return
            await database.command("FT.DROPINDEX", self._name, "DD")


def _pairs(fields: object) -> dict[str, str]:
    given = [str(one) for one in fields] if isinstance(fields, list) else []
    return dict(zip(given[::2], given[1::2], strict=False))


def blob(vector: Vector) -> bytes:
    """32-bit numbers in the machine's order, which is Redis' on every machine that it runs on."""
    return array("f", vector).tobytes()


def plain_word(word: str) -> str:
    """A word of the filter without the characters that mean something in a query, so that no value of an item can end
    the filter. The index parts words there, too. Raises `NodeError`."""
    found = " ".join(_MEANING.sub(" ", word).split())
    if not any(sign.isalnum() for sign in found):
        raise NodeError(f"The parameter metadataFilter has {word[:100]!r}, in which no letter or digit stands.")
    return found


def escaped(text: str) -> str:
    for sign in _ESCAPED:
        text = text.replace(sign, f"\\{sign}")
    return text


def unescaped(text: str) -> str:
    for sign in _ESCAPED:
        text = text.replace(f"\\{sign}", sign)
    return text


async def opened(context: PluginContext, user: StoreUser, parameters: RedisStoreParameters) -> RedisIndex:
    name = needed(chosen(parameters.redis_index), "redisIndex")
    return RedisIndex(databases(context), await user.credential("redis"), name, parameters.options)


FORM = VectorStoreForm(
    "langchain.vectorStoreRedis",
    "Redis Vector Store",
    "Keeps documents with their embeddings under an index of Redis.",
    RedisStoreParameters,
    opened,
    (NodeCredential("redis"),),
    lacking_library("redis", "redis"),
)


def redis(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
