"""The nodes that are chat models: one row per provider, one function per wire format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from jackfield.api.ai import LANGUAGE_MODEL, ChatModel
from jackfield.api.context import PluginContext
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError
from jackfield.api.records import record
from jackfield.api.urls import joined
from jackfield_ai.models.client import ProviderClient
from jackfield_ai.models.dialect_models import AnthropicModel, GeminiModel, OpenAiModel
from jackfield_ai.models.listing import ModelListingNode
from jackfield_ai.models.ollama import OllamaModel
from jackfield_ai.models.options import (
    AnthropicParameters,
    AzureOpenAiParameters,
    ChatModelParameters,
    GeminiParameters,
    OllamaParameters,
    OpenAiParameters,
)
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import chosen

Build = Callable[[PluginContext, AttachedNode, "ChatProvider", Any], ChatModel]
"""The last is an instance of the provider's own parameters, hence Any."""


@record
class ChatProvider:
    """tokens: what an OpenAI-like provider calls the limit on tokens; headers: that it wants."""

    kind: str
    title: str
    versions: Sequence[float]
    credential: str
    default_model: str
    parameters: type[ChatModelParameters]
    build: Build
    tokens: str = "max_tokens"
    headers: Sequence[tuple[str, str]] = ()


def completions_url(values: Mapping[str, str], base_url: str | None = None) -> str:
    return joined(base_url or values.get("url", ""), "/chat/completions")


def azure_url(values: Mapping[str, str], deployment: str, work: str = "chat/completions") -> str:
    """work: what the deployment is asked for. Raises `NodeError`."""
    resource = values.get("resourceName", "")
    base = values.get("endpoint") or f"https://{resource}.openai.azure.com"
    if not values.get("endpoint") and not resource:
        raise NodeError("The credential has neither a resource nor an endpoint; fill in one of them.")
    version = quote(values.get("apiVersion", ""), safe="")
    path = f"/openai/deployments/{quote(deployment, safe='')}/{work}"
    return joined(base, path, f"api-version={version}")


def _client(
    context: PluginContext, node: AttachedNode, provider: ChatProvider, p: ChatModelParameters
) -> ProviderClient:
    options = p.options
    return ProviderClient(
        context, node, provider.credential, provider.title, timeout=options.seconds(), retries=options.max_retries
    )


def _name(provider: ChatProvider, p: ChatModelParameters) -> str:
    return chosen(p.model) or chosen(p.model_name, provider.default_model)


def _open_ai(context: PluginContext, node: AttachedNode, provider: ChatProvider, p: OpenAiParameters) -> ChatModel:
    if any(value not in (None, False, {}, []) for value in p.built_in_tools.values()):
        raise NodeError("Built-in tools of the provider (builtInTools) are not available; attach tools to the agent.")
    base, headers = p.options.base_url, list(provider.headers)

    def address(values: Mapping[str, str], _: str) -> str:
        return completions_url(values, base)

    client = _client(context, node, provider, p)
    return OpenAiModel(client, _name(provider, p), p.options.members(provider.tokens), address, headers)


def _azure(context: PluginContext, node: AttachedNode, provider: ChatProvider, p: OpenAiParameters) -> ChatModel:
    client = _client(context, node, provider, p)
    return OpenAiModel(client, _name(provider, p), p.options.members(provider.tokens), azure_url)


def _cohere(context: PluginContext, node: AttachedNode, provider: ChatProvider, p: OpenAiParameters) -> ChatModel:
    client = _client(context, node, provider, p)
    return OpenAiModel(client, _name(provider, p), p.options.members(provider.tokens), _cohere_url)


def _cohere_url(values: Mapping[str, str], _: str) -> str:
    """Cohere's address for clients of OpenAI. Source: Cohere, Compatibility API."""
    return joined(values.get("url", ""), "/compatibility/v1/chat/completions")


def _anthropic(context: PluginContext, node: AttachedNode, provider: ChatProvider, p: AnthropicParameters) -> ChatModel:
    return AnthropicModel(_client(context, node, provider, p), _name(provider, p), p.options.members())


def _gemini(context: PluginContext, node: AttachedNode, provider: ChatProvider, p: GeminiParameters) -> ChatModel:
    client = _client(context, node, provider, p)
    return GeminiModel(client, _name(provider, p), p.options.members())


