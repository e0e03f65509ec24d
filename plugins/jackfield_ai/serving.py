"""The things that a node gets from its parts, checked to be what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    LANGUAGE_MODEL,
    MEMORY,
    OUTPUT_PARSER,
    RERANKER,
    RETRIEVER,
    TEXT_SPLITTER,
    TITLES,
    ChatModel,
    Documents,
    Embeddings,
    Memory,
    OutputParser,
    Reranker,
    Retriever,
    TextSplitter,
)
from jackfield.api.nodes import AttachedNode, NodeError
from jackfield.api.workflows import Node


class ServedNode(Protocol):
    """A node that has parts: `NodeRun` or `AttachedNode`."""

    @property
    def node(self) -> Node: ...

    def attached(self, kind: str) -> Sequence[AttachedNode]: ...


async def _given(served: ServedNode, item: int, kind: str, method: str, index: int | None = None) -> object | None:
    """The thing that the first part of this kind gives; None when there is none. `method`: which shows that it is of
    its kind. Raises `NodeError`."""
    parts = [part for part in served.attached(kind) if index is None or part.index == index]
    if not parts:
        return None
    found = await parts[0].supply(item)
    if not hasattr(found, method):
        raise NodeError(f"The node '{parts[0].node.name}' does not give {TITLES[kind]}.")
    return found


async def _needed(served: ServedNode, item: int, kind: str, method: str) -> object:
    found = await _given(served, item, kind, method)
    if found is None:
        raise NodeError(f"The node '{served.node.name}' needs {TITLES[kind]}; attach one.")
    return found


async def model_of(served: ServedNode, item: int) -> ChatModel:
    return cast("ChatModel", await _needed(served, item, LANGUAGE_MODEL, "complete"))


async def fallback_model_of(served: ServedNode, item: int) -> ChatModel | None:
    """The model at the second input, if there is one."""
    return cast("ChatModel | None", await _given(served, item, LANGUAGE_MODEL, "complete", 1))


async def memory_of(served: ServedNode, item: int) -> Memory | None:
    return cast("Memory | None", await _given(served, item, MEMORY, "read"))


async def parser_of(served: ServedNode, item: int) -> OutputParser | None:
    return cast("OutputParser | None", await _given(served, item, OUTPUT_PARSER, "parse"))


async def embeddings_of(served: ServedNode, item: int) -> Embeddings:
    return cast("Embeddings", await _needed(served, item, EMBEDDING, "embed"))


async def documents_of(served: ServedNode, item: int) -> Documents:
    return cast("Documents", await _needed(served, item, DOCUMENT, "load"))


async def reranker_of(served: ServedNode, item: int) -> Reranker:
    return cast("Reranker", await _needed(served, item, RERANKER, "rerank"))


async def retriever_of(served: ServedNode, item: int) -> Retriever:
    return cast("Retriever", await _needed(served, item, RETRIEVER, "find"))


async def splitter_of(served: ServedNode, item: int) -> TextSplitter | None:
    return cast("TextSplitter | None", await _given(served, item, TEXT_SPLITTER, "split"))
