"""Simple Vector Store: documents in the daemon's memory, gone when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    RERANKER,
    VECTOR_STORE,
    Document,
    Embeddings,
    Retriever,
    Tool,
    ToolSpec,
)
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import (
    AttachedNode,
    ExecutionInfo,
    NodeDescription,
    NodeError,
    NodeResult,
    NodeRun,
    NodeUnavailable,
    Parameters,
)
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Item, Items
from jackfield_ai.nodes import AiNode, each_item
from jackfield_ai.parameters import Chosen, Text, chosen, required
from jackfield_ai.retrieval.form import STORE
from jackfield_ai.retrieval.vectors import Vectors, VectorStores
from jackfield_ai.serving import documents_of, embeddings_of
from jackfield_ai.shapes import VECTOR_STORE_SHAPES
from jackfield_ai.tools.toolbox import FunctionTool

QUERY: dict[str, Json] = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "What to look for."}},
    "required": ["input"],
}


class StoreParameters(Parameters):
    ui_fields: ClassVar[UiFields] = STORE

    mode: Literal["retrieve", "insert", "load", "update", "retrieve-as-tool"] = "retrieve"
    memory_key: Chosen = Field("vector_store_key", description="Stores with one key in one workflow are one.")
    clear_store: bool = Field(False, description="insert: forget what was there.")
    prompt: Text = Field("", description="load: what to look for.")
    top_k: int = Field(4, ge=1, le=10_000)
    tool_name: str = ""
    tool_description: Text = ""
    include_document_metadata: bool = True
    use_reranker: bool = False


class StoredDocuments:
    """`Retriever` over a store."""

    def __init__(self, vectors: Vectors, embeddings: Embeddings, limit: int) -> None:
        self._vectors = vectors
        self._embeddings = embeddings
        self._limit = limit

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        vectors = await self._embeddings.embed([query])
        return await asyncio.to_thread(self._vectors.nearest, vectors[0], limit or self._limit)


class MemoryStoreNode(AiNode):
    kind = "langchain.vectorStoreInMemory"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)
    model = StoreParameters
    description = NodeDescription(
        "Simple Vector Store",
        "Keeps documents with their embeddings in memory until the daemon ends.",
        "ai",
        provides=VECTOR_STORE,
        accepts=(EMBEDDING, DOCUMENT, RERANKER),
        shapes=VECTOR_STORE_SHAPES,
        needs=(EMBEDDING,),
    )

    def __init__(self, context: PluginContext) -> None:
        super().__init__(context)
        self._stores = VectorStores(self.settings.vector_stores, self.settings.vector_documents)

    def _vectors(self, parameters: StoreParameters, execution: ExecutionInfo) -> Vectors:
        workflow = execution.workflow.id or execution.id
        return self._stores.of(workflow, chosen(parameters.memory_key, "vector_store_key"))

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[StoreParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        mode = first.mode
        if mode not in ("insert", "load"):
            raise NodeUnavailable(
                f"In the mode {mode} the node does not run by itself; use insert or load, or connect it."
            )
        if mode == "insert" and first.clear_store:
            self._vectors(first, run.execution).clear()

        async def one(index: int) -> Items:
            vectors = self._vectors(resolved[index], run.execution)
            work = self._insert if mode == "insert" else self._load
            return await work(run, vectors, resolved[index], index)

        return [await each_item(run, one)]

    async def _insert(self, run: NodeRun, vectors: Vectors, parameters: StoreParameters, index: int) -> Items:
        documents = await (await documents_of(run, index)).load()
        if documents:
            vectors.check_room(len(documents))
            embeddings = await embeddings_of(run, index)
            vectors.add(documents, await embeddings.embed([document.text for document in documents]))
        return [_stored(document, index) for document in documents]

    async def _load(self, run: NodeRun, vectors: Vectors, parameters: StoreParameters, index: int) -> Items:
        query = required(parameters.prompt, "prompt")
        found = await StoredDocuments(vectors, await embeddings_of(run, index), parameters.top_k).find(query)
        return [
            new_item(
                {"document": shown(document, parameters.include_document_metadata), "score": document.score}, index
            )
            for document in found
        ]

    async def supply(self, node: AttachedNode, item: int) -> Retriever | Tool:
        parameters: StoreParameters = await node.parameters(item)
        if parameters.use_reranker:
            raise NodeError("Rerankers are not available; switch useReranker off.")
        if parameters.mode not in ("retrieve", "retrieve-as-tool"):
            raise NodeError(f"In the mode {parameters.mode} the node '{node.node.name}' serves no other node.")
        vectors = self._vectors(parameters, node.execution)
        found = StoredDocuments(vectors, await embeddings_of(node, item), parameters.top_k)
        if parameters.mode == "retrieve":
            return found
        spec = ToolSpec(parameters.tool_name or node.node.name, parameters.tool_description, QUERY)

        async def call(arguments: Mapping[str, Json]) -> Json:
            hits = await found.find(str(arguments.get("input", "")))
            return [shown(hit, parameters.include_document_metadata) for hit in hits]

        return FunctionTool(spec, call)


def shown(document: Document, metadata: bool) -> Json:
    made: dict[str, Json] = {"pageContent": document.text}
    return {**made, "metadata": dict(document.metadata)} if metadata else made


def _stored(document: Document, index: int) -> Item:
    json: dict[str, Json] = {"metadata": dict(document.metadata), "pageContent": document.text}
    return new_item(json, index)


def memory_store(context: PluginContext, kind: str) -> MemoryStoreNode:
    return MemoryStoreNode(context)
