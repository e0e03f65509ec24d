"""AWS Bedrock: its chat models, and its embedding models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from jackfield.api.ai import EMBEDDING, LANGUAGE_MODEL, ChatModel, Completion, Embeddings, Message, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.models.options import CommonOptions
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Chosen, chosen
from jackfield_ai.parsing.schemas import read_json
from jackfield_ai.platforms.bedrock_client import AWS, BedrockClient
from jackfield_ai.platforms.converse import completion_of, request_of
from jackfield_ai.platforms.form import BEDROCK, BEDROCK_EMBEDDINGS, BEDROCK_OPTIONS, GUARDRAIL
from jackfield_ai.reading import at, list_at
from jackfield_ai.together import each

SIDE_BY_SIDE = 8
"""Texts that are embedded at the same time: a request has one."""


class Guardrail(Parameters):
    ui_fields: ClassVar[UiFields] = GUARDRAIL

    guardrail_identifier: str = ""
    guardrail_version: str = "DRAFT"
    trace: str = ""
    stream_processing_mode: str = Field("", description="Of streams; not used.")


class GuardrailValues(Parameters):
    values: Guardrail = Field(default_factory=Guardrail)


class BedrockOptions(CommonOptions):
    ui_fields: ClassVar[UiFields] = BEDROCK_OPTIONS

    max_tokens_to_sample: int | None = None
    additional_model_request_fields: object = None
    latency: Literal["standard", "optimized"] = "standard"
    guardrail: GuardrailValues = Field(default_factory=GuardrailValues)

    def members(self) -> dict[str, Json]:
        """Of the request's body. Raises `NodeError`."""
        names = {"temperature": "temperature", "top_p": "topP"}
        inference = self.renamed(names)
        if self.max_tokens_to_sample is not None and self.max_tokens_to_sample > 0:
            inference["maxTokens"] = self.max_tokens_to_sample
        made: dict[str, Json] = {"inferenceConfig": inference} if inference else {}
        if fields := further(self.additional_model_request_fields):
            made["additionalModelRequestFields"] = fields
        if self.latency != "standard":
            made["performanceConfig"] = {"latency": self.latency}
        guard = self.guardrail.values
        if guard.guardrail_identifier:
            config = {"guardrailIdentifier": guard.guardrail_identifier, "guardrailVersion": guard.guardrail_version}
            made["guardrailConfig"] = {**config, "trace": guard.trace} if guard.trace else {**config}
        return made


def further(given: object) -> dict[str, Json]:
    """Members of the author's own. Raises `NodeError`."""
    if given in (None, ""):
        return {}
    found = read_json(given, "additionalModelRequestFields")
    if not isinstance(found, dict):
        raise NodeError("The parameter additionalModelRequestFields must be a JSON object.")
    return found


class BedrockParameters(Parameters):
    ui_fields: ClassVar[UiFields] = BEDROCK

    authentication: str = "iam"
    model_source: str = Field("onDemand", description="Of version 1.1: onDemand or inferenceProfile.")
    model: Chosen = Field(None, description="A model's ID, or an inference profile's ID or ARN.")
    options: BedrockOptions = Field(default_factory=BedrockOptions)


class BedrockEmbeddingOptions(CommonOptions):
    ui_fields: ClassVar[UiFields] = BEDROCK_OPTIONS

    additional_model_request_fields: object = None


class BedrockEmbeddingParameters(Parameters):
    ui_fields: ClassVar[UiFields] = BEDROCK_EMBEDDINGS

    authentication: str = "iam"
    model: Chosen = Field(None, description="A model's ID, or an inference profile's ID or ARN.")
    options: BedrockEmbeddingOptions = Field(default_factory=BedrockEmbeddingOptions)


class ConverseModel:
    """`ChatModel`."""

    def __init__(self, client: BedrockClient, name: str, members: Mapping[str, Json]) -> None:
        self._client = client
        self.name = name
        self._members = members

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        body = request_of(messages, self._members, tools)
        return completion_of(await self._client.post(await self._client.url("converse"), body), self.name)


