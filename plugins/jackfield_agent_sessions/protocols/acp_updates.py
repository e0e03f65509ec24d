"""The messages that an agent's reports of a prompt's turn become in the Agent Client Protocol (`session/update`).

Source: https://agentclientprotocol.com, schema of protocol version 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from jackfield.api import jsontext
from jackfield.api.agent_protocols import (
    DialogueStep,
    DialogueSteps,
    MessageKept,
    TextAdded,
    TokensSpent,
    ToolAnswered,
    ToolCalled,
)
from jackfield.api.jsontext import Json
from jackfield_agent_sessions.protocols.fields import mapping, number, objects, text, texts

_OVER = ("completed", "failed")
MOST = 1_000
"""Calls that are remembered until their result."""
MOST_BYTES = 16 * 1024 * 1024
"""Of their JSON; the last one is remembered whatever its size."""


class CallsGoingOn:
    """Calls without a result yet, since updates tell what is new alone. The oldest are forgotten."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[ToolCalled, int]] = {}
        self._size = 0

    def known(self, call: str) -> ToolCalled | None:
        found = self._calls.get(call)
        return None if found is None else found[0]

    def remember(self, called: ToolCalled) -> None:
        size = len(jsontext.dumps(called.model_dump(mode="json")))
        self._size += size - self._calls.get(called.call, (called, 0))[1]
        self._calls[called.call] = called, size
        while len(self._calls) > MOST or (self._size > MOST_BYTES and len(self._calls) > 1):
            self.forget(next(one for one in self._calls if one != called.call))

    def forget(self, call: str) -> None:
        self._size -= self._calls.pop(call, (None, 0))[1]


class TurnUpdates:
    """Updates of one session. Chunks of one kind that follow each other are one text."""

    def __init__(self, numbers: count[int]) -> None:
        self._numbers = numbers
        self._run: tuple[str, str, str] | None = None
        self._calls = CallsGoingOn()

    def received(self, update: Mapping[str, Json]) -> DialogueSteps:
        kind = text(update, "sessionUpdate")
        steps: list[DialogueStep] = []
        if kind == "agent_message_chunk":
            steps += self._chunk("text", update)
        elif kind == "agent_thought_chunk":
            steps += self._chunk("thinking", update)
        elif kind == "user_message_chunk":
            steps += self._chunk("user", update)
        elif kind in ("tool_call", "tool_call_update"):
            steps += self.called(update)
        usage = mapping(update, "_meta", "usage")
        return [*steps, *self.spent(usage)] if usage else steps

    def closed(self) -> None:
        """The next text begins anew."""
        self._run = None

    def _chunk(self, type: str, update: Mapping[str, Json]) -> DialogueSteps:
        piece = texts(update.get("content"))
        if not piece:
            return []
        message = text(update, "messageId")
        if self._run is None or self._run[:2] != (type, message):
            self._run = (type, message, f"{type}-{next(self._numbers)}")
        key = self._run[2]
        if type == "text":
            return [TextAdded(key, "text", piece)]
        return [TextAdded(key, "thinking" if type == "thinking" else "user", piece)]

    def called(self, update: Mapping[str, Json]) -> DialogueSteps:
        """A call, or what is new of it; also one that a permission is asked for, which may come first."""
        self.closed()
        call = text(update, "toolCallId")
        known = self._calls.known(call)
        changed = _call(call, update, known)
        steps: list[DialogueStep] = []
        if changed != known:
            steps.append(MessageKept(f"call:{call}", changed))
        status = text(update, "status")
        if status in _OVER:
            self._calls.forget(call)
            answered = ToolAnswered(call=call, output=_output(update), failed=status == "failed")
            return [*steps, MessageKept(f"result:{call}", answered)]
        if changed != known:
            self._calls.remember(changed)
        return steps

    def spent(self, usage: Mapping[str, Json]) -> DialogueSteps:
        cached, written = number(usage, "cachedReadTokens"), number(usage, "cachedWriteTokens")
        fresh = number(usage, "inputTokens")
        if fresh is None:
            return []
        spent = TokensSpent(
            input_tokens=fresh,
            output_tokens=number(usage, "outputTokens"),
            cache_creation_input_tokens=written,
            cache_read_input_tokens=cached,
        )
        return [MessageKept(f"usage-{next(self._numbers)}", spent)]


def _call(id: str, update: Mapping[str, Json], known: ToolCalled | None) -> ToolCalled:
    tool = text(mapping(update, "_meta"), "toolName") or (known.tool if known else text(update, "kind") or "other")
    title = text(update, "title") or (known.title if known else "")
    given = update.get("rawInput")
    return ToolCalled(call=id, tool=tool, title=title, input=given if given is not None else known and known.input)


def _output(update: Mapping[str, Json]) -> str:
    parts = [_part(part) for part in objects(update, "content")]
    if any(parts):
        return "\n".join(part for part in parts if part)
    raw = update.get("rawOutput")
    return raw if isinstance(raw, str) else "" if raw is None else jsontext.dumps(raw).decode()


def _part(part: Mapping[str, Json]) -> str:
    if text(part, "type") == "diff":
        return f"[diff of {text(part, 'path')}]"
    return texts(part.get("content"))
