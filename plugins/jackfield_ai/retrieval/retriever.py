"""Vector Store Retriever, and the tool that answers questions from a vector store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL, RETRIEVER, TOOL, VECTOR_STORE, Document, Retriever, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Text
from jackfield_ai.retrieval.answering import SYSTEM, answered
from jackfield_ai.retrieval.form import TOP_K
from jackfield_ai.retrieval.stores.node import QUERY
from jackfield_ai.serving import model_of
from jackfield_ai.tools.form import NAMED_TOOL
from jackfield_ai.tools.toolbox import FunctionTool


async def _store_of(node: AttachedNode, item: int) -> Retriever:
    parts = node.attached(VECTOR_STORE)
    if not parts:
        raise NodeError(f"The node '{node.node.name}' needs a vector store; attach one.")
    found = await parts[0].supply(item)
    if not hasattr(found, "find"):
        raise NodeError(f"The node '{parts[0].node.name}' does not give a vector store; set its mode to retrieve.")
    return cast("Retriever", found)


class RetrieverParameters(Parameters):
    ui_fields: ClassVar[UiFields] = TOP_K

    top_k: int = Field(4, ge=1, le=10_000)


class Limited:
    """`Retriever` with its own limit."""

    def __init__(self, inner: Retriever, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        return await self._inner.find(query, limit or self._limit)


class RetrieverNode(ServingNode):
    kind = "langchain.retrieverVectorStore"
    versions: Sequence[float] = (1,)
    model = RetrieverParameters
    description = NodeDescription(
        "Vector Store Retriever",
        "Finds documents in a vector store.",
        "ai",
        inputs=0,
        provides=RETRIEVER,
        accepts=(VECTOR_STORE,),
        needs=(VECTOR_STORE,),
    )

    async def supply(self, node: AttachedNode, item: int) -> Retriever:
        parameters: RetrieverParameters = await node.parameters(item)
        return Limited(await _store_of(node, item), parameters.top_k)


class ToolParameters(RetrieverParameters):
    ui_fields: ClassVar[UiFields] = NAMED_TOOL

    name: str = ""
    description: Text = ""


class StoreToolNode(ServingNode):
    kind = "langchain.toolVectorStore"
    versions: Sequence[float] = (1, 1.1)
    model = ToolParameters
    description = NodeDescription(
        "Vector Store Question Answer Tool",
        "Answers questions of an agent from a vector store.",
        "ai",
        inputs=0,
        provides=TOOL,
        accepts=(VECTOR_STORE, LANGUAGE_MODEL),
        needs=(VECTOR_STORE, LANGUAGE_MODEL),
    )

    async def supply(self, node: AttachedNode, item: int) -> Tool:
        parameters: ToolParameters = await node.parameters(item)
        store, model = await _store_of(node, item), await model_of(node, item)
        name = parameters.name or node.node.name
        about = f"Useful for when you need to answer questions about {name}. {parameters.description}".strip()

        async def call(arguments: Mapping[str, Json]) -> Json:
            question = str(arguments.get("input", ""))
            return await answered(model, question, await store.find(question, parameters.top_k), SYSTEM)

        return FunctionTool(ToolSpec(name, about, QUERY), call)


def retriever(context: PluginContext, kind: str) -> RetrieverNode:
    return RetrieverNode(context)


def store_tool(context: PluginContext, kind: str) -> StoreToolNode:
    return StoreToolNode(context)
