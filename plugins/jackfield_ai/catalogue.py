"""Every node of this plugin, by kind. A node's file is imported when the node is used first."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from importlib import import_module

from jackfield.api.context import PluginContext
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeParameters, NodeResult, NodeRun, NodeType
from jackfield.api.workflows import Node

RUNNING: Mapping[str, str] = {
    "agent": "agent.node:agent",
    "anthropic": "models.direct:anthropic",
    "chainLlm": "chains.llm:llm",
    "chainRetrievalQa": "chains.retrieval_qa:retrieval_qa",
    "chainSummarization": "chains.summary:summary",
    "chatTrigger": "chat.nodes:chat_trigger",
    "googleGemini": "models.direct:gemini",
    "informationExtractor": "chains.extractor:extractor",
    "manualChatTrigger": "chat.nodes:manual_chat_trigger",
    "openAi": "openai.node:openai",
    "sentimentAnalysis": "chains.classifier:sentiment",
    "textClassifier": "chains.classifier:classifier",
}
"""Nodes that run in turn -> function of a module of this package, which is given the context and the kind."""
SERVING: Mapping[str, str] = {
    "documentDefaultDataLoader": "retrieval.loading:loader",
    "embeddingsGoogleGemini": "retrieval.embeddings:embeddings",
    "embeddingsMistralCloud": "retrieval.embeddings:embeddings",
    "embeddingsOllama": "retrieval.embeddings:embeddings",
    "embeddingsOpenAi": "retrieval.embeddings:embeddings",
    "lmChatAnthropic": "models.providers:chat_model",
    "lmChatAzureOpenAi": "models.providers:chat_model",
    "lmChatDeepSeek": "models.providers:chat_model",
    "lmChatGoogleGemini": "models.providers:chat_model",
    "lmChatGroq": "models.providers:chat_model",
    "lmChatMistralCloud": "models.providers:chat_model",
    "lmChatOllama": "models.providers:chat_model",
    "lmChatOpenAi": "models.providers:chat_model",
    "lmChatOpenRouter": "models.providers:chat_model",
    "lmChatXAiGrok": "models.providers:chat_model",
    "lmOllama": "models.providers:chat_model",
    "lmOpenAi": "models.providers:chat_model",
    "mcpClientTool": "tools.mcp:mcp_client",
    "memoryBufferWindow": "memory.window:window",
    "outputParserAutofixing": "parsing.nodes:fixing",
    "outputParserItemList": "parsing.nodes:item_list",
    "outputParserStructured": "parsing.nodes:structured",
    "retrieverVectorStore": "retrieval.retriever:retriever",
    "textSplitterCharacterTextSplitter": "retrieval.splitters:splitter",
    "textSplitterRecursiveCharacterTextSplitter": "retrieval.splitters:splitter",
    "textSplitterTokenSplitter": "retrieval.splitters:splitter",
    "toolCalculator": "tools.simple:calculator",
    "toolCode": "tools.code:code",
    "toolHttpRequest": "tools.http:http",
    "toolThink": "tools.simple:think",
    "toolVectorStore": "retrieval.retriever:store_tool",
    "toolWorkflow": "tools.workflow:workflow",
    "vectorStoreInMemory": "retrieval.memory_store:memory_store",
}
"""The same for those that serve others."""
PREFIX = "langchain."


class LazyNode:
    """Stands for a node until it is used."""

    versions: Sequence[float]
    description: NodeDescription
    effect: bool

    def __init__(self, kind: str, place: str, context: PluginContext) -> None:
        self.kind = kind
        self._place = place
        self._context = context
        self._node: NodeType | None = None

    def _load(self) -> NodeType:
        if self._node is None:
            module, _, function = self._place.partition(":")
            node: NodeType = getattr(import_module(f"jackfield_ai.{module}"), function)(self._context, self.kind)
            self.versions, self.description, self.effect = node.versions, node.description, node.effect
            self._node = node
        return self._node

    def __getattr__(self, name: str) -> object:
        if name not in {"versions", "description", "effect"}:
            raise AttributeError(name)
        return getattr(self._load(), name)

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return self._load().parameters(version)

    def outputs(self, node: Node) -> int:
        return self._load().outputs(node)

    def execute(self, run: NodeRun) -> Awaitable[NodeResult]:
        return self._load().execute(run)


class LazyServingNode(LazyNode):
    """One that is also a `SupplyingNode`."""

    def supply(self, node: AttachedNode, item: int) -> Awaitable[object]:
        found: Awaitable[object] = self._load().supply(node, item)  # type: ignore[attr-defined]  # see SERVING
        return found


def node_types(context: PluginContext) -> list[NodeType]:
    """One `NodeType` per kind."""
    from jackfield_ai.known_kinds import KNOWN

    made: list[NodeType] = [LazyNode(PREFIX + kind, place, context) for kind, place in RUNNING.items()]
    made += [LazyServingNode(PREFIX + kind, place, context) for kind, place in SERVING.items()]
    return [*made, *(LazyServingNode(kind, "known:known", context) for kind in KNOWN)]
