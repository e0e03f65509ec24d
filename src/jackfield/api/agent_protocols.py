"""Protocols in which agents are spoken to without a terminal: messages with types, calls of tools, permissions.

A protocol does no I/O. Its dialogue hears of each event, and answers with steps. Steps are JSON objects for the agent,
one a line on its standard input, and messages that its output has made. Agents of one protocol differ in how they are
started, which their manifests say (`[protocol]`).

Source: docs/agent-sessions.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from .extensions import ExtensionPoint
from .jsontext import Json
from .records import record


class AgentMessage(BaseModel):
    """The fields of every message of a session.

    `cut`: it was longer than `agent_sessions.message_limit`, and its end or its input is left out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    cut: bool = False


class UserSaid(AgentMessage):
    """The user's words to the agent."""

    type: Literal["user"] = "user"
    text: str


class AgentSaid(AgentMessage):
    """The agent's words, perhaps not all of them yet."""

    type: Literal["text"] = "text"
    text: str


class AgentThought(AgentMessage):
    """The reasoning that the model shows."""

    type: Literal["thinking"] = "thinking"
    text: str


class ToolCalled(AgentMessage):
    """The agent uses a tool. call: tells it from other calls. tool: the agent's own name of it. title: for people."""

    type: Literal["tool_call"] = "tool_call"
    call: str
    tool: str
    title: str = ""
    input: JsonValue = None


class ToolAnswered(AgentMessage):
    """The result of the call, as text."""

    type: Literal["tool_result"] = "tool_result"
    call: str
    output: str
    failed: bool


class PermissionOption(BaseModel):
    """One answer to a request for a permission. kind: as in the Agent Client Protocol. `always` is as long as the agent
    takes it to be."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    name: str
    kind: Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class PermissionAsked(AgentMessage):
    """The agent wants to do something and waits.

    `id`: for the answer. `call`: of the tool, where there is one. `answer`: the id of the option that was chosen.
    """

    type: Literal["permission"] = "permission"
    id: str
    call: str | None = None
    tool: str
    title: str = ""
    input: JsonValue = None
    options: tuple[PermissionOption, ...]
    state: Literal["open", "answered", "withdrawn"] = "open"
    answer: str | None = None


class TokensSpent(AgentMessage):
    """Tokens since the last message of this type. input_tokens: without those of the cache. None: the agent does not
    tell them."""

    type: Literal["usage"] = "usage"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class AgentFault(AgentMessage):
    """Something has failed; a `turn_end` or the `end` follows where the agent gives up."""

    type: Literal["error"] = "error"
    text: str


class TurnEnded(AgentMessage):
    """The agent has answered and waits for the next message. detail: the agent's own word for it."""

    type: Literal["turn_end"] = "turn_end"
    reason: Literal["completed", "interrupted", "failed"]
    detail: str = ""


class ProcessEnded(AgentMessage):
    """The agent is gone. exit_code: 128+n for a signal. text: why, where something is known."""

    type: Literal["end"] = "end"
    exit_code: int
    text: str = ""


AnyAgentMessage: TypeAlias = Annotated[
    UserSaid
    | AgentSaid
    | AgentThought
    | ToolCalled
    | ToolAnswered
    | PermissionAsked
    | TokensSpent
    | AgentFault
    | TurnEnded
    | ProcessEnded,
    Field(discriminator="type"),
]


@record
class SendFrame:
    """The agent is to be sent this."""

    frame: Mapping[str, Json]


@record
class AgentReady:
    """The agent takes messages from now on. session: its own name of the session, by which it can be resumed; None: not
    known yet. A later step tells it."""

    session: str | None = None


@record
class StartRefused:
    """The session does not begin. `reason`: one sentence of the agent's."""

    reason: str


@record
class MessageKept:
    """A message; it replaces the one of the same key. key: of the dialogue's choosing."""

    key: str
    message: AgentMessage


@record
class TextAdded:
    """More of a text; the first of a key begins a message of this type."""

    key: str
    type: Literal["user", "text", "thinking"]
    text: str


DialogueStep: TypeAlias = "SendFrame | AgentReady | StartRefused | MessageKept | TextAdded"
DialogueSteps: TypeAlias = "Sequence[DialogueStep]"


@record
class DialogueStart:
    """`cwd`: where the agent works.

    `resume`: its own name of the session that goes on; None: a new one. `version`: ours. `options`: `protocol.options`
    of the agent's manifest.
    """

    cwd: str
    resume: str | None
    version: str
    options: Mapping[str, Json] = field(default_factory=dict)


class AgentDialogue(Protocol):
    """One session with one process of an agent.

    Its methods neither block nor wait. An exception of `received` ends the session as failed.
    """

    def begin(self) -> DialogueSteps:
        """The process has been started. Sooner or later a step `AgentReady` or `StartRefused` follows."""

    def received(self, frame: Mapping[str, Json]) -> DialogueSteps:
        """The agent has written this object.

        The dialogue leaves an unknown object alone. It refuses an unknown request, since the agent waits for an answer.
        """

    def say(self, text: str) -> DialogueSteps:
        """A message for the agent, which is ready and does not work on another. `TurnEnded` follows."""

    def answer(self, permission: str, option: str, note: str) -> DialogueSteps:
        """Choose an option of an open permission. note: the reason, for agents that take one. Raises `NotFound`,
        `Conflict` when it is not open any more, `InvalidInput` for an option that it does not have."""

    def interrupt(self) -> DialogueSteps:
        """Break the turn off. `TurnEnded` follows."""


class AgentProtocol(Protocol):
    """A protocol that agents speak over their standard input and output, one JSON object a line
    (`jackfield_agent_protocols`)."""

    name: str
    """As manifests write it in `protocol.name`."""

    def dialogue(self, start: DialogueStart) -> AgentDialogue:
        """For a process that is about to be started."""


AGENT_PROTOCOLS = ExtensionPoint("jackfield_agent_protocols", AgentProtocol)