def _ollama(context: PluginContext, node: AttachedNode, provider: ChatProvider, p: OllamaParameters) -> ChatModel:
    client = _client(context, node, provider, p)
    return OllamaModel(client, _name(provider, p), p.options.members(), p.options.of_model())


_OPEN_AI, _NEW = OpenAiParameters, "max_completion_tokens"
_FIRST: Sequence[float] = (1,)
PROVIDERS = (
    ChatProvider(
        "langchain.lmChatOpenAi", "OpenAI", (1, 1.1, 1.2, 1.3), "openAiApi", "gpt-4.1-mini", _OPEN_AI, _open_ai, _NEW
    ),
    ChatProvider("langchain.lmOpenAi", "OpenAI", _FIRST, "openAiApi", "gpt-4.1-mini", _OPEN_AI, _open_ai, _NEW),
    ChatProvider(
        "langchain.lmChatAnthropic",
        "Anthropic",
        (1, 1.1, 1.2, 1.3, 1.4),
        "anthropicApi",
        "claude-sonnet-4-20250514",
        AnthropicParameters,
        _anthropic,
    ),
    ChatProvider(
        "langchain.lmChatGoogleGemini",
        "Google Gemini",
        (1, 1.1),
        "googlePalmApi",
        "models/gemini-2.5-flash",
        GeminiParameters,
        _gemini,
    ),
    ChatProvider(
        "langchain.lmChatOpenRouter",
        "OpenRouter",
        _FIRST,
        "openRouterApi",
        "openai/gpt-4.1-mini",
        _OPEN_AI,
        _open_ai,
    ),
    ChatProvider(
        "langchain.lmChatAzureOpenAi", "Azure OpenAI", _FIRST, "azureOpenAiApi", "", AzureOpenAiParameters, _azure, _NEW
    ),
    ChatProvider("langchain.lmChatOllama", "Ollama", _FIRST, "ollamaApi", "llama3.2", OllamaParameters, _ollama),
    ChatProvider("langchain.lmOllama", "Ollama", _FIRST, "ollamaApi", "llama3.2", OllamaParameters, _ollama),
    ChatProvider("langchain.lmChatCohere", "Cohere", _FIRST, "cohereApi", "command-a-03-2025", _OPEN_AI, _cohere),
    ChatProvider("langchain.lmCohere", "Cohere", _FIRST, "cohereApi", "command-a-03-2025", _OPEN_AI, _cohere),
    ChatProvider("langchain.lmChatGroq", "Groq", _FIRST, "groqApi", "llama3-8b-8192", _OPEN_AI, _open_ai),
    ChatProvider(
        "langchain.lmChatMistralCloud", "Mistral", _FIRST, "mistralCloudApi", "mistral-small", _OPEN_AI, _open_ai
    ),
    ChatProvider("langchain.lmChatDeepSeek", "DeepSeek", _FIRST, "deepSeekApi", "deepseek-chat", _OPEN_AI, _open_ai),
    ChatProvider("langchain.lmChatXAiGrok", "xAI", _FIRST, "xAiApi", "grok-2-vision-1212", _OPEN_AI, _open_ai),
)


class ChatModelNode(ModelListingNode, ServingNode):
    """One provider's models."""

    def __init__(self, context: PluginContext, provider: ChatProvider) -> None:
        super().__init__(context)
        self._provider = provider
        self.kind = provider.kind
        self.versions = provider.versions
        self.model = provider.parameters
        self.description = NodeDescription(
            f"{provider.title} Chat Model",
            f"A model of {provider.title}.",
            "ai",
            inputs=0,
            provides=LANGUAGE_MODEL,
            credentials=(NodeCredential(provider.credential),),
        )

    async def supply(self, node: AttachedNode, item: int) -> ChatModel:
        parameters: ChatModelParameters = await node.parameters(item)
        if not _name(self._provider, parameters):
            raise NodeError(f"The node '{node.node.name}' names no model; choose one.")
        return self._provider.build(self._context, node, self._provider, parameters)


def chat_model(context: PluginContext, kind: str) -> ChatModelNode:
    return ChatModelNode(context, next(provider for provider in PROVIDERS if provider.kind == kind))
