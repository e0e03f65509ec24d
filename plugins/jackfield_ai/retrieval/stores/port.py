"""The port of vector stores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeAlias

from jackfield.api.ai import Document
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import ExecutionInfo, NodeCredential, NodeError
from jackfield.api.records import record
from jackfield.api.workflows import Node
from jackfield_ai.credential_holders import CredentialHolder

Vector: TypeAlias = "Sequence[float]"
Condition: TypeAlias = "Mapping[str, Json]"
"""Which documents count, in the store's own words; empty: all."""


class VectorCollection(Protocol):
    """A collection, which one store calls an index, another a table. Every method raises `NodeError`, without
    secrets."""

    async def prepare(self, documents: int) -> None:
        """Asked before embeddings of that many documents are paid for: raises `NodeError` where they could not be
        kept."""

    async def insert(self, documents: Sequence[Document], vectors: Sequence[Vector], ids: Sequence[str]) -> None:
        """Add documents, and the collection itself where that is possible. ids: UUIDs that are the same when a run is
        repeated. A document that has one of them is replaced. A store that numbers its documents does without."""

    async def nearest(self, vector: Vector, limit: int, condition: Condition) -> Sequence[Document]:
        """The nearest documents, nearest first, with their scores as the store counts them."""

    async def replace(self, document: Document, vector: Vector, id: str) -> None:
        """The document of this ID."""

    async def clear(self) -> None:
        """Nothing is left that `insert` with the same parameters would add to."""


class StoreUser(CredentialHolder, Protocol):
    """The opener of a collection: `NodeRun` or `AttachedNode`."""

    @property
    def node(self) -> Node: ...

    @property
    def execution(self) -> ExecutionInfo: ...


Opening: TypeAlias = "Callable[[PluginContext, StoreUser, Any], Awaitable[VectorCollection]]"
"""The last is an instance of the store's own parameters, hence Any."""


@record
class VectorStoreForm:
    """A vector store as a node. updates: whether it has the mode update."""

    kind: str
    title: str
    summary: str
    parameters: type[Any]
    """Of `StoreParameters`."""
    opening: Opening
    credentials: Sequence[NodeCredential] = field(default_factory=tuple)
    missing: str = ""
    """See `NodeDescription.missing`."""


class WithoutUpdates:
    """A base of collections whose node has no mode update."""

    async def replace(self, document: Document, vector: Vector, id: str) -> None:
        raise NodeError("This vector store has no mode update.")


class Unprepared:
    """A base of collections that refuse nothing before they are asked."""

    async def prepare(self, documents: int) -> None:
        """Nothing to ask for."""
