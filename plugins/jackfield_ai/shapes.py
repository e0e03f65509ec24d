"""The inputs and outputs of nodes, as n8n draws them by their parameters."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.ai import DOCUMENT, EMBEDDING, LANGUAGE_MODEL, MEMORY, OUTPUT_PARSER, RERANKER, TOOL, VECTOR_STORE
from jackfield.api.nodes import NodeShape

VECTOR_STORE_SHAPES: Sequence[NodeShape] = (
    NodeShape({"mode": ["insert"]}, accepts=(EMBEDDING, DOCUMENT)),
    NodeShape({"mode": ["load"], "useReranker": [True]}, accepts=(EMBEDDING, RERANKER)),
    NodeShape({"mode": ["load", "update"]}, accepts=(EMBEDDING,)),
    NodeShape({"mode": ["retrieve-as-tool"], "useReranker": [True]}, 0, (), TOOL, (EMBEDDING, RERANKER)),
    NodeShape({"mode": ["retrieve-as-tool"]}, 0, (), TOOL, (EMBEDDING,)),
    NodeShape({"useReranker": [True]}, 0, (), VECTOR_STORE, (EMBEDDING, RERANKER)),
    NodeShape({}, 0, (), VECTOR_STORE, (EMBEDDING,)),
)
CHAT_TRIGGER_SHAPES: Sequence[NodeShape] = (
    NodeShape({"options.loadPreviousSession": ["memory"]}, 0, accepts=(MEMORY,)),
    NodeShape({}, 0),
)
CHAIN_SHAPES: Sequence[NodeShape] = (
    NodeShape({"hasOutputParser": [True]}, accepts=(LANGUAGE_MODEL, OUTPUT_PARSER)),
    NodeShape(accepts=(LANGUAGE_MODEL,)),
)
PARSER_SHAPES: Sequence[NodeShape] = (
    NodeShape({"autoFix": [True]}, 0, (), OUTPUT_PARSER, (LANGUAGE_MODEL,)),
    NodeShape({}, 0, (), OUTPUT_PARSER),
)
AGENT_SHAPES: Sequence[NodeShape] = (
    NodeShape({"hasOutputParser": [True]}, accepts=(LANGUAGE_MODEL, MEMORY, TOOL, OUTPUT_PARSER)),
    NodeShape(accepts=(LANGUAGE_MODEL, MEMORY, TOOL)),
)
PROVIDER_SHAPES: Sequence[NodeShape] = (
    NodeShape({"resource": ["assistant"], "operation": ["message"]}, accepts=(MEMORY, TOOL)),
    NodeShape({"operation": ["message", "response"]}, accepts=(TOOL,)),
    NodeShape({"resource": [None, "text"], "operation": [None]}, accepts=(TOOL,)),
    NodeShape(),
)
"""Of nodes of a provider: only texts are written with tools."""
