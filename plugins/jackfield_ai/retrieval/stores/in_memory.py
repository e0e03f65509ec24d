"""Simple Vector Store: documents in the daemon's memory, gone when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.retrieval.form import IN_MEMORY
from jackfield_ai.retrieval.stores.node import VectorStoreNode
from jackfield_ai.retrieval.stores.parameters import StoreParameters
from jackfield_ai.retrieval.stores.port import Condition, StoreUser, Vector, VectorStoreForm, WithoutUpdates
from jackfield_ai.retrieval.vectors import Vectors, VectorStores
from jackfield_ai.settings import AiSettings


class InMemoryParameters(StoreParameters):
    ui_fields: ClassVar[UiFields] = IN_MEMORY

    memory_key: Chosen = Field("vector_store_key", description="Stores with one key in one workflow are one.")
    clear_store: bool = Field(False, description="insert: forget what was there.")

    @property
    def clears(self) -> bool:
        return self.clear_store


class InMemoryCollection(WithoutUpdates):
    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    async def prepare(self, documents: int) -> None:
        self._vectors.check_room(documents)

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        self._vectors.add(documents, vectors)

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        return await asyncio.to_thread(self._vectors.nearest, vector, limit)

    async def clear(self) -> None:
        self._vectors.clear()


def in_memory(context: PluginContext, kind: str) -> VectorStoreNode:
    settings = context.settings(AiSettings)
    stores = VectorStores(settings.vector_stores, settings.vector_documents)

    async def opened(context: PluginContext, user: StoreUser, parameters: InMemoryParameters) -> InMemoryCollection:
        workflow = user.execution.workflow.id or user.execution.id
        return InMemoryCollection(stores.of(workflow, chosen(parameters.memory_key, "vector_store_key")))

    form = VectorStoreForm(
        kind,
        "Simple Vector Store",
        "Keeps documents with their embeddings in memory until the daemon ends.",
        InMemoryParameters,
        opened,
    )
    return VectorStoreNode(context, form)
