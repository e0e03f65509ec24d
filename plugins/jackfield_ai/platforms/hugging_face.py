"""Hugging Face: embeddings, and texts that a model goes on with. Source: Hugging Face, Inference Providers, HF
Inference: feature extraction, text generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import quote

from pydantic import Field

from jackfield.api.ai import EMBEDDING, LANGUAGE_MODEL, ChatModel, Completion, Embeddings, Message, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.nodes import ServingNode
from jackfield_ai.platforms.form import HUGGING_FACE, HUGGING_FACE_OPTIONS
from jackfield_ai.reading import text_at

KIND = "huggingFaceApi"
EMBEDDING_MODEL = "sentence-transformers/distilbert-base-nli-mean-tokens"
TEXT_MODEL = "mistralai/Mistral-Nemo-Base-2407"
BATCH = 32
_PROVIDERS = ("", "auto", "hf-inference")
"""Those that take the requests of Hugging Face's own; others have their own addresses and model names."""


class HuggingFaceEmbeddingOptions(Parameters):
    ui_fields: ClassVar[UiFields] = HUGGING_FACE_OPTIONS

    endpoint_url: str = Field("", description="An endpoint of your own, in place of Hugging Face's.")
    provider: str = Field("auto", description="auto or hf-inference.")


class HuggingFaceEmbeddingParameters(Parameters):
    ui_fields: ClassVar[UiFields] = HUGGING_FACE

    model_name: str = Field(EMBEDDING_MODEL, description="The model's name.")
    options: HuggingFaceEmbeddingOptions = Field(default_factory=HuggingFaceEmbeddingOptions)


class TextOptions(Parameters):
    ui_fields: ClassVar[UiFields] = HUGGING_FACE_OPTIONS

    endpoint_url: str = Field("", description="An endpoint of your own, in place of Hugging Face's.")
    frequency_penalty: float | None = None
    max_tokens: int | None = None
    presence_penalty: float | None = Field(None, description="Not known to Hugging Face; not sent.")
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None

    def members(self) -> dict[str, Json]:
        given: dict[str, Json] = {
            "max_new_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_k": self.top_k,
            "top_p": self.top_p,
            "repetition_penalty": self.frequency_penalty,
            "return_full_text": False,
        }
        return {name: value for name, value in given.items() if value is not None}


class TextParameters(Parameters):
    ui_fields: ClassVar[UiFields] = HUGGING_FACE

    model: str = Field(TEXT_MODEL, description="The model's name.")
    options: TextOptions = Field(default_factory=TextOptions)


class HuggingFace:
    """One model. endpoint: empty for Hugging Face's own."""

    def __init__(self, client: ProviderClient, model: str, endpoint: str) -> None:
        self._client = client
        self.model = model
        self._endpoint = endpoint

    async def asked(self, pipeline: str, body: dict[str, Json]) -> Json:
        """Raises `NodeError`."""
        url = self._endpoint
        if not url:
            base = (await self._client.values()).get("url", "")
            url = joined(base, f"/hf-inference/models/{quote(self.model, safe='/')}{pipeline}")
        reply = await self._client.answer(url, dumps(body))
        try:
            return loads(reply.body)
        except InvalidInput:
            raise NodeError("Hugging Face answered with something that is no JSON.") from None


class HuggingFaceEmbeddings:
    """`Embeddings`."""

    def __init__(self, model: HuggingFace) -> None:
        self._model = model

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        made: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            # Line ends become blanks, as LangChain.js has it.
            given: list[Json] = [text.replace("\n", " ") for text in texts[start : start + BATCH]]
            found = await self._model.asked("/pipeline/feature-extraction", {"inputs": given})
            rows = found if isinstance(found, list) else []
            if len(rows) != len(given):
                raise NodeError(f"Hugging Face gave {len(rows)} embeddings for {len(given)} texts.")
            made += [_vector(row) for row in rows]
        return made


def _vector(row: Json) -> Sequence[float]:
    """Raises `NodeError`, also for a model that gives a vector for each token."""
    numbers = [float(one) for one in row if isinstance(one, int | float)] if isinstance(row, list) else []
    if not numbers or not isinstance(row, list) or len(numbers) != len(row):
        raise NodeError("Hugging Face gave no vector for a text; choose a model for sentence similarity.")
    return numbers


class TextModel:
    """`ChatModel` of a model that goes on with a text; it calls no tools."""

    def __init__(self, model: HuggingFace, options: TextOptions) -> None:
        self._model = model
        self._options = options

    @property
    def name(self) -> str:
        return self._model.model

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        if tools:
            raise NodeError("Hugging Face Inference Model calls no tools; use a chat model with this agent.")
        prompt = "\n\n".join(one.text for one in messages if one.text)
        found = await self._model.asked("", {"inputs": prompt, "parameters": self._options.members()})
        row = found[0] if isinstance(found, list) and found else found
        return Completion(Message("assistant", text_at(row, "generated_text")), model=self.name, raw=found)


class HuggingFaceEmbeddingsNode(ServingNode):
    kind = "langchain.embeddingsHuggingFaceInference"
    versions: Sequence[float] = (1,)
    model = HuggingFaceEmbeddingParameters
    description = NodeDescription(
        "Embeddings Hugging Face Inference",
        "Embeddings of Hugging Face.",
        "ai",
        inputs=0,
        provides=EMBEDDING,
        credentials=(NodeCredential(KIND),),
    )

    async def supply(self, node: AttachedNode, item: int) -> Embeddings:
        parameters: HuggingFaceEmbeddingParameters = await node.parameters(item)
        options = parameters.options
        if options.provider not in _PROVIDERS:
            raise NodeError(f"The provider {options.provider[:100]} is not available; use hf-inference.")
        client = ProviderClient(self._context, node, KIND, "Hugging Face")
        name = parameters.model_name or EMBEDDING_MODEL
        return HuggingFaceEmbeddings(HuggingFace(client, name, options.endpoint_url))


class HuggingFaceModelNode(ServingNode):
    kind = "langchain.lmOpenHuggingFaceInference"
    versions: Sequence[float] = (1,)
    model = TextParameters
    description = NodeDescription(
        "Hugging Face Inference Model",
        "A model of Hugging Face that goes on with a text.",
        "ai",
        inputs=0,
        provides=LANGUAGE_MODEL,
        credentials=(NodeCredential(KIND),),
    )

    async def supply(self, node: AttachedNode, item: int) -> ChatModel:
        parameters: TextParameters = await node.parameters(item)
        client = ProviderClient(self._context, node, KIND, "Hugging Face")
        model = HuggingFace(client, parameters.model or TEXT_MODEL, parameters.options.endpoint_url)
        return TextModel(model, parameters.options)


def hugging_face_embeddings(context: PluginContext, kind: str) -> HuggingFaceEmbeddingsNode:
    return HuggingFaceEmbeddingsNode(context)


def hugging_face_model(context: PluginContext, kind: str) -> HuggingFaceModelNode:
    return HuggingFaceModelNode(context)
