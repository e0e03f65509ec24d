"""The node of every vector store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    RERANKER,
    VECTOR_STORE,
    Document,
    Embeddings,
    QueryEmbeddings,
    Reranker,
    Retriever,
    Tool,
    ToolSpec,
)
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, NodeResult, NodeRun, NodeUnavailable
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.lists import CredentialAccess, ListQuestion, LoadedPage
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.object_references import load
from jackfield.api.workflows import Item, Items
from jackfield_ai.nodes import AiNode, each_item
from jackfield_ai.parameters import required
from jackfield_ai.retrieval.item_texts import texts_of
from jackfield_ai.retrieval.stores.form import COLLECTIONS
from jackfield_ai.retrieval.stores.parameters import StoreParameters, UpdatingParameters
from jackfield_ai.retrieval.stores.port import VectorCollection, VectorStoreForm
from jackfield_ai.serving import ServedNode, documents_of, embeddings_of, reranker_of
from jackfield_ai.shapes import VECTOR_STORE_SHAPES
from jackfield_ai.tools.toolbox import FunctionTool

QUERY: dict[str, Json] = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The text to look for."}},
    "required": ["input"],
}
_LISTED = "jackfield_ai.retrieval.stores.lists:listed"
_TOGETHER_SINCE = 1.1
"""Since then the documents of all items are embedded together."""
_NAMED_BY_NODE_SINCE = 1.3


class StoredDocuments:
    """`Retriever` over a collection."""

    def __init__(
        self,
        collection: VectorCollection,
        embeddings: Embeddings,
        parameters: StoreParameters,
        reranker: Reranker | None = None,
    ) -> None:
        self._collection = collection
        self._embeddings = embeddings
        self._parameters = parameters
        self._reranker = reranker

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        most = limit or self._parameters.top_k
        vector = await self._vector(query)
        found = await self._collection.nearest(vector, most, self._parameters.condition())
        if self._reranker is None or not found:
            return found
        return await self._reranker.rerank(query, found)

    async def _vector(self, query: str) -> Sequence[float]:
        if isinstance(self._embeddings, QueryEmbeddings):
            return await self._embeddings.embed_query(query)
        return (await self._embeddings.embed([query]))[0]


class VectorStoreNode(AiNode):
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)

    def __init__(self, context: PluginContext, form: VectorStoreForm) -> None:
        super().__init__(context)
        self._form = form
        self.kind = form.kind
        self.model = form.parameters
        self.description = NodeDescription(
            form.title,
            form.summary,
            "ai",
            provides=VECTOR_STORE,
            accepts=(EMBEDDING, DOCUMENT, RERANKER),
            shapes=VECTOR_STORE_SHAPES,
            needs=(EMBEDDING,),
            credentials=form.credentials,
            missing=form.missing,
        )

    async def listed(self, question: ListQuestion, access: CredentialAccess) -> LoadedPage | None:
        """As `ListingNode.listed`. Raises `NodeError`."""
        if question.name != COLLECTIONS:
            return None
        found = cast("Callable[..., Awaitable[LoadedPage | None]]", await asyncio.to_thread(load, _LISTED))
        return await found(self.kind, self._context, question, access)

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[StoreParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        match first.mode:
            case "insert":
                return [await self._insert(run, resolved, first)]
            case "load":
                return [await each_item(run, lambda index: self._load(run, resolved[index], index))]
            case "update":
                return [await each_item(run, lambda index: self._update(run, resolved[index], index))]
        raise NodeUnavailable(
            f"In the mode {first.mode} the node does not run by itself; use insert or load, or connect it."
        )

    async def _insert(self, run: NodeRun, resolved: Sequence[StoreParameters], first: StoreParameters) -> Items:
        if first.clears:
            await (await self._open(run, first)).clear()
        together = (run.node.version or 1) >= _TOGETHER_SINCE
        waiting: list[tuple[Document, str]] = []

        async def one(index: int) -> Items:
            documents = await (await documents_of(run, index)).load()
            rows = [(document, run.idempotency_key(index, part)) for part, document in enumerate(documents)]
            if together:
                waiting.extend(rows)
            else:
                await self._keep(run, resolved[index], index, rows)
            return [_stored(document, index) for document in documents]

        made = await each_item(run, one)
        place = next((place for place, row in enumerate(resolved) if row is first), 0)
        await self._keep(run, first, place, waiting)
        return made

    async def _keep(
        self, run: NodeRun, parameters: StoreParameters, index: int, rows: Sequence[tuple[Document, str]]
    ) -> None:
        """Embeds documents and gives them to the store, some at a time."""
        if not rows:
            return
        collection, embeddings = await self._open(run, parameters), await embeddings_of(run, index)
        await collection.prepare(len(rows))
        size = parameters.embedding_batch_size
        for start in range(0, len(rows), size):
            documents = [document for document, _ in rows[start : start + size]]
            vectors = await embeddings.embed([document.text for document in documents])
            await collection.insert(documents, vectors, [key for _, key in rows[start : start + size]])

    async def _load(self, run: NodeRun, parameters: StoreParameters, index: int) -> Items:
        query = required(parameters.prompt, "prompt")
        found = await (await self._retriever(run, parameters, index)).find(query)
        whole = parameters.include_document_metadata
        return [new_item({"document": shown(one, whole), "score": one.score}, index) for one in found]

    async def _update(self, run: NodeRun, parameters: StoreParameters, index: int) -> Items:
        if not isinstance(parameters, UpdatingParameters):
            raise NodeError(f"{self._form.title} has no mode update; delete the document, and insert it again.")
        key = required(parameters.id, "id")
        documents = texts_of(run.items[index]["json"])
        if len(documents) != 1:
            raise NodeError(
                f"An item updates one document, so it has one text; this one has {len(documents)}. Let the node before "
                "keep one field."
            )
        vectors = await (await embeddings_of(run, index)).embed([documents[0].text])
        await (await self._open(run, parameters)).replace(documents[0], vectors[0], key)
        return [_stored(documents[0], index)]

    async def supply(self, node: AttachedNode, item: int) -> Retriever | Tool:
        parameters: StoreParameters = await node.parameters(item)
        if parameters.mode not in ("retrieve", "retrieve-as-tool"):
            raise NodeError(f"In the mode {parameters.mode} the node '{node.node.name}' serves no other node.")
        found = await self._retriever(node, parameters, item)
        if parameters.mode == "retrieve":
            return found
        named = (node.node.version or 1) < _NAMED_BY_NODE_SINCE and parameters.tool_name
        spec = ToolSpec(named or node.node.name, parameters.tool_description, QUERY)

        async def call(arguments: Mapping[str, Json]) -> Json:
            hits = await found.find(str(arguments.get("input", "")))
            return [shown(hit, parameters.include_document_metadata) for hit in hits]

        return FunctionTool(spec, call)

    async def _retriever(self, served: ServedNode, parameters: StoreParameters, item: int) -> StoredDocuments:
        reranker = await reranker_of(served, item) if parameters.use_reranker else None
        return StoredDocuments(
            await self._open(served, parameters), await embeddings_of(served, item), parameters, reranker
        )

    async def _open(self, user: Any, parameters: StoreParameters) -> VectorCollection:  # a run or an attached node
        return await self._form.opening(self._context, user, parameters)


def shown(document: Document, metadata: bool) -> Json:
    made: dict[str, Json] = {"pageContent": document.text}
    return {**made, "metadata": dict(document.metadata)} if metadata else made


def _stored(document: Document, index: int) -> Item:
    json: dict[str, Json] = {"metadata": dict(document.metadata), "pageContent": document.text}
    return new_item(json, index)
