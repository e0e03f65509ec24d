"""Types of which only the parameters are known, and what they lack. No model is defined here: the table is read at each
start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.ai import (
    DOCUMENT,
    EMBEDDING,
    LANGUAGE_MODEL,
    MEMORY,
    RERANKER,
    TOOL,
    VECTOR_STORE,
)
from jackfield.api.records import record

_DATABASE = "There is no connection to this database yet; use langchain.vectorStoreInMemory, or HTTP requests."
_MEMORY = "There is no connection to this memory yet; use langchain.memoryBufferWindow."


@record
class Known:
    title: str
    missing: str
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3)
    provides: str = ""
    accepts: Sequence[str] = ()
    form: str = "plain"
    """Which parameters: plain, store or memory."""


def _store(title: str) -> Known:
    return Known(title, _DATABASE, (1, 1.1, 1.2, 1.3), VECTOR_STORE, (EMBEDDING, DOCUMENT, RERANKER), "store")


def _memory(title: str) -> Known:
    return Known(title, _MEMORY, (1, 1.1, 1.2, 1.3, 1.4, 1.5), MEMORY, (), "memory")


KNOWN: Mapping[str, Known] = {
    "langchain.vectorStoreZep": _store("Zep Vector Store"),
    "langchain.vectorStoreAzureAISearch": _store("Azure AI Search Vector Store"),
    "langchain.memoryXata": _memory("Xata"),
    "langchain.memoryZep": _memory("Zep"),
    "langchain.memoryMotorhead": _memory("Motorhead"),
    "langchain.toolExecutor": Known("Tool Executor", "Tools run inside an agent only.", accepts=(TOOL,)),
    "langchain.guardrails": Known("Guardrails", "The checks are not written yet.", accepts=(LANGUAGE_MODEL,)),
    "langchain.chat": Known("Respond to Chat", "Chats cannot be answered in the middle of a run yet."),
    "langchain.openAiAssistant": Known("OpenAI Assistant", "The provider has retired assistants; use an AI Agent."),
}
