"""The one form of a request, of an answer, and of the events of a stream, which every dialect translates to and from.

Everything here is immutable and made of plain values, so that it can be shared between retries and targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from ..jsontext import Json
from ..records import record

Object: TypeAlias = "dict[str, Json]"
DialectName: TypeAlias = Literal["anthropic", "chat", "responses", "gemini"]
Role: TypeAlias = Literal["user", "assistant"]
ToolKind: TypeAlias = Literal["function", "custom", "hosted"]
Effort: TypeAlias = Literal["minimal", "low", "medium", "high", "xhigh", "max"]
StopReason: TypeAlias = Literal[
    "end_turn", "max_tokens", "tool_use", "stop_sequence", "refusal", "pause_turn", "context_exceeded"
]
ErrorKind: TypeAlias = Literal[
    "invalid_request_error",
    "authentication_error",
    "billing_error",
    "permission_error",
    "not_found_error",
    "conflict_error",
    "request_too_large",
    "rate_limit_error",
    "api_error",
    "timeout_error",
    "overloaded_error",
]


class DialectError(Exception):
    """The error that the client gets, in its own dialect, when the daemon cannot serve a request.

    Never holds a key: the message is written by us or by the provider.
    """

    def __init__(
        self,
        status: int,
        message: str,
        kind: ErrorKind = "api_error",
        *,
        code: str | None = None,
        param: str | None = None,
        overflow: bool = False,
        retry_after: float | None = None,
        lasting: bool = False,
    ) -> None:
        """`status`: HTTP status, 400 to 599.

        `code`, `param`: as in the errors of Chat and Responses. `overflow`: the request does not fit the model's
        context. `retry_after`: seconds after which another try makes sense. `lasting`: the same request fails again,
        so that its client must not repeat it.
        """
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.code = code
        self.param = param
        self.overflow = overflow
        self.retry_after = retry_after
        self.lasting = lasting

    def __reduce__(self) -> tuple[type[DialectError], tuple[int, str, ErrorKind], dict[str, object]]:
        """It passes whole from one process to another, whatever that has imported."""
        return type(self), (self.status, self.message, self.kind), vars(self)


# --------------------------------------------------------------------------------------------------------------- blocks


@record
class TextBlock:
    text: str
    cache: Object | None = None  # Anthropic's cache_control
    extra: Object | None = None  # citations and what else only the own dialect knows
    refusal: bool = False  # the model declined in these words


@record
class ImageBlock:
    """One of data, url and file_id is set."""

    media_type: str = ""
    data: str = ""  # base64
    url: str = ""
    file_id: str = ""
    detail: str | None = None
    cache: Object | None = None


@record
class DocumentBlock:
    """A file that the model reads. One of data, text, url and file_id is set."""

    media_type: str = ""
    data: str = ""  # base64
    text: str = ""
    url: str = ""
    file_id: str = ""
    title: str | None = None
    cache: Object | None = None
    extra: Object | None = None


@record
class ToolUse:
    """A call that the model makes. `arguments` is JSON text, or the bare input of a custom (freeform) tool."""

    id: str
    name: str
    arguments: str = ""
    kind: Literal["function", "custom"] = "function"
    signature: str | None = None  # Gemini's thought_signature, to be replayed
    namespace: str | None = None  # Responses groups tools of one server
    cache: Object | None = None


@record
class Foreign:
    """A block or item of one dialect that has no counterpart in another; written by its own dialect alone."""

    dialect: DialectName
    raw: Object


ResultBlock: TypeAlias = "TextBlock | ImageBlock | DocumentBlock | Foreign"


@record
class ToolResult:
    id: str
    content: tuple[ResultBlock, ...] = ()
    is_error: bool = False
    kind: Literal["function", "custom"] = "function"
    cache: Object | None = None


@record
class Thinking:
    """Reasoning. `signature` is what its maker wants back. Only the dialect `origin` gets it back.

    redacted: there is no text, the signature is the encrypted reasoning itself.
    """

    text: str = ""
    signature: str = ""
    origin: DialectName = "anthropic"
    redacted: bool = False


Block: TypeAlias = "TextBlock | ImageBlock | DocumentBlock | ToolUse | ToolResult | Thinking | Foreign"


@record
class ChatTurn:
    role: Role
    content: tuple[Block, ...]


# -------------------------------------------------------------------------------------------------------------- request


@record
class ToolDefinition:
    """hosted: run by the provider. `raw` is its definition in `dialect`, `name` its family ("web_search", ...).

    custom: takes bare text. `raw` is its format (grammar), where it has one.
    """

    name: str
    description: str | None = None
    schema: Object = field(default_factory=dict)
    kind: ToolKind = "function"
    strict: bool | None = None
    namespace: str | None = None
    dialect: DialectName = "anthropic"
    raw: Object | None = None
    cache: Object | None = None


@record
class ToolChoice:
    """name is set with mode "tool" alone."""

    mode: Literal["auto", "any", "none", "tool"]
    name: str = ""


@record
class Reasoning:
    """How much the model thinks. Nothing set and enabled: as much as it finds right (Anthropic's adaptive)."""

    enabled: bool = True
    effort: Effort | None = None
    budget: int | None = None  # tokens
    summary: str | None = None  # Responses: "auto", "concise", "detailed"


@record
class OutputFormat:
    kind: Literal["json_object", "json_schema"]
    name: str = "output"
    schema: Object = field(default_factory=dict)
    strict: bool | None = None
    description: str | None = None


@record
class ModelRequest:
    """extra: the top-level fields that only `dialect` knows; written by it alone."""

    dialect: DialectName
    model: str
    system: tuple[TextBlock, ...] = ()
    turns: tuple[ChatTurn, ...] = ()
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice | None = None
    parallel_tools: bool | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    reasoning: Reasoning | None = None
    format: OutputFormat | None = None
    verbosity: str | None = None
    stream: bool = False
    include_usage: bool = False  # Chat: the client wants the trailing usage chunk
    user: str | None = None
    cache_key: str | None = None  # groups requests that share a prefix
    extra: Object = field(default_factory=dict)


@record
class UpstreamModel:
    """The features that the upstream's model takes. None: judged by the model's name.

    `max_output_tokens`: its maximum, larger wishes are clamped. `default_max_tokens`: for Anthropic, which insists on
    one. `reasoning`: takes an effort or budget. `replay_reasoning`: wants its reasoning_content back (DeepSeek, Kimi,
    MiMo). `adaptive`: takes Anthropic's adaptive thinking. `schema_output`: Anthropic's output_config.format.
    `web_search`: has a hosted search. `cache_key`: knows prompt_cache_key. `cache_prompts`: mark the prefix for
    Anthropic's cache where the client has made no such marks. `cache_marks`: takes Anthropic's marks in the parts of
    Chat Completions. `signatures`: tool call id -> thought_signature as seen before.
    """

    model: str
    max_output_tokens: int | None = None
    default_max_tokens: int = 32_000
    reasoning: bool | None = None
    replay_reasoning: bool | None = None
    adaptive: bool | None = None
    schema_output: bool = True
    web_search: bool = False
    cache_key: bool = False
    cache_prompts: bool = False
    cache_marks: bool = False
    signatures: Mapping[str, str] = field(default_factory=dict)


# --------------------------------------------------------------------------------------------------------------- answer


@record
class TokenCounts:
    """Tokens. `input` excludes the cache counts; `cache_write_1h` is part of `cache_write`, `reasoning` of `output`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    reasoning: int = 0

    @property
    def prompt(self) -> int:
        """All input, as Chat and Responses count it."""
        return self.input + self.cache_read + self.cache_write


@record
class ModelResponse:
    """tier: of the provider's service, where it says which has served: dearer or cheaper than its list price."""

    id: str = ""
    model: str = ""
    content: tuple[Block, ...] = ()
    stop: StopReason = "end_turn"
    stop_sequence: str | None = None
    usage: TokenCounts = field(default_factory=TokenCounts)
    tier: str | None = None


# --------------------------------------------------------------------------------------------------------------- events
# Order: MessageStart, then blocks and usage updates in any mixture, and at most one MessageStop, after which only a
# usage update follows. Several blocks may be open at once (Chat interleaves parallel calls); an index is used once.
# Failed may come anywhere and is the last.


@record
class MessageStart:
    id: str = ""
    model: str = ""


@record
class BlockStart:
    """`block` is a TextBlock, Thinking or ToolUse without content yet, or a whole Foreign block."""

    index: int
    block: Block


@record
class Delta:
    """More of the block's text, thinking or arguments."""

    index: int
    text: str


@record
class Signature:
    """The signature of a thinking block, whole."""

    index: int
    signature: str


@record
class BlockStop:
    index: int


@record
class UsageUpdate:
    """All that is known so far; replaces earlier ones."""

    usage: TokenCounts


@record
class MessageStop:
    reason: StopReason
    sequence: str | None = None


@record
class Ping:
    """The upstream is alive."""


@record
class Failed:
    error: DialectError


Event: TypeAlias = (
    "MessageStart | BlockStart | Delta | Signature | BlockStop | UsageUpdate | MessageStop | Ping | Failed"
)
