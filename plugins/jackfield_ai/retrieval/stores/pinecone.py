"""Pinecone Vector Store. Source: Pinecone's OpenAPI descriptions (control and data plane, 2025-01); layout of
LangChain.js: the text in the property `text`, nested properties under dotted names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.retrieval.stores.form import PINECONE, PINECONE_OPTIONS
from jackfield_ai.retrieval.stores.http import StoreApi
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import FilteringOptions, UpdatingParameters, needed
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Unprepared, Vector, VectorStoreForm

_VERSION: Pairs = [("x-pinecone-api-version", "2025-01")]
_AT_ONCE = 100
"""Records of one request; the server takes 2 MB."""
_TEXT = "text"


class PineconeOptions(FilteringOptions):
    ui_fields: ClassVar[UiFields] = PINECONE_OPTIONS

    clear_namespace: bool = False
    pinecone_namespace: str = ""


class PineconeParameters(UpdatingParameters):
    ui_fields: ClassVar[UiFields] = PINECONE

    pinecone_index: Chosen = None
    options: PineconeOptions = Field(default_factory=PineconeOptions)

    @property
    def clears(self) -> bool:
        return self.options.clear_namespace and bool(self.options.pinecone_namespace)

    def condition(self) -> Condition:
        return self.options.condition()


class PineconeIndex(Unprepared):
    def __init__(self, api: StoreApi, namespace: str) -> None:
        self._api = api
        self._namespace = namespace

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        rows: list[Json] = [
            {"id": key, "values": list(vector), "metadata": _properties(document)}
            for document, vector, key in zip(documents, vectors, ids, strict=True)
        ]
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            await self._api.ask("POST", "/vectors/upsert", {"vectors": part, "namespace": self._namespace})

    async def replace(self, document: Document, vector: Vector, id: str) -> None:
        await self.insert([document], [vector], [id])

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        asked: dict[str, Json] = {
            "vector": list(vector),
            "topK": limit,
            "namespace": self._namespace,
            "includeMetadata": True,
        }
        if condition:
            asked["filter"] = dict(condition)
        answer = await self._api.ask("POST", "/query", asked)
        return [_document(row) for row in list_at(answer, "matches")]

    async def clear(self) -> None:
        """A namespace that is not there yet is empty."""
        await self._api.find("POST", "/vectors/delete", {"deleteAll": True, "namespace": self._namespace})


def _properties(document: Document) -> dict[str, Json]:
    made = {name: value for name, value in _flat(document.metadata, "") if value not in (None, {}, [])}
    return {**made, _TEXT: document.text}


def _flat(value: Mapping[str, Json], before: str) -> Iterator[tuple[str, Json]]:
    """The values that a record may hold: numbers, truths, texts and lists of texts."""
    for name, found in value.items():
        if isinstance(found, list) and not all(isinstance(one, str) for one in found):
            found = {str(place): one for place, one in enumerate(found)}
        if isinstance(found, dict):
            yield from _flat(found, f"{before}{name}.")
        else:
            yield f"{before}{name}", found


def _document(row: Json) -> Document:
    metadata, score = at(row, "metadata"), at(row, "score")
    known = dict(metadata) if isinstance(metadata, dict) else {}
    text = known.pop(_TEXT, "")
    return Document(
        text if isinstance(text, str) else "",
        known,
        float(score) if isinstance(score, int | float) else 0.0,
        text_at(row, "id"),
    )


async def opened(context: PluginContext, user: StoreUser, parameters: PineconeParameters) -> PineconeIndex:
    client = ProviderClient(context, user, "pineconeApi", "Pinecone")
    name = needed(chosen(parameters.pinecone_index), "pineconeIndex")
    controller = (await client.values()).get("url", "")
    found = await StoreApi(client, controller, _VERSION).find("GET", f"/indexes/{quote(name, safe='')}")
    host = text_at(found, "host")
    if not host:
        raise NodeError(
            f"Pinecone has no index {name[:100]}; make it there, with as many dimensions as the embeddings."
        )
    if "://" not in host:
        host = f"{'http' if controller.startswith('http:') else 'https'}://{host}"
    return PineconeIndex(StoreApi(client, host, _VERSION), parameters.options.pinecone_namespace)


FORM = VectorStoreForm(
    "langchain.vectorStorePinecone",
    "Pinecone Vector Store",
    "Keeps documents with their embeddings in an index of Pinecone.",
    PineconeParameters,
    opened,
    (NodeCredential("pineconeApi"),),
)


def pinecone(context: PluginContext, kind: str) -> VectorStoreNode:
    return VectorStoreNode(context, FORM)
