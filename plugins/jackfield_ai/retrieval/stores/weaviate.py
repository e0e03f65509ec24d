"""Weaviate Vector Store. Source: Weaviate's OpenAPI description (schema, batches) and its reference of GraphQL; layout
of LangChain.js: the text in `text`, nested properties with `_` between their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal
from urllib.parse import quote

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeError
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.client import ProviderClient, ProviderRefusal
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.form import WEAVIATE, WEAVIATE_OPTIONS
from jackfield_ai.retrieval.stores.graphql import Name, rendered, where_of
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import JsonObject, StoreOptions, StoreParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm, WithoutUpdates

_AT_ONCE = 250
_MADE_MEANWHILE = 422
_ODD = re.compile(r"[^a-zA-Z0-9_]")
_CLASS = re.compile(r"[A-Z][_0-9A-Za-z]*")
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
_FUSIONS: Mapping[str, str] = {"RelativeScore": "relativeScoreFusion", "Ranked": "rankedFusion"}


class WeaviateOptions(StoreOptions):
    ui_fields: ClassVar[UiFields] = WEAVIATE_OPTIONS

    tenant: str = ""
    text_key: str = "text"
    clear_store: bool = False
    search_filter_json: JsonObject = None
    metadata_keys: str = ""
    hybrid_query: str = ""
    hybrid_explain_score: bool = False
    fusion_type: Literal["RelativeScore", "Ranked"] = "RelativeScore"
    auto_cut_limit: int | None = None
    alpha: float | None = Field(None, ge=0, le=1)
    query_properties: str = ""
    max_vector_distance: float | None = None


class WeaviateParameters(StoreParameters):
    ui_fields: ClassVar[UiFields] = WEAVIATE

    weaviate_collection: Chosen = None
    options: WeaviateOptions = Field(default_factory=WeaviateOptions)

    @property
    def clears(self) -> bool:
        return self.options.clear_store

    def condition(self) -> Condition:
        return self.options.search_filter_json or {}


class WeaviateCollection(Unprepared, WithoutUpdates):
    """name: with a capital first letter, as the server has it."""

    def __init__(self, api: StoreApi, name: str, options: WeaviateOptions) -> None:
        self._api = api
        self._name = name
        self._path = f"/v1/schema/{quote(name, safe='')}"
        self._options = options
        self._text = options.text_key or "text"

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        if await self._api.find("GET", self._path) is None:
            await self._make()
        tenant: dict[str, Json] = {"tenant": self._options.tenant} if self._options.tenant else {}
        rows: list[Json] = [
            {"class": self._name, "id": key, "vector": list(vector), "properties": self._properties(document), **tenant}
            for document, vector, key in zip(documents, vectors, ids, strict=True)
        ]
        for start in range(0, len(rows), _AT_ONCE):
            answer = await self._api.ask("POST", "/v1/batch/objects", {"objects": rows[start : start + _AT_ONCE]})
            for row in answer if isinstance(answer, list) else []:
                if said := text_at(row, "result", "errors", "error", 0, "message"):
                    raise NodeError(f"Weaviate did not keep a document: {said[:500]}")

    async def _make(self) -> None:
        several: dict[str, Json] = {"multiTenancyConfig": {"enabled": True, "autoTenantCreation": True}}
        asked: dict[str, Json] = {"class": self._name, "vectorizer": "none"}
        try:
            await self._api.ask("POST", "/v1/schema", {**asked, **several} if self._options.tenant else asked)
        except ProviderRefusal as exc:
            if exc.status != _MADE_MEANWHILE or await self._api.find("GET", self._path) is None:
                raise

    def _properties(self, document: Document) -> dict[str, Json]:
        if "id" in document.metadata:
            raise NodeError("Weaviate keeps no property id; give the metadata another name.")
        return {**dict(flat(document.metadata)), self._text: document.text}

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """Scores are distances, or those of a hybrid search."""
        schema = await self._api.find("GET", self._path)
        if schema is None:
            return []
        known = _types(schema)
        names = [name for name in self._wanted(known) if _NAME.fullmatch(name)]
        arguments: dict[str, object] = {**self._asked(vector), "limit": limit}
        if condition:
            arguments["where"] = where_of(condition, known)
        if self._options.tenant:
            arguments["tenant"] = self._options.tenant
        if self._options.auto_cut_limit:
            arguments["autocut"] = self._options.auto_cut_limit
        given = ", ".join(f"{name}: {rendered(value)}" for name, value in arguments.items())
        more = "_additional { id distance score explainScore }"
        query = f"{{ Get {{ {self._name}({given}) {{ {' '.join([*names, more])} }} }} }}"
        answer = await self._api.ask("POST", "/v1/graphql", {"query": query})
        if said := text_at(answer, "errors", 0, "message"):
            raise NodeError(f"Weaviate refused the search: {said[:500]}")
        return [self._document(row) for row in list_at(answer, "data", "Get", self._name)]

    def _wanted(self, known: Mapping[str, str]) -> list[str]:
        """The text, and the metadata's keys or else all properties."""
        keys = [key.strip() for key in self._options.metadata_keys.split(",") if key.strip()]
        return [self._text, *(key for key in (keys or known) if key != self._text)]

    def _asked(self, vector: Vector) -> dict[str, object]:
        options = self._options
        if not options.hybrid_query:
            return {"nearVector": {"vector": list(vector)}}
        hybrid: dict[str, object] = {"query": options.hybrid_query, "vector": list(vector)}
        hybrid["fusionType"] = Name(_FUSIONS[options.fusion_type])
        if options.alpha is not None:
            hybrid["alpha"] = options.alpha
        if options.query_properties:
            hybrid["properties"] = [part.strip() for part in options.query_properties.split(",")]
        if options.max_vector_distance:
            hybrid["maxVectorDistance"] = options.max_vector_distance
        return {"hybrid": hybrid}

    def _document(self, row: Json) -> Document:
        known = {name: value for name, value in row.items() if value is not None} if isinstance(row, dict) else {}
        more, text = known.pop("_additional", None), known.pop(self._text, "")
        score = at(more, "score") if self._options.hybrid_query else at(more, "distance")
        if self._options.hybrid_query and self._options.hybrid_explain_score:
            known["explainScore"] = text_at(more, "explainScore")
        return Document(text if isinstance(text, str) else "", known, _number(score), text_at(more, "id"))

    async def clear(self) -> None:
        if self._options.tenant:
            await self._api.find("DELETE", f"{self._path}/tenants", [self._options.tenant])
        else:
            await self._api.find("DELETE", self._path)


