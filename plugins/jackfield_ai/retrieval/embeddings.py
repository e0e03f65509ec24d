"""The nodes that are embedding models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import ClassVar

from pydantic import Field

from jackfield.api.ai import EMBEDDING, Embeddings
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.records import record
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.form import EMBEDDING_OPTIONS, EMBEDDING_UI
from jackfield_ai.models.listing import ModelListingNode
from jackfield_ai.models.providers import azure_url
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.reading import at, count_at, list_at

BATCH = 100
"""Texts in one request; providers accept at least that many."""


class EmbeddingOptions(Parameters):
    ui_fields: ClassVar[UiFields] = EMBEDDING_OPTIONS

    base_url: str | None = Field(None, alias="baseURL")
    dimensions: int | None = None
    batch_size: int = Field(BATCH, ge=1)
    strip_new_lines: bool = True
    timeout: float | None = Field(None, description="Seconds; -1: as the settings say.")
    max_retries: int | None = None


class EmbeddingParameters(Parameters):
    ui_fields: ClassVar[UiFields] = EMBEDDING_UI

    model: Chosen = None
    model_name: Chosen = None
    options: EmbeddingOptions = Field(default_factory=EmbeddingOptions)


@record
class EmbeddingApi:
    """`address`: credential, model -> where. `body`: model, texts, options -> request. `read`: answer -> vectors, in
    the order of the texts. `asked`: members of the request for what is looked for."""

    address: Callable[[Mapping[str, str], str], str]
    body: Callable[[str, Sequence[str], EmbeddingOptions], dict[str, Json]]
    read: Callable[[dict[str, Json]], list[Json]]
    asked: Mapping[str, Json] = field(default_factory=dict)


def _open_ai_body(model: str, texts: Sequence[str], options: EmbeddingOptions) -> dict[str, Json]:
    made: dict[str, Json] = {"model": model, "input": list(texts)}
    return {**made, "dimensions": options.dimensions} if options.dimensions else made


def _open_ai_read(answer: dict[str, Json]) -> list[Json]:
    rows = sorted(list_at(answer, "data"), key=lambda row: count_at(row, "index"))
    return [at(row, "embedding") for row in rows]


def _gemini_name(model: str) -> str:
    return model if "/" in model else f"models/{model}"


OPEN_AI = EmbeddingApi(lambda values, _: joined(values.get("url", ""), "/embeddings"), _open_ai_body, _open_ai_read)
GEMINI = EmbeddingApi(
    lambda values, model: joined(values.get("host", ""), f"/v1beta/{_gemini_name(model)}:batchEmbedContents"),
    lambda model, texts, _: {
        "requests": [{"model": _gemini_name(model), "content": {"parts": [{"text": text}]}} for text in texts]
    },
    lambda answer: [at(row, "values") for row in list_at(answer, "embeddings")],
)
OLLAMA = EmbeddingApi(
    lambda values, _: joined(values.get("baseUrl", ""), "/api/embed"),
    lambda model, texts, _: {"model": model, "input": list(texts)},
    lambda answer: list_at(answer, "embeddings"),
)
AZURE = EmbeddingApi(lambda values, model: azure_url(values, model, "embeddings"), _open_ai_body, _open_ai_read)
COHERE = EmbeddingApi(
    lambda values, _: joined(values.get("url", ""), "/v2/embed"),
    lambda model, texts, _: {
        "model": model,
        "texts": list(texts),
        "input_type": "search_document",
        "embedding_types": ["float"],
    },
    lambda answer: list_at(answer, "embeddings", "float"),
    {"input_type": "search_query"},
)
COHERE_BATCH = 96
"""Texts that Cohere takes in one request."""


@record
class EmbeddingProvider:
    title: str
    versions: Sequence[float]
    credential: str
    default_model: str
    dialect: EmbeddingApi
    batch: int = BATCH


SOURCES: Mapping[str, EmbeddingProvider] = {
    "langchain.embeddingsOpenAi": EmbeddingProvider(
        "OpenAI", (1, 1.1, 1.2), "openAiApi", "text-embedding-3-small", OPEN_AI
    ),
    "langchain.embeddingsAzureOpenAi": EmbeddingProvider("Azure OpenAI", (1,), "azureOpenAiApi", "", AZURE),
    "langchain.embeddingsCohere": EmbeddingProvider(
        "Cohere", (1,), "cohereApi", "embed-english-v2.0", COHERE, COHERE_BATCH
    ),
    "langchain.embeddingsGoogleGemini": EmbeddingProvider(
        "Google Gemini", (1,), "googlePalmApi", "models/gemini-embedding-001", GEMINI
    ),
    "langchain.embeddingsMistralCloud": EmbeddingProvider("Mistral", (1,), "mistralCloudApi", "mistral-embed", OPEN_AI),
    "langchain.embeddingsOllama": EmbeddingProvider("Ollama", (1,), "ollamaApi", "llama3.2", OLLAMA),
}


class RemoteEmbeddings:
    """`Embeddings` of a provider."""

    def __init__(
        self, client: ProviderClient, source: EmbeddingProvider, model: str, options: EmbeddingOptions
    ) -> None:
        self._client = client
        self._dialect = source.dialect
        self._most = source.batch
        self._model = model
        self._options = options

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await self._embedded(texts, {})

    async def embed_query(self, text: str) -> Sequence[float]:
        return (await self._embedded([text], self._dialect.asked))[0]

    async def _embedded(self, texts: Sequence[str], more: Mapping[str, Json]) -> Sequence[Sequence[float]]:
        values = await self._client.values()
        if self._options.base_url:
            values = {**values, "url": self._options.base_url}
        url = self._dialect.address(values, self._model)
        made: list[Sequence[float]] = []
        for batch in _batches(texts, min(self._options.batch_size, self._most)):
            plain = [text.replace("\n", " ") for text in batch] if self._options.strip_new_lines else batch
            body = {**self._dialect.body(self._model, plain, self._options), **more}
            answer = await self._client.post(url, body)
            rows = self._dialect.read(answer)
            if len(rows) != len(batch):
                raise NodeError(f"{self._client.title} gave {len(rows)} embeddings for {len(batch)} texts.")
            made += [_vector(row, self._client.title) for row in rows]
        return made


def _vector(row: Json, title: str) -> Sequence[float]:
    numbers = [float(one) for one in row if isinstance(one, int | float)] if isinstance(row, list) else []
    if not numbers or not isinstance(row, list) or len(numbers) != len(row):
        raise NodeError(f"{title} gave an embedding that is no list of numbers.")
    return numbers


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[start : start + size] for start in range(0, len(texts), size))


class EmbeddingsNode(ModelListingNode, ServingNode):
    model = EmbeddingParameters
    vectors = True

    def __init__(self, context: PluginContext, kind: str) -> None:
        super().__init__(context)
        self.kind = kind
        self._source = SOURCES[kind]
        self.versions = self._source.versions
        title = self._source.title
        self.description = NodeDescription(
            f"Embeddings {title}",
            f"Embeddings of {title}.",
            "ai",
            inputs=0,
            provides=EMBEDDING,
            credentials=(NodeCredential(self._source.credential),),
        )

    async def supply(self, node: AttachedNode, item: int) -> Embeddings:
        parameters: EmbeddingParameters = await node.parameters(item)
        source, options = self._source, parameters.options
        client = ProviderClient(
            self._context,
            node,
            source.credential,
            source.title,
            timeout=options.timeout,
            retries=options.max_retries,
        )
        name = chosen(parameters.model) or chosen(parameters.model_name, source.default_model)
        if not name:
            raise NodeError(f"The node '{node.node.name}' names no model; choose one.")
        return RemoteEmbeddings(client, source, name, options)


def embeddings(context: PluginContext, kind: str) -> EmbeddingsNode:
    return EmbeddingsNode(context, kind)
