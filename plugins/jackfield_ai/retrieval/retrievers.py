"""Retrievers that ask a model beside another retriever, and one that asks a workflow. Sources: n8n's nodes, and
LangChain.js' MultiQueryRetriever and ContextualCompressionRetriever, whose steps these take."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import LANGUAGE_MODEL, RETRIEVER, ChatModel, Document, Message, Retriever
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import AttachedNode, NodeDescription, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Node
from jackfield_ai.nodes import ServingNode
from jackfield_ai.retrieval.form import MULTI_QUERY, WORKFLOW_RETRIEVER
from jackfield_ai.serving import model_of, retriever_of
from jackfield_ai.together import each
from jackfield_ai.tools.workflow import CallingParameters, target_of, unsaved_scopes

SIDE_BY_SIDE = 4
"""Questions, and documents that a model shortens, at the same time."""
NOTHING = "NOTHING_RELEVANT"
_LINE = re.compile(r"^\s*(?:\d+[.)]|[-*])?\s*(.*?)\s*$")


class MultiQueryOptions(Parameters):
    ui_fields: ClassVar[UiFields] = MULTI_QUERY

    query_count: int = Field(3, ge=1, le=20, description="Wordings of the question that are looked for.")


class MultiQueryParameters(Parameters):
    options: MultiQueryOptions = Field(default_factory=MultiQueryOptions)


class MultiQuery:
    """`Retriever`: what any of several wordings of the question finds."""

    def __init__(self, inner: Retriever, model: ChatModel, count: int) -> None:
        self._inner = inner
        self._model = model
        self._count = count

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        """Each document once, in the order in which they are found."""
        found = await each(await self._wordings(query), lambda one: self._inner.find(one, limit), SIDE_BY_SIDE)
        once = {dumps([one.text, dict(one.metadata)]): one for documents in reversed(found) for one in documents[::-1]}
        return list(once.values())[::-1]

    async def _wordings(self, query: str) -> list[str]:
        prompt = (
            f"Write {self._count} different versions of the question below, which will be used to look for documents "
            "by similarity. Each version takes another point of view. Answer with the versions alone, one on each "
            f"line.\n\nQuestion: {query}"
        )
        answer = await self._model.complete([Message("user", prompt)])
        lines = (_LINE.sub(r"\1", line) for line in answer.message.text.splitlines())
        return [line for line in lines if line and not line.startswith("<")][: self._count] or [query]


class Compressed:
    """`Retriever`: of each document what matters for the question."""

    def __init__(self, inner: Retriever, model: ChatModel) -> None:
        self._inner = inner
        self._model = model

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        given = await self._inner.find(query, limit)
        found = await each(given, lambda document: self._shortened(query, document), SIDE_BY_SIDE)
        return [document for document in found if document is not None]

    async def _shortened(self, query: str, document: Document) -> Document | None:
        """None: nothing of it matters."""
        prompt = (
            "Extract from the context below every part that is relevant to the question, word for word, and nothing "
            f"else. If no part is relevant, answer {NOTHING}.\n\nQuestion: {query}\nContext:\n>>>\n{document.text}\n>>>"
        )
        answer = (await self._model.complete([Message("user", prompt)])).message.text.strip()
        if not answer or NOTHING in answer:
            return None
        return Document(answer, document.metadata, document.score, document.id)


class WorkflowParameters(CallingParameters):
    ui_fields: ClassVar[UiFields] = WORKFLOW_RETRIEVER


class WorkflowRetriever:
    """`Retriever`: the items that a workflow gives for the question."""

    def __init__(self, node: AttachedNode, parameters: WorkflowParameters) -> None:
        self._node = node
        self._parameters = parameters

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        target = target_of(self._parameters)
        given: dict[str, Json] = {"query": query}
        given |= {row.name: row.value() for row in self._parameters.fields.values if row.name}
        found = await self._node.run_workflow(target, [{"json": given}])
        known: Mapping[str, Json] = {
            "source": "workflow",
            "workflowSource": self._parameters.source,
            "workflowId": target if isinstance(target, str) else self._node.execution.workflow.id,
        }
        made = [
            Document(f"### {place}. Context data:\n{_lines(item['json'])}", {**known, "itemIndex": place - 1})
            for place, item in enumerate(found, 1)
        ]
        return made[:limit] if limit else made


def _lines(value: Json, level: int = 0) -> str:
    """A line for each field, as n8n shows objects to models."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    before, made = "  " * level, ""
    for name, found in inner:
        if isinstance(found, dict | list):
            made += f'{before}- "{name}":\n{_lines(found, level + 1)}'
        else:
            made += f'{before}- "{name}": "{found if isinstance(found, str) else dumps(found).decode()}"\n'
    return made


class MultiQueryNode(ServingNode):
    kind = "langchain.retrieverMultiQuery"
    versions: Sequence[float] = (1,)
    model = MultiQueryParameters
    description = NodeDescription(
        "MultiQuery Retriever",
        "Finds what any of several wordings of a question finds.",
        "ai",
        inputs=0,
        provides=RETRIEVER,
        accepts=(LANGUAGE_MODEL, RETRIEVER),
        needs=(LANGUAGE_MODEL, RETRIEVER),
    )

    async def supply(self, node: AttachedNode, item: int) -> Retriever:
        parameters: MultiQueryParameters = await node.parameters(item)
        inner, model = await retriever_of(node, item), await model_of(node, item)
        return MultiQuery(inner, model, parameters.options.query_count)


class ContextualCompressionParameters(Parameters):
    """None."""


class ContextualCompressionNode(ServingNode):
    kind = "langchain.retrieverContextualCompression"
    versions: Sequence[float] = (1,)
    model = ContextualCompressionParameters
    description = NodeDescription(
        "Contextual Compression Retriever",
        "Keeps of documents what matters for a question.",
        "ai",
        inputs=0,
        provides=RETRIEVER,
        accepts=(LANGUAGE_MODEL, RETRIEVER),
        needs=(LANGUAGE_MODEL, RETRIEVER),
    )

    async def supply(self, node: AttachedNode, item: int) -> Retriever:
        return Compressed(await retriever_of(node, item), await model_of(node, item))


class WorkflowRetrieverNode(ServingNode):
    kind = "langchain.retrieverWorkflow"
    versions: Sequence[float] = (1, 1.1)
    model = WorkflowParameters
    effect = True
    description = NodeDescription(
        "Workflow Retriever", "Finds what another workflow gives.", "ai", inputs=0, provides=RETRIEVER
    )

    def scopes(self, node: Node) -> Collection[str]:
        return unsaved_scopes(self._context, node)

    async def supply(self, node: AttachedNode, item: int) -> Retriever:
        parameters: WorkflowParameters = await node.parameters(item)
        return WorkflowRetriever(node, parameters)


def multi_query(context: PluginContext, kind: str) -> MultiQueryNode:
    return MultiQueryNode(context)


def compression(context: PluginContext, kind: str) -> ContextualCompressionNode:
    return ContextualCompressionNode(context)


def workflow_retriever(context: PluginContext, kind: str) -> WorkflowRetrieverNode:
    return WorkflowRetrieverNode(context)
