"""Supabase Vector Store: a table and a function of PostgreSQL behind PostgREST. Source: PostgREST's documentation (bulk
upsert, stored procedures); layout of LangChain.js: `content`, `metadata`, `embedding`, and the function
`match_documents(query_embedding, match_count, filter)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import quote

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.http_client import Pairs
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeError
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, text_at
from jackfield_ai.retrieval.stores.form import SUPABASE, SUPABASE_OPTIONS
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import FilteringOptions, UpdatingParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm

_UPSERT: Pairs = [("prefer", "resolution=merge-duplicates,return=minimal")]
_AT_ONCE = 500


class SupabaseOptions(FilteringOptions):
    ui_fields: ClassVar[UiFields] = SUPABASE_OPTIONS

    query_name: str = "match_documents"


class SupabaseParameters(UpdatingParameters):
    ui_fields: ClassVar[UiFields] = SUPABASE

    table_name: Chosen = None
    options: SupabaseOptions = Field(default_factory=SupabaseOptions)

    def condition(self) -> Condition:
        return self.options.condition()


class SupabaseTable(Unprepared):
    """Its rows have IDs of the table's own."""

    def __init__(self, api: StoreApi, table: str, function: str) -> None:
        self._api = api
        self._table = f"/rest/v1/{quote(table, safe='')}"
        self._function = f"/rest/v1/rpc/{quote(function, safe='')}"

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        rows: list[Json] = [_row(document, vector) for document, vector in zip(documents, vectors, strict=True)]
        for start in range(0, len(rows), _AT_ONCE):
            await self._api.ask("POST", self._table, rows[start : start + _AT_ONCE], _UPSERT)

    async def replace(self, document: Document, vector: Vector, id: str) -> None:
        await self._api.ask("POST", self._table, [{"id": id, **_row(document, vector)}], _UPSERT)

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        asked: dict[str, Json] = {"query_embedding": list(vector), "filter": dict(condition), "match_count": limit}
        rows = await self._api.ask("POST", self._function, asked)
        if not isinstance(rows, list):
            raise NodeError(f"The function {self._function.rpartition('/')[2]} of Supabase gave no rows.")
        return [_document(row) for row in rows]

    async def clear(self) -> None:
        raise NodeError("A table of Supabase is not emptied by this node.")


def _row(document: Document, vector: Vector) -> dict[str, Json]:
    return {"content": document.text, "embedding": list(vector), "metadata": dict(document.metadata)}


def _document(row: Json) -> Document:
    metadata, score, key = at(row, "metadata"), at(row, "similarity"), at(row, "id")
    return Document(
        text_at(row, "content"),
        metadata if isinstance(metadata, dict) else {},
        float(score) if isinstance(score, int | float) else 0.0,
        "" if key is None else str(key),
    )


async def opened(context: PluginContext, user: StoreUser, parameters: SupabaseParameters) -> SupabaseTable:
    client = ProviderClient(context, user, "supabaseApi", "Supabase")
    api = StoreApi(client, (await client.values()).get("host", ""))
    table = needed(chosen(parameters.table_name), "tableName")
    return SupabaseTable(api, table, parameters.options.query_name or "match_documents")


FORM = VectorStoreForm(
    "langchain.vectorStoreSupabase",
    "Supabase Vector Store",
    "Keeps documents with their embeddings in a table of Supabase.",
    SupabaseParameters,
    opened,
    (NodeCredential("supabaseApi"),),
)


def supabase(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