class BedrockEmbeddings:
    """`Embeddings` and `QueryEmbeddings`. more: members of each request."""

    def __init__(self, client: BedrockClient, name: str, more: Mapping[str, Json]) -> None:
        self._client = client
        self._name = name
        self._more = more

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await each(texts, lambda text: self._one(text, "search_document"), SIDE_BY_SIDE)

    async def embed_query(self, text: str) -> Sequence[float]:
        return await self._one(text, "search_query")

    async def _one(self, text: str, kind: str) -> Sequence[float]:
        plain = text.replace("\n", " ")
        body: dict[str, Json] = {"inputText": plain}
        if "cohere.embed" in self._name:
            body = {"texts": [plain], "input_type": kind}
        answer = await self._client.post(await self._client.url("invoke"), {**body, **self._more})
        found = _vector(answer)
        if not found:
            raise NodeError("AWS Bedrock gave no embedding; choose a model that makes embeddings.")
        return found


def _vector(answer: dict[str, Json]) -> list[float]:
    rows = at(answer, "embedding"), _chosen(at(answer, "embeddingsByType")), _first(at(answer, "embeddings"))
    row = next((row for row in rows if isinstance(row, list) and row), [])
    numbers = [float(one) for one in row if isinstance(one, int | float)]
    return numbers if len(numbers) == len(row) else []


def _first(found: Json) -> Json:
    rows = found if isinstance(found, list) else _chosen(found)
    return rows[0] if isinstance(rows, list) and rows else None


def _chosen(by_type: Json) -> Json:
    """The floats, or else the only type that there is."""
    if not isinstance(by_type, dict):
        return None
    kinds = [value for value in by_type.values() if isinstance(value, list)]
    return list_at(by_type, "float") or (kinds[0] if len(kinds) == 1 else None)


async def _client(
    context: PluginContext, node: AttachedNode, authentication: str, model: str, options: CommonOptions
) -> BedrockClient:
    """Raises `NodeError`."""
    if authentication == "assumeRole":
        raise NodeError("The authentication assumeRole is not available; give its own key (iam).")
    if not model:
        raise NodeError(f"The node '{node.node.name}' names no model; choose one.")
    return BedrockClient(context, node, model, timeout=options.seconds(), retries=options.max_retries)


class BedrockChatNode(ServingNode):
    kind = "langchain.lmChatAwsBedrock"
    versions: Sequence[float] = (1, 1.1, 1.2)
    model = BedrockParameters
    description = NodeDescription(
        "AWS Bedrock Chat Model",
        "A model of AWS Bedrock.",
        "ai",
        inputs=0,
        provides=LANGUAGE_MODEL,
        credentials=(NodeCredential(AWS),),
    )

    async def supply(self, node: AttachedNode, item: int) -> ChatModel:
        parameters: BedrockParameters = await node.parameters(item)
        name, options = chosen(parameters.model), parameters.options
        client = await _client(self._context, node, parameters.authentication, name, options)
        return ConverseModel(client, name, options.members())


class BedrockEmbeddingsNode(ServingNode):
    kind = "langchain.embeddingsAwsBedrock"
    versions: Sequence[float] = (1,)
    model = BedrockEmbeddingParameters
    description = NodeDescription(
        "Embeddings AWS Bedrock",
        "Embeddings of AWS Bedrock.",
        "ai",
        inputs=0,
        provides=EMBEDDING,
        credentials=(NodeCredential(AWS),),
    )

    async def supply(self, node: AttachedNode, item: int) -> Embeddings:
        parameters: BedrockEmbeddingParameters = await node.parameters(item)
        name, options = chosen(parameters.model), parameters.options
        client = await _client(self._context, node, parameters.authentication, name, options)
        return BedrockEmbeddings(client, name, further(options.additional_model_request_fields))


def bedrock_chat(context: PluginContext, kind: str) -> BedrockChatNode:
    return BedrockChatNode(context)


def bedrock_embeddings(context: PluginContext, kind: str) -> BedrockEmbeddingsNode:
    return BedrockEmbeddingsNode(context)
