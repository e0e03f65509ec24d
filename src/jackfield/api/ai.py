"""The parts that nodes supply to others: models, tools, memories, documents.

Plugins may add node types that give any of these (`SupplyingNode`); whoever serves an agent needs no other agreement
with it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from .jsontext import Json
from .records import record

LANGUAGE_MODEL = "ai_languageModel"
TOOL = "ai_tool"
MEMORY = "ai_memory"
OUTPUT_PARSER = "ai_outputParser"
EMBEDDING = "ai_embedding"
DOCUMENT = "ai_document"
TEXT_SPLITTER = "ai_textSplitter"
VECTOR_STORE = "ai_vectorStore"
RETRIEVER = "ai_retriever"
RERANKER = "ai_reranker"

TITLES: Mapping[str, str] = {
    LANGUAGE_MODEL: "a language model",
    TOOL: "a tool",
    MEMORY: "a memory",
    OUTPUT_PARSER: "an output parser",
    EMBEDDING: "an embedding model",
    DOCUMENT: "a document loader",
    TEXT_SPLITTER: "a text splitter",
    VECTOR_STORE: "a vector store",
    RETRIEVER: "a retriever",
    RERANKER: "a reranker",
}

TOKEN_USAGE, MODEL_TOKENS = "tokenUsage", "modelTokens"
"""Where a node's context has its tokens: `{input, output}` of all models, and the same by the model's name."""

Schema: TypeAlias = "Mapping[str, Json]"
"""A JSON Schema."""


@record
class Picture:
    """An image: base64 `data` of this media type, or else the address `url`."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    detail: str = ""
    """auto, low or high, for models that know it."""


@record
class ToolCall:
    """A model wants a tool to be called. problem: why its arguments could not be read; then they are empty."""

    id: str
    name: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    problem: str = ""


@record
class Message:
    """One message.

    `calls`: of an assistant. `call_id`, `name`: which call of which tool a message of a tool answers. `own`: the
    provider's own form of an assistant's message, which it wants back as it was.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    pictures: Sequence[Picture] = ()
    calls: Sequence[ToolCall] = ()
    call_id: str = ""
    name: str = ""
    own: Json = None


@record
class ToolSpec:
    """A tool as a model sees it. name: at most 64 letters, digits, `_` and `-`; schema: of an object."""

    name: str
    description: str
    schema: Schema


@record
class ModelUsage:
    """Tokens."""

    input: int = 0
    output: int = 0

    def plus(self, other: ModelUsage) -> ModelUsage:
        return ModelUsage(self.input + other.input, self.output + other.output)


@record
class Completion:
    """A model's answer. finish: stop, length, tool_calls, content_filter or the provider's own word; refusal: why it
    declined; raw: the whole answer."""

    message: Message
    usage: ModelUsage = field(default_factory=ModelUsage)
    finish: str = "stop"
    model: str = ""
    refusal: str = ""
    raw: Json = None


class ChatModel(Protocol):
    """`ai_languageModel`"""

    @property
    def name(self) -> str:
        """As the provider calls it."""

    async def complete(
        self, messages: Sequence[Message], *, tools: Sequence[ToolSpec] = (), json: bool = False
    ) -> Completion:
        """Continue the conversation. json: the answer should be a JSON object. Raises `NodeError`."""


@runtime_checkable
class StreamingModel(Protocol):
    """The methods of a `ChatModel` beside `complete` when it can say its answer piece by piece."""

    async def stream(
        self,
        messages: Sequence[Message],
        said: Callable[[str], Awaitable[None]],
        *,
        tools: Sequence[ToolSpec] = (),
        json: bool = False,
    ) -> Completion:
        """As `complete`. said: gets each piece of the answer's text, and may let the model wait."""


class Tool(Protocol):
    """`ai_tool`; a node may give one or a list of them."""

    @property
    def spec(self) -> ToolSpec: ...

    async def call(self, arguments: Mapping[str, Json]) -> Json:
        """Raises `NodeError`, whose message the model gets."""


class Memory(Protocol):
    """`ai_memory`: one conversation."""

    async def read(self) -> Sequence[Message]:
        """The remembered messages of user and assistant, oldest first. Raises `NodeError`."""

    async def add(self, messages: Sequence[Message]) -> None:
        """Raises `NodeError`."""


@runtime_checkable
class EditableMemory(Protocol):
    """The methods of a `Memory` beside `read` and `add` when you may see and replace all that it keeps."""

    async def history(self) -> Sequence[Message]:
        """All that is kept, oldest first, of the system too; at most `ai.memory_messages`. Raises `NodeError`."""

    async def replace(self, messages: Sequence[Message]) -> None:
        """Keep these instead. Raises `NodeError`."""


class ParseProblem(Exception):
    """A text is not what the parser expects. message: for the model, to do better."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class OutputParser(Protocol):
    """`ai_outputParser`"""

    @property
    def schema(self) -> Schema | None:
        """The schema of the answer that a model should give; None: no JSON."""

    @property
    def instructions(self) -> str:
        """For the prompt."""

    def check(self, value: Json) -> Json:
        """The value, if it fits. Raises `ParseProblem`."""

    async def parse(self, text: str) -> Json:
        """The value that a model's text stands for.

        Raises `ParseProblem`, or `NodeError` when it needs a model that fails.
        """


class Embeddings(Protocol):
    """`ai_embedding`"""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector per text, all of one length. Raises `NodeError`."""


@runtime_checkable
class QueryEmbeddings(Protocol):
    """The methods of `Embeddings` beside `embed` when their model embeds a search in another way."""

    async def embed_query(self, text: str) -> Sequence[float]:
        """Raises `NodeError`."""


class TextSplitter(Protocol):
    """`ai_textSplitter`"""

    def split(self, text: str) -> Sequence[str]: ...


@record
class Document:
    """A piece of text with what is known of it.

    `score`: how well it fits what was asked for. `id`: its store's own, empty outside of one.
    """

    text: str
    metadata: Mapping[str, Json] = field(default_factory=dict)
    score: float = 0.0
    id: str = ""


class Documents(Protocol):
    """`ai_document`"""

    async def load(self) -> Sequence[Document]:
        """The documents of the item that it serves. Raises `NodeError`."""


class Retriever(Protocol):
    """`ai_vectorStore`, `ai_retriever`"""

    async def find(self, query: str, limit: int | None = None) -> Sequence[Document]:
        """The documents that fit best, best first. limit: at most that many; None: its own. Raises `NodeError`."""


class Reranker(Protocol):
    """`ai_reranker`"""

    async def rerank(self, query: str, documents: Sequence[Document]) -> Sequence[Document]:
        """Those of the documents that fit best, best first, with new scores. Raises `NodeError`."""


def note_tokens(context: MutableMapping[str, Json], model: str, tokens_in: int, tokens_out: int) -> None:
    """Add what a model has used to the context of the node that has asked it (`NodeRun.context`)."""
    found = context.get(MODEL_TOKENS)
    models: dict[str, Json] = dict(found) if isinstance(found, dict) else {}
    context[TOKEN_USAGE] = _with_tokens(context.get(TOKEN_USAGE), tokens_in, tokens_out)
    context[MODEL_TOKENS] = {**models, model: _with_tokens(models.get(model), tokens_in, tokens_out)}


def _with_tokens(before: Json, tokens_in: int, tokens_out: int) -> Json:
    known = before if isinstance(before, dict) else {}
    counts = {name: value if isinstance(value, int) else 0 for name, value in known.items()}
    return {"input": counts.get("input", 0) + tokens_in, "output": counts.get("output", 0) + tokens_out}
