"""Google Gemini and Anthropic as their own nodes: messages and images, without a model node."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field, JsonValue

from jackfield.api.ai import TOOL, ChatModel, Message, Picture
from jackfield.api.context import PluginContext
from jackfield.api.http_client import HttpCall, HttpClient
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeCredential, NodeDescription, NodeError, NodeResult, NodeRun, Parameters
from jackfield.api.nodes.items import new_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.workflows import Items
from jackfield_ai.agent.loop import continued
from jackfield_ai.asking import CountedModel
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.dialect_models import AnthropicModel, GeminiModel
from jackfield_ai.models.form import STANDALONE, STANDALONE_OPTIONS, STANDALONE_ROLES
from jackfield_ai.models.listing import ModelListingNode
from jackfield_ai.models.options import CommonOptions
from jackfield_ai.nodes import each_item
from jackfield_ai.parameters import Chosen, Text, chosen
from jackfield_ai.pictures import MAX_BYTES, MAX_PICTURES, picture_of
from jackfield_ai.reading import list_at
from jackfield_ai.shapes import PROVIDER_SHAPES
from jackfield_ai.tools.toolbox import Toolbox, tools_of

_ROUNDS = 15


class StandaloneMessage(Parameters, title="DirectMessage"):
    ui_fields: ClassVar[UiFields] = STANDALONE_ROLES

    role: str = "user"
    content: Text = ""


class StandaloneMessages(Parameters, title="DirectMessages"):
    values: list[StandaloneMessage] = Field(default_factory=list)


class StandaloneOptions(CommonOptions, title="DirectOptions"):
    ui_fields: ClassVar[UiFields] = STANDALONE_OPTIONS

    system_message: Text = ""
    system: Text = ""
    max_tokens: int | None = None
    max_output_tokens: int | None = None
    top_k: int | None = None
    max_tools_iterations: int = _ROUNDS


class StandaloneParameters(Parameters, title="DirectParameters"):
    ui_fields: ClassVar[UiFields] = STANDALONE

    resource: str = Field("text", description="text or image.")
    operation: str = Field("", description="message, or analyze for images.")
    model_id: Chosen = None
    messages: StandaloneMessages = Field(default_factory=StandaloneMessages)
    simplify: bool = True
    json_output: bool = False
    built_in_tools: dict[str, JsonValue] = Field(default_factory=dict, description="Not available.")
    text: Text = ""
    input_type: str = "url"
    image_urls: Text = ""
    binary_property_name: str = "data"
    options: StandaloneOptions = Field(default_factory=StandaloneOptions)


class StandaloneNode(ModelListingNode):
    """The common part of the two."""

    model = StandaloneParameters

    def _chat(self, run: NodeRun, parameters: StandaloneParameters) -> ChatModel:
        """The provider's model, as the parameters want it; every provider has its own."""
        raise NotImplementedError

    def _shown(self, raw: Json) -> list[dict[str, Json]]:
        """The part of the provider's answer that matters: one object per item."""
        raise NotImplementedError

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[StandaloneParameters] = await run.resolve()

        async def one(index: int) -> Items:
            return await self._one(run, resolved[index], index)

        return [await each_item(run, one)]

    async def _one(self, run: NodeRun, parameters: StandaloneParameters, index: int) -> Items:
        messages = await self._messages(run, parameters, index)
        tools = Toolbox(await tools_of(run, index), self.settings)
        model = CountedModel(self._chat(run, parameters))
        rounds = max(1, min(parameters.options.max_tools_iterations, self.settings.max_iterations))
        try:
            answer = await continued(model, messages, tools, self.settings, rounds=rounds, json=parameters.json_output)
        finally:
            model.log(run)
        rows = self._shown(answer.raw) if parameters.simplify else [answer.raw]
        return [new_item(row, index) for row in rows if isinstance(row, dict)]

    async def _messages(self, run: NodeRun, parameters: StandaloneParameters, index: int) -> list[Message]:
        options, what = parameters.options, (parameters.resource, parameters.operation)
        system = options.system_message or options.system
        made = [Message("system", system)] if system else []
        if what in (("text", ""), ("text", "message")):
            rows = [row for row in parameters.messages.values if row.content]
            made += [
                Message("assistant" if row.role in ("model", "assistant") else "user", row.content) for row in rows
            ]
            if not rows:
                raise NodeError("The node has no messages; fill in at least one.")
            return made
        if what == ("image", "analyze"):
            pictures = await self._pictures(run, parameters, index)
            return [*made, Message("user", parameters.text or "What's in this image?", pictures)]
        raise NodeError(f"The operation {' '.join(what)} is not available; there are: text message, image analyze.")

    async def _pictures(self, run: NodeRun, parameters: StandaloneParameters, index: int) -> Sequence[Picture]:
        stored = parameters.input_type != "url"
        listed = parameters.binary_property_name if stored else parameters.image_urls
        wanted = [one.strip() for one in listed.split(",") if one.strip()]
        if len(wanted) > MAX_PICTURES:
            raise NodeError(f"The node names {len(wanted)} images, more than {MAX_PICTURES}.")
        if stored:
            return [await picture_of(run, index, name) for name in wanted]
        return [await self._fetched(url) for url in wanted]

    async def _fetched(self, url: str) -> Picture:
        reply = await self._context.port(HttpClient).send(HttpCall("GET", url))
        kind = reply.header("content-type").partition(";")[0].strip()
        if not 200 <= reply.status < 300 or not kind.startswith("image/"):
            raise NodeError(f"There is no image at the address ({reply.status}, {kind or 'no type'}).")
        if len(reply.body) > MAX_BYTES:
            raise NodeError(f"The image at the address has {len(reply.body)} bytes, more than {MAX_BYTES}.")
        return Picture(kind, base64.b64encode(reply.body).decode())

    def _client(self, run: NodeRun, parameters: StandaloneParameters, kind: str, title: str) -> ProviderClient:
        options = parameters.options
        if any(value not in (None, False, {}, []) for value in parameters.built_in_tools.values()):
            raise NodeError("Built-in tools of the provider (builtInTools) are not available; attach tools.")
        return ProviderClient(self._context, run, kind, title, timeout=options.seconds(), retries=options.max_retries)


