"""Google Vertex AI: Gemini's chat models, and Google's embedding models. Source: Vertex AI REST reference, v1."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import EMBEDDING, LANGUAGE_MODEL, ChatModel, Embeddings
from jackfield.api.context import PluginContext
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.dialect_models import GeminiModel
from jackfield_ai.models.options import GeminiOptions
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.platforms.form import VERTEX, VERTEX_OPTIONS
from jackfield_ai.reading import at, list_at

GOOGLE = "googleApi"
CHAT_MODEL, EMBEDDING_MODEL, LOCATION = "gemini-2.5-flash", "text-embedding-005", "us-central1"
BATCH = 5
"""Texts in one request: what the models of Vertex take that take fewest but one; `ONE` takes one."""
ONE = "gemini-embedding"
_NAME = re.compile(r"[A-Za-z0-9._:@-]{1,128}")
_LOCATION = re.compile(r"[a-z0-9-]{1,40}")
_TOGETHER = ("eu", "us")
"""Locations of several regions, whose hosts are called otherwise."""


class VertexChatOptions(GeminiOptions):
    ui_fields: ClassVar[UiFields] = VERTEX_OPTIONS

    thinking_budget: int | None = None


class VertexParameters(Parameters):
    ui_fields: ClassVar[UiFields] = VERTEX

    project_id: Chosen = Field(None, description="The project in Google Cloud.")
    model_name: str = Field("", description="The model's name.")
    location: str = Field("", description="A region, global, eu or us; empty: the credential's.")


class VertexChatParameters(VertexParameters):
    model_name: str = Field(CHAT_MODEL, description="The model's name.")
    options: VertexChatOptions = Field(default_factory=VertexChatOptions)


class VertexEmbeddingParameters(VertexParameters):
    model_name: str = Field(EMBEDDING_MODEL, description="The model's name.")


class VertexPlace:
    """A model in a project. Raises `NodeError` for names that are none: they become part of an address."""

    def __init__(self, parameters: VertexParameters, default: str) -> None:
        self.model = parameters.model_name or default
        self._project = chosen(parameters.project_id)
        self._location = parameters.location
        for name, value in (("projectId", self._project), ("modelName", self.model)):
            if not _NAME.fullmatch(value):
                raise NodeError(f"The parameter {name} is empty or no name; give one such as my-project.")

    def url(self, values: Mapping[str, str], work: str) -> str:
        """Raises `NodeError`."""
        location = self._location or values.get("region", "") or LOCATION
        if not _LOCATION.fullmatch(location):
            raise NodeError("The parameter location is no region; give one such as europe-west4.")
        host = f"{location}-aiplatform.googleapis.com"
        if location == "global":
            host = "aiplatform.googleapis.com"
        elif location in _TOGETHER:
            host = f"aiplatform.{location}.rep.googleapis.com"
        place = f"/v1/projects/{self._project}/locations/{location}/publishers/google/models/{self.model}:{work}"
        return joined(f"https://{host}", place)


class VertexModel(GeminiModel):
    """Gemini's dialect at Vertex's addresses."""

    def __init__(self, client: ProviderClient, place: VertexPlace, options: VertexChatOptions) -> None:
        members = options.members()
        generation = members.get("generationConfig")
        if options.thinking_budget is not None and isinstance(generation, dict):
            generation["thinkingConfig"] = {"thinkingBudget": options.thinking_budget}
        super().__init__(client, place.model, members)
        self._place = place

    async def _url(self) -> str:
        return self._place.url(await self._client.values(), "generateContent")

    async def _stream_url(self) -> str:
        return joined(self._place.url(await self._client.values(), "streamGenerateContent"), "", "alt=sse")


class VertexEmbeddings:
    """`Embeddings` and `QueryEmbeddings`."""

    def __init__(self, client: ProviderClient, place: VertexPlace) -> None:
        self._client = client
        self._place = place

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        size = 1 if self._place.model.startswith(ONE) else BATCH
        made: list[Sequence[float]] = []
        for start in range(0, len(texts), size):
            made += await self._embedded(texts[start : start + size], "RETRIEVAL_DOCUMENT")
        return made

    async def embed_query(self, text: str) -> Sequence[float]:
        return (await self._embedded([text], "RETRIEVAL_QUERY"))[0]

    async def _embedded(self, texts: Sequence[str], task: str) -> list[Sequence[float]]:
        url = self._place.url(await self._client.values(), "predict")
        answer = await self._client.post(url, {"instances": [{"content": text, "task_type": task} for text in texts]})
        rows = [at(row, "embeddings", "values") for row in list_at(answer, "predictions")]
        if len(rows) != len(texts) or not all(isinstance(row, list) and row for row in rows):
            raise NodeError(f"Google Vertex gave {len(rows)} embeddings for {len(texts)} texts.")
        return [[float(one) for one in row if isinstance(one, int | float)] for row in rows if isinstance(row, list)]


class VertexChatNode(ServingNode):
    kind = "langchain.lmChatGoogleVertex"
    versions: Sequence[float] = (1,)
    model = VertexChatParameters
    description = NodeDescription(
        "Google Vertex Chat Model",
        "A model of Google Vertex AI.",
        "ai",
        inputs=0,
        provides=LANGUAGE_MODEL,
        credentials=(NodeCredential(GOOGLE),),
    )

    async def supply(self, node: AttachedNode, item: int) -> ChatModel:
        parameters: VertexChatParameters = await node.parameters(item)
        options = parameters.options
        client = ProviderClient(
            self._context, node, GOOGLE, "Google Vertex", timeout=options.seconds(), retries=options.max_retries
        )
        return VertexModel(client, VertexPlace(parameters, CHAT_MODEL), options)


class VertexEmbeddingsNode(ServingNode):
    kind = "langchain.embeddingsGoogleVertex"
    versions: Sequence[float] = (1,)
    model = VertexEmbeddingParameters
    description = NodeDescription(
        "Embeddings Google Vertex",
        "Embeddings of Google Vertex AI.",
        "ai",
        inputs=0,
        provides=EMBEDDING,
        credentials=(NodeCredential(GOOGLE),),
    )

    async def supply(self, node: AttachedNode, item: int) -> Embeddings:
        parameters: VertexEmbeddingParameters = await node.parameters(item)
        client = ProviderClient(self._context, node, GOOGLE, "Google Vertex")
        return VertexEmbeddings(client, VertexPlace(parameters, EMBEDDING_MODEL))


def vertex_chat(context: PluginContext, kind: str) -> VertexChatNode:
    return VertexChatNode(context)


def vertex_embeddings(context: PluginContext, kind: str) -> VertexEmbeddingsNode:
    return VertexEmbeddingsNode(context)
