"""Postgres PGVector Store: a table of PostgreSQL with the extension pgvector, as n8n makes it (LangChain.js)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.databases import DatabaseConnections, DatabaseRefusal, SqlConnection
from jackfield.api.jsontext import dumps
from jackfield.api.nodes import NodeCredential, NodeError, Parameters
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.databases import databases, quoted_column, quoted_table
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.retrieval.stores.conditions import conditions_of
from jackfield_ai.retrieval.stores.form import (
    PGVECTOR,
    PGVECTOR_COLLECTION,
    PGVECTOR_COLLECTION_VALUES,
    PGVECTOR_COLUMNS,
    PGVECTOR_OPTIONS,
)
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import FilteringOptions, StoreParameters
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm, WithoutUpdates

TABLE, COLLECTIONS = "n8n_vectors", "n8n_vector_collections"
_NOTHING_THERE = frozenset({"42P01", "42704", "42703"})
"""SQLSTATE: no such table, no such type (the extension), no such column (of collections)."""
_MADE_MEANWHILE = frozenset({"23505", "42P07", "42710", "42701"})
_OPERATORS: Mapping[str, str] = {"cosine": "<=>", "innerProduct": "<#>", "euclidean": "<->"}
_AT_ONCE = 500


class CollectionValues(Parameters):
    ui_fields: ClassVar[UiFields] = PGVECTOR_COLLECTION_VALUES

    use_collection: bool = False
    collection_name: str = "n8n"
    collection_table_name: str = COLLECTIONS


class CollectionChoice(Parameters):
    ui_fields: ClassVar[UiFields] = PGVECTOR_COLLECTION

    values: CollectionValues = Field(default_factory=CollectionValues)


class ColumnValues(Parameters):
    id_column_name: str = "id"
    vector_column_name: str = "embedding"
    content_column_name: str = "text"
    metadata_column_name: str = "metadata"


class ColumnChoice(Parameters):
    ui_fields: ClassVar[UiFields] = PGVECTOR_COLUMNS

    values: ColumnValues = Field(default_factory=ColumnValues)


class PgVectorOptions(FilteringOptions):
    ui_fields: ClassVar[UiFields] = PGVECTOR_OPTIONS

    distance_strategy: Literal["cosine", "innerProduct", "euclidean"] = "cosine"
    collection: CollectionChoice = Field(default_factory=CollectionChoice)
    column_names: ColumnChoice = Field(default_factory=ColumnChoice)


class PgVectorParameters(StoreParameters):
    ui_fields: ClassVar[UiFields] = PGVECTOR

    table_name: Chosen = TABLE
    options: PgVectorOptions = Field(default_factory=PgVectorOptions)

    def condition(self) -> Condition:
        return self.options.condition()


class PgVectorTable(Unprepared, WithoutUpdates):
    def __init__(self, connections: DatabaseConnections, values: Mapping[str, str], parameters: PgVectorParameters):
        """Raises `NodeError` for a name that SQL cannot have."""
        columns, collection = parameters.options.column_names.values, parameters.options.collection.values
        self._connections = connections
        self._values = values
        self._table = quoted_table(chosen(parameters.table_name, TABLE), "tableName")
        self._id = quoted_column(columns.id_column_name, "idColumnName")
        self._vector = quoted_column(columns.vector_column_name, "vectorColumnName")
        self._text = quoted_column(columns.content_column_name, "contentColumnName")
        self._metadata = quoted_column(columns.metadata_column_name, "metadataColumnName")
        self._collection = collection.collection_name if collection.use_collection else ""
        self._collections = quoted_table(collection.collection_table_name or COLLECTIONS, "collectionTableName")
        self._operator = _OPERATORS[parameters.options.distance_strategy]

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        rows = list(zip(documents, vectors, ids, strict=True))
        async with self._connections.postgres(self._values) as database:
            for start in range(0, len(rows), _AT_ONCE):
                part = rows[start : start + _AT_ONCE]
                try:
                    await self._write(database, part)
                except DatabaseRefusal as exc:
                    if exc.code not in _NOTHING_THERE:
                        raise
                    await self._make(database)
                    await self._write(database, part)

    async def _write(self, database: SqlConnection, rows: Sequence[tuple[Document, Vector, str]]) -> None:
        within = [await self._collection_id(database)] if self._collection else []
        columns = [self._id, self._text, self._metadata, self._vector, *(["collection_id"] if within else [])]
        place = f"(%s::uuid, %s, %s::jsonb, %s::vector{', %s::uuid' if within else ''})"
        changed = ", ".join(f"{name} = excluded.{name}" for name in columns[1:])
        statement = (
            f"INSERT INTO {self._table} ({', '.join(columns)}) VALUES {', '.join([place] * len(rows))} "  # noqa: S608 - quoted
            f"ON CONFLICT ({self._id}) DO UPDATE SET {changed}"
        )
        values: list[object] = []
        for document, vector, key in rows:
            values += [key, document.text.replace("\0", ""), dumps(dict(document.metadata)).decode(), _text(vector)]
            values += within
        await database.query(statement, values)

    async def _collection_id(self, database: SqlConnection) -> object:
        """Of the collection, which is made when it is not there."""
        find = f"SELECT uuid FROM {self._collections} WHERE name = %s LIMIT 1"  # noqa: S608 - quoted
        make = f"INSERT INTO {self._collections} (name) VALUES (%s) RETURNING uuid"  # noqa: S608 - quoted
        found = await database.query(find, [self._collection])
        if not found:
            found = await database.query(make, [self._collection])
        return found[0][0]

    async def _make(self, database: SqlConnection) -> None:
        """The extension, the table, and that of collections; what is there already stays as it is."""
        await _made(database, "CREATE EXTENSION IF NOT EXISTS vector")
        await _made(
            database,
            f"CREATE TABLE IF NOT EXISTS {self._table} "
            f"({self._id} uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY, "
            f"{self._text} text, {self._metadata} jsonb, {self._vector} vector)",
        )
        if self._collection:
            await _made(
                database,
                f"CREATE TABLE IF NOT EXISTS {self._collections} (uuid uuid NOT NULL DEFAULT gen_random_uuid() "
                "PRIMARY KEY, name character varying, cmetadata jsonb)",
            )
            await _made(
                database,
                f"ALTER TABLE {self._table} ADD COLUMN collection_id uuid REFERENCES {self._collections} (uuid) "
                "ON DELETE CASCADE",
            )

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """Nothing where there is no table yet, as n8n has it. Scores are distances."""
        wheres, values = conditions_of(condition, self._metadata)
        async with self._connections.postgres(self._values) as database:
            try:
                if self._collection:
                    wheres.append("collection_id = %s::uuid")
                    values.append(await self._collection_id(database))
                rows = await database.query(self._search(wheres), [_text(vector), *values, limit])
            except DatabaseRefusal as exc:
                if exc.code not in _NOTHING_THERE:
                    raise
                return []
        return [_document(row) for row in rows if row[3] is not None and row[1] is not None]

    def _search(self, wheres: Sequence[str]) -> str:
        where = f"WHERE {' AND '.join(wheres)} " if wheres else ""
        distance = f"{self._vector} {self._operator} %s::vector AS distance"
        return (
            f"SELECT {self._id}, {self._text}, {self._metadata}, {distance} FROM {self._table} {where}"  # noqa: S608 - quoted
            "ORDER BY distance LIMIT %s"
        )

    async def clear(self) -> None:
        raise NodeError("A table of PostgreSQL is not emptied by this node.")


async def _made(database: SqlConnection, statement: str) -> None:
    try:
        await database.query(statement)
    except DatabaseRefusal as exc:
        if exc.code not in _MADE_MEANWHILE:
            raise


def _text(vector: Vector) -> str:
    return f"[{','.join(map(repr, vector))}]"


def _document(row: Sequence[object]) -> Document:
    key, text, metadata, distance = row
    score = float(distance) if isinstance(distance, int | float) else 0.0
    return Document(str(text), metadata if isinstance(metadata, dict) else {}, score, str(key))


async def opened(context: PluginContext, user: StoreUser, parameters: PgVectorParameters) -> PgVectorTable:
    return PgVectorTable(databases(context), await user.credential("postgres"), parameters)


FORM = VectorStoreForm(
    "langchain.vectorStorePGVector",
    "Postgres PGVector Store",
    "Keeps documents with their embeddings in a table of PostgreSQL with pgvector.",
    PgVectorParameters,
    opened,
    (NodeCredential("postgres"),),
    lacking_library("psycopg", "postgres"),
)


def pgvector(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
