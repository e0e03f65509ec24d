"""Every node of this plugin, by kind. A node's file is imported when the node is used first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.nodes import REVIEW_FORM, NodeOffer, NodeOutline
from jackfield.api.nodes.later_outlines import LaterOutlines
from jackfield.api.object_references import load
from jackfield_ai.known_kinds import KNOWN

OUTLINES = Path(__file__).with_name("outlines.json")
RUNNING: Mapping[str, str] = {
    "agent": "agent.node:agent",
    "anthropic": "models.standalone:anthropic",
    "chainLlm": "chains.llm:llm",
    "chainRetrievalQa": "chains.retrieval_qa:retrieval_qa",
    "chainSummarization": "chains.summary:summary",
    "chatTrigger": "chat.nodes:chat_trigger",
    "code": "langchain_code.node:code",
    "googleGemini": "models.standalone:gemini",
    "informationExtractor": "chains.extractor:extractor",
    "manualChatTrigger": "chat.nodes:manual_chat_trigger",
    "mcpClient": "mcp_client.node:mcp_client",
    "mcpTrigger": "mcp_server.node:mcp_trigger",
    "memoryChatRetriever": "memory.managing:reader",
    "memoryManager": "memory.managing:manager",
    "openAi": "openai.node:openai",
    "sentimentAnalysis": "chains.classifier:sentiment",
    "textClassifier": "chains.classifier:classifier",
}
"""Nodes that run in turn -> function of a module of this package, which is given the context and the kind."""
SERVING: Mapping[str, str] = {
    "documentBinaryInputLoader": "retrieval.input_loaders:binary_input",
    "documentDefaultDataLoader": "retrieval.loading:loader",
    "documentGithubLoader": "retrieval.github:github",
    "documentJsonInputLoader": "retrieval.input_loaders:json_input",
    "embeddingsAwsBedrock": "platforms.bedrock:bedrock_embeddings",
    "embeddingsAzureOpenAi": "retrieval.embeddings:embeddings",
    "embeddingsCohere": "retrieval.embeddings:embeddings",
    "embeddingsGoogleGemini": "retrieval.embeddings:embeddings",
    "embeddingsGoogleVertex": "platforms.vertex:vertex_embeddings",
    "embeddingsHuggingFaceInference": "platforms.hugging_face:hugging_face_embeddings",
    "embeddingsMistralCloud": "retrieval.embeddings:embeddings",
    "embeddingsOllama": "retrieval.embeddings:embeddings",
    "embeddingsOpenAi": "retrieval.embeddings:embeddings",
    "lmChatAnthropic": "models.providers:chat_model",
    "lmChatAwsBedrock": "platforms.bedrock:bedrock_chat",
    "lmChatAzureOpenAi": "models.providers:chat_model",
    "lmChatCohere": "models.providers:chat_model",
    "lmChatDeepSeek": "models.providers:chat_model",
    "lmChatGoogleGemini": "models.providers:chat_model",
    "lmChatGoogleVertex": "platforms.vertex:vertex_chat",
    "lmChatGroq": "models.providers:chat_model",
    "lmChatMistralCloud": "models.providers:chat_model",
    "lmChatOllama": "models.providers:chat_model",
    "lmChatOpenAi": "models.providers:chat_model",
    "lmChatOpenRouter": "models.providers:chat_model",
    "lmChatXAiGrok": "models.providers:chat_model",
    "lmCohere": "models.providers:chat_model",
    "lmOllama": "models.providers:chat_model",
    "lmOpenAi": "models.providers:chat_model",
    "lmOpenHuggingFaceInference": "platforms.hugging_face:hugging_face_model",
    "mcpClientTool": "mcp_client.tool:mcp_client_tool",
    "memoryBufferWindow": "memory.window:window",
    "memoryMongoDbChat": "memory.mongo:mongo_memory",
    "memoryPostgresChat": "memory.postgres:postgres_memory",
    "memoryRedisChat": "memory.redis:redis_memory",
    "outputParserAutofixing": "parsing.nodes:fixing",
    "outputParserItemList": "parsing.nodes:item_list",
    "outputParserStructured": "parsing.nodes:structured",
    "rerankerCohere": "retrieval.reranking:reranker",
    "retrieverContextualCompression": "retrieval.retrievers:compression",
    "retrieverMultiQuery": "retrieval.retrievers:multi_query",
    "retrieverVectorStore": "retrieval.retriever:retriever",
    "retrieverWorkflow": "retrieval.retrievers:workflow_retriever",
    "textSplitterCharacterTextSplitter": "retrieval.splitters:splitter",
    "textSplitterRecursiveCharacterTextSplitter": "retrieval.splitters:splitter",
    "textSplitterTokenSplitter": "retrieval.splitters:splitter",
    "toolCalculator": "tools.simple:calculator",
    "toolCode": "tools.code:code",
    "toolHttpRequest": "tools.http:http",
    "toolSearXng": "tools.searxng:searxng",
    "toolSerpApi": "tools.serpapi:serpapi",
    "toolThink": "tools.simple:think",
    "toolVectorStore": "retrieval.retriever:store_tool",
    "toolWikipedia": "tools.wikipedia:wikipedia",
    "toolWolframAlpha": "tools.wolfram:wolfram",
    "toolWorkflow": "tools.workflow:workflow",
    "vectorStoreChromaDB": "retrieval.stores.chroma:chroma",
    "vectorStoreInMemory": "retrieval.stores.in_memory:in_memory",
    "vectorStoreMilvus": "retrieval.stores.milvus:milvus",
    "vectorStoreMongoDBAtlas": "retrieval.stores.mongo_atlas:mongo_atlas",
    "vectorStorePGVector": "retrieval.stores.pgvector:pgvector",
    "vectorStorePinecone": "retrieval.stores.pinecone:pinecone",
    "vectorStoreQdrant": "retrieval.stores.qdrant:qdrant",
    "vectorStoreRedis": "retrieval.stores.redis:redis",
    "vectorStoreSupabase": "retrieval.stores.supabase:supabase",
    "vectorStoreWeaviate": "retrieval.stores.weaviate:weaviate",
}
"""The same for those that serve others."""
REVIEWS: Mapping[str, str] = {
    "discord": "message",
    "emailSend": "email",
    "gmail": "message",
    "microsoftOutlook": "message",
    "microsoftTeams": "chatMessage",
    "slack": "message",
    "telegram": "message",
    "whatsApp": "message",
}
"""The kind of a service's own node -> the resource whose operation `sendAndWait` asks about an agent's calls.

Source: n8n's source code, `hitl-tools.ts`: a node for review is made of each that can send a question and wait.
"""
PREFIX = "langchain."


def node_types(context: PluginContext) -> list[NodeOffer]:
    """One offer per kind."""
    here = {PREFIX + kind: place for kind, place in (*RUNNING.items(), *SERVING.items())}
    of = LaterOutlines(OUTLINES).of
    reviews = [kind + REVIEW_FORM for kind in REVIEWS]
    offered = [*here.items(), *((kind, "known:known") for kind in KNOWN)]
    return [
        *(
            NodeOffer(kind, f"jackfield_ai.{place}", (context, kind), outline=partial(of, kind))
            for kind, place in offered
        ),
        *(_review(context, kind) for kind in reviews),
    ]


def _review(context: PluginContext, kind: str) -> NodeOffer:
    return NodeOffer(
        kind, "jackfield_ai.review.node:review", (context, kind), outline=partial(_review_outline, context, kind)
    )


def _review_outline(context: PluginContext, kind: str) -> NodeOutline:
    """Its module is imported when somebody asks: a start does not."""
    of = cast("Callable[[PluginContext, str], NodeOutline]", load("jackfield_ai.review.kinds:review_outline"))
    return of(context, kind)
