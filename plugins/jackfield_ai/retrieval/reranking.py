"""Reranker Cohere. Source: Cohere's API reference, rerank (v2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import RERANKER, Document, Reranker
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.records import replace
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, list_at
from jackfield_ai.retrieval.form import RERANKING

MODEL = "rerank-v3.5"


class RerankingParameters(Parameters):
    ui_fields: ClassVar[UiFields] = RERANKING

    model_name: Chosen = MODEL
    top_n: int = Field(3, ge=1, le=10_000, description="Documents that are left.")


class CohereReranker:
    """`Reranker`."""

    def __init__(self, client: ProviderClient, model: str, most: int) -> None:
        self._client = client
        self._model = model
        self._most = most

    async def rerank(self, query: str, documents: Sequence[Document]) -> Sequence[Document]:
        url = joined((await self._client.values()).get("url", ""), "/v2/rerank")
        texts: list[Json] = [document.text for document in documents]
        most = min(self._most, len(documents))
        answer = await self._client.post(url, {"model": self._model, "query": query, "documents": texts, "top_n": most})
        found: list[Document] = []
        for row in list_at(answer, "results"):
            place, score = at(row, "index"), at(row, "relevance_score")
            if not isinstance(place, int) or not 0 <= place < len(documents) or not isinstance(score, int | float):
                raise NodeError("Cohere gave a result that is none of the documents.")
            found.append(replace(documents[place], score=float(score)))
        return found


class RerankerNode(ServingNode):
    kind = "langchain.rerankerCohere"
    versions: Sequence[float] = (1,)
    model = RerankingParameters
    description = NodeDescription(
        "Reranker Cohere",
        "Sorts documents by how well they answer a question.",
        "ai",
        inputs=0,
        provides=RERANKER,
        credentials=(NodeCredential("cohereApi"),),
    )

    async def supply(self, node: AttachedNode, item: int) -> Reranker:
        parameters: RerankingParameters = await node.parameters(item)
        client = ProviderClient(self._context, node, "cohereApi", "Cohere")
        return CohereReranker(client, chosen(parameters.model_name, MODEL), parameters.top_n)


def reranker(context: PluginContext, kind: str) -> RerankerNode:
    return RerankerNode(context)