class GeminiNode(StandaloneNode):
    kind = "langchain.googleGemini"
    versions: Sequence[float] = (1, 1.1)
    description = NodeDescription(
        "Google Gemini",
        "Texts and images with Google Gemini.",
        "ai",
        accepts=(TOOL,),
        shapes=PROVIDER_SHAPES,
        credentials=(NodeCredential("googlePalmApi"),),
    )

    def _chat(self, run: NodeRun, parameters: StandaloneParameters) -> ChatModel:
        client = self._client(run, parameters, "googlePalmApi", "Google Gemini")
        names: Mapping[str, str] = {
            "temperature": "temperature",
            "top_p": "topP",
            "top_k": "topK",
            "max_output_tokens": "maxOutputTokens",
        }
        name = chosen(parameters.model_id, "models/gemini-2.5-flash")
        return GeminiModel(client, name, {"generationConfig": parameters.options.renamed(names)})

    def _shown(self, raw: Json) -> list[dict[str, Json]]:
        return [row for row in list_at(raw, "candidates") if isinstance(row, dict)]


class AnthropicNode(StandaloneNode):
    kind = "langchain.anthropic"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Anthropic",
        "Texts and images with Anthropic.",
        "ai",
        accepts=(TOOL,),
        shapes=PROVIDER_SHAPES,
        credentials=(NodeCredential("anthropicApi"),),
    )

    def _chat(self, run: NodeRun, parameters: StandaloneParameters) -> ChatModel:
        client = self._client(run, parameters, "anthropicApi", "Anthropic")
        names = {"temperature": "temperature", "top_p": "top_p", "top_k": "top_k"}
        members = {"max_tokens": parameters.options.max_tokens or 1024, **parameters.options.renamed(names)}
        return AnthropicModel(client, chosen(parameters.model_id, "claude-sonnet-4-20250514"), members)

    def _shown(self, raw: Json) -> list[dict[str, Json]]:
        return [{"content": list_at(raw, "content")}]


def gemini(context: PluginContext, kind: str) -> GeminiNode:
    return GeminiNode(context)


def anthropic(context: PluginContext, kind: str) -> AnthropicNode:
    return AnthropicNode(context)