def _number(value: Json) -> float:
    """The server writes scores as texts."""
    try:
        return float(value) if isinstance(value, str | int | float) else 0.0
    except ValueError:
        return 0.0


def _types(schema: Json) -> dict[str, str]:
    """The type of each property that is a plain value or a list of them."""
    rows = [(text_at(row, "name"), text_at(row, "dataType", 0)) for row in list_at(schema, "properties")]
    return {name: kind for name, kind in rows if name and kind[:1].islower() and not kind.startswith("object")}


def flat(value: Mapping[str, Json], before: str = "") -> Iterator[tuple[str, Json]]:
    """Properties as LangChain.js names them; lists of different things, and of objects, are left out."""
    for name, found in value.items():
        key = f"{before}{_ODD.sub('_', name)}"
        if isinstance(found, dict):
            yield from flat(found, f"{key}_")
        elif not isinstance(found, list) or _alike(found):
            yield key, found


def _alike(found: list[Json]) -> bool:
    return not any(isinstance(one, dict | list) for one in found) and len({type(one) for one in found}) < 2


async def opened(context: PluginContext, user: StoreUser, parameters: WeaviateParameters) -> WeaviateCollection:
    client = ProviderClient(context, user, "weaviateApi", "Weaviate")
    name = needed(chosen(parameters.weaviate_collection), "weaviateCollection")
    name = name[0].upper() + name[1:]
    if not _CLASS.fullmatch(name):
        raise NodeError(f"The collection {name[:100]!r} has a name that Weaviate does not take: letters, digits and _.")
    return WeaviateCollection(StoreApi(client, address(await client.values())), name, parameters.options)


def address(values: Mapping[str, str]) -> str:
    """The server that the credential names."""
    if cloud := values.get("weaviate_cloud_endpoint", "").strip():
        return cloud if "://" in cloud else f"https://{cloud}"
    scheme = "https" if values.get("custom_connection_http_secure") == "true" else "http"
    return f"{scheme}://{values.get('custom_connection_http_host', '')}:{values.get('custom_connection_http_port', '')}"


FORM = VectorStoreForm(
    "langchain.vectorStoreWeaviate",
    "Weaviate Vector Store",
    "Keeps documents with their embeddings in a collection of Weaviate.",
    WeaviateParameters,
    opened,
    (NodeCredential("weaviateApi"),),
)


def weaviate(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
