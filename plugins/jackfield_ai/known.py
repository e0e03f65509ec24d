"""Types of which only the parameters are known: a workflow that has them is valid up to where one is reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, JsonValue

from jackfield.api.context import PluginContext
from jackfield.api.nodes import (
    AttachedNode,
    NodeDescription,
    NodeParameters,
    NodeResult,
    NodeRun,
    NodeUnavailable,
    Parameters,
)
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Node
from jackfield_ai.form import KNOWN_MEMORY
from jackfield_ai.known_kinds import KNOWN
from jackfield_ai.parameters import Chosen
from jackfield_ai.retrieval.form import KNOWN_STORE
from jackfield_ai.shapes import VECTOR_STORE_SHAPES


class KnownParameters(Parameters):
    """Anything; what is needed to run the node is not written yet."""


class KnownStoreParameters(KnownParameters):
    ui_fields: ClassVar[UiFields] = KNOWN_STORE

    mode: str = "retrieve"
    top_k: int = 4
    table_name: Chosen = None
    qdrant_collection: Chosen = None
    pinecone_index: Chosen = None
    prompt: object = ""
    tool_name: object = ""
    tool_description: object = ""
    use_reranker: object = False
    include_document_metadata: object = True
    options: dict[str, JsonValue] = Field(default_factory=dict)


class KnownMemoryParameters(KnownParameters):
    ui_fields: ClassVar[UiFields] = KNOWN_MEMORY

    session_id_type: str = "fromInput"
    session_key: str = ""
    table_name: str = ""
    context_window_length: int = 5


FORMS: Mapping[str, type[NodeParameters]] = {
    "plain": KnownParameters,
    "store": KnownStoreParameters,
    "memory": KnownMemoryParameters,
}


class KnownNode:
    """Validates, and fails when it is reached."""

    effect = False

    def __init__(self, kind: str) -> None:
        known = KNOWN[kind]
        self.kind = kind
        self.versions = known.versions
        self._known = known
        self.description = NodeDescription(
            known.title,
            f"Only the parameters are known; it does not run. {known.missing}",
            "ai",
            inputs=0 if known.provides else 1,
            provides=known.provides,
            accepts=known.accepts,
            shapes=VECTOR_STORE_SHAPES if known.form == "store" else (),
            missing=known.missing,
        )

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return FORMS[self._known.form]

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        raise self._refusal(run.node)

    async def supply(self, node: AttachedNode, item: int) -> object:
        raise self._refusal(node.node)

    def _refusal(self, node: Node) -> NodeUnavailable:
        return NodeUnavailable(f"The node '{node.name}' ({node.type}) cannot run: {self._known.missing}")


def known(context: PluginContext, kind: str) -> KnownNode:
    return KnownNode(kind)
