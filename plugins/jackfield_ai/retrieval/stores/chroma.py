"""Chroma Vector Store. Source: Chroma's OpenAPI description (v2); layout of LangChain.js: the lines of a piece are the
properties `locFrom` and `locTo`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal
from urllib.parse import quote

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeError
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.form import CHROMA, CHROMA_OPTIONS
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import FilteringOptions, StoreParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm, WithoutUpdates

CHROMA_CREDENTIALS = _OWN, _CLOUD = ("chromaSelfHostedApi", "chromaCloudApi")
_AT_ONCE = 250


class ChromaOptions(FilteringOptions):
    ui_fields: ClassVar[UiFields] = CHROMA_OPTIONS

    clear_collection: bool = False


class ChromaParameters(StoreParameters):
    ui_fields: ClassVar[UiFields] = CHROMA

    authentication: Literal["chromaSelfHostedApi", "chromaCloudApi"] = "chromaSelfHostedApi"
    chroma_collection: Chosen = None
    options: ChromaOptions = Field(default_factory=ChromaOptions)

    @property
    def clears(self) -> bool:
        return self.options.clear_collection

    def condition(self) -> Condition:
        return self.options.condition()


class ChromaCollection(Unprepared, WithoutUpdates):
    """path: of the database's collections."""

    def __init__(self, api: StoreApi, path: str, name: str) -> None:
        self._api = api
        self._path = path
        self._name = name

    async def _made(self) -> str:
        """The path of the collection, which is made when it is not there."""
        found = await self._api.ask("POST", self._path, {"name": self._name, "get_or_create": True})
        key = text_at(found, "id")
        if not key:
            raise NodeError("Chroma gave no collection.")
        return f"{self._path}/{quote(key, safe='')}"

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        path = await self._made()
        for start in range(0, len(documents), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            await self._api.ask(
                "POST",
                f"{path}/upsert",
                {
                    "ids": list(ids[part]),
                    "embeddings": [list(vector) for vector in vectors[part]],
                    "documents": [document.text for document in documents[part]],
                    "metadatas": [_properties(document) or None for document in documents[part]],
                },
            )

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """Scores are distances."""
        asked: dict[str, Json] = {
            "query_embeddings": [list(vector)],
            "n_results": limit,
            "include": ["documents", "metadatas", "distances"],
        }
        if condition:
            rows: list[Json] = [{name: value} for name, value in condition.items()]
            asked["where"] = {"$and": rows} if len(rows) > 1 else rows[0]
        answer = await self._api.ask("POST", f"{await self._made()}/query", asked)
        return [_document(answer, place) for place in range(len(list_at(answer, "ids", 0)))]

    async def clear(self) -> None:
        await self._api.find("DELETE", f"{self._path}/{quote(self._name, safe='')}")


def _properties(document: Document) -> dict[str, Json]:
    """Properties of a record are plain values."""
    made = {name: value for name, value in document.metadata.items() if name != "loc"}
    for name, word in (("locFrom", "from"), ("locTo", "to")):
        if (line := at(dict(document.metadata), "loc", "lines", word)) is not None:
            made[name] = line
    unfit = next((name for name, value in made.items() if isinstance(value, dict)), None)
    if unfit is not None:
        raise NodeError(f"Chroma keeps no objects: make a text of the property {unfit[:100]}, or leave it out.")
    return {name: value for name, value in made.items() if value is not None}


def _document(answer: Json, place: int) -> Document:
    metadata, score = at(answer, "metadatas", 0, place), at(answer, "distances", 0, place)
    known = dict(metadata) if isinstance(metadata, dict) else {}
    if known.get("locFrom") and known.get("locTo"):
        known["loc"] = {"lines": {"from": known.pop("locFrom"), "to": known.pop("locTo")}}
    return Document(
        text_at(answer, "documents", 0, place),
        known,
        float(score) if isinstance(score, int | float) else 0.0,
        text_at(answer, "ids", 0, place),
    )


async def opened(context: PluginContext, user: StoreUser, parameters: ChromaParameters) -> ChromaCollection:
    client = ProviderClient(context, user, parameters.authentication, "Chroma")
    values = await client.values()
    api = StoreApi(client, values.get("baseUrl", ""))
    path = await collections_path(api, parameters.authentication, values)
    name = needed(chosen(parameters.chroma_collection), "chromaCollection")
    return ChromaCollection(api, path, name)


async def collections_path(api: StoreApi, kind: str, values: Mapping[str, str]) -> str:
    """kind: of the credential. Raises `NodeError`."""
    tenant, database = values.get("tenant", ""), values.get("database", "")
    if kind == _CLOUD and not (tenant and database):
        known = await api.ask("GET", "/api/v2/auth/identity")  # a key may belong to one database
        tenant = tenant or text_at(known, "tenant")
        database = database or text_at(known, "databases", 0)
    tenant, database = (quote(one, safe="") for one in (tenant or "default_tenant", database or "default_database"))
    return f"/api/v2/tenants/{tenant}/databases/{database}/collections"


FORM = VectorStoreForm(
    "langchain.vectorStoreChromaDB",
    "Chroma Vector Store",
    "Keeps documents with their embeddings in a collection of Chroma.",
    ChromaParameters,
    opened,
    tuple(NodeCredential(kind, when={"authentication": (kind,)}) for kind in (_OWN, _CLOUD)),
)


def chroma(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
