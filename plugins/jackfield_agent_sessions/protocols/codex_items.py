"""Items of a Codex turn as messages.

Source: `codex app-server generate-json-schema` of Codex 0.169.0, `ThreadItem`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from jackfield.api.agent_protocols import (
    AgentSaid,
    AgentThought,
    DialogueSteps,
    MessageKept,
    ToolAnswered,
    ToolCalled,
)
from jackfield.api.jsontext import Json
from jackfield_agent_sessions.protocols.fields import number, text, texts

ItemReader: TypeAlias = Callable[[Mapping[str, Json]], DialogueSteps]
PieceType: TypeAlias = Literal["text", "thinking"]
_SILENT = ("userMessage", "hookPrompt", "contextCompaction", "enteredReviewMode", "exitedReviewMode")
"""Items of ours, or that are no act of the agent's."""
_COMMON = ("id", "type", "status", "startedAtMs", "completedAtMs", "durationMs")


def begun(item: Mapping[str, Json]) -> DialogueSteps:
    """The agent has begun with this item."""
    kind = text(item, "type")
    if kind in _SILENT or kind in _TEXTS:
        return []
    return [MessageKept(f"call:{text(item, 'id')}", _call(kind, item))]


def completed(item: Mapping[str, Json]) -> DialogueSteps:
    """The item is as it stays."""
    kind, call = text(item, "type"), text(item, "id")
    if kind in _SILENT:
        return []
    if kind in _TEXTS:
        return _TEXTS[kind](item)
    failed = text(item, "status") in ("failed", "declined") or number(item, "exitCode") not in (None, 0)
    answered = ToolAnswered(call=call, output=_output(kind, item), failed=failed)
    return [MessageKept(f"call:{call}", _call(kind, item)), MessageKept(f"result:{call}", answered)]


def _said(item: Mapping[str, Json]) -> DialogueSteps:
    return [MessageKept(text(item, "id"), AgentSaid(text=text(item, "text")))]


def _thought(item: Mapping[str, Json]) -> DialogueSteps:
    shown = texts(item.get("summary")) or texts(item.get("content"))
    return [MessageKept(text(item, "id"), AgentThought(text=shown))] if shown else []


_TEXTS: Mapping[str, ItemReader] = {
    "agentMessage": _said,
    "plan": _said,
    "reasoning": _thought,
}


def _call(kind: str, item: Mapping[str, Json]) -> ToolCalled:
    call = text(item, "id")
    if kind == "commandExecution":
        command = text(item, "command")
        return ToolCalled(
            call=call, tool="command", title=command, input={"command": command, "cwd": text(item, "cwd")}
        )
    if kind == "fileChange":
        return ToolCalled(call=call, tool="file_change", input=item.get("changes"))
    if kind == "mcpToolCall":
        tool = f"{text(item, 'server')}.{text(item, 'tool')}"
        return ToolCalled(call=call, tool=tool, input=item.get("arguments"))
    rest = {name: value for name, value in item.items() if name not in _COMMON}
    return ToolCalled(call=call, tool=text(item, "tool") or kind, title=text(item, "query"), input=rest)


def _output(kind: str, item: Mapping[str, Json]) -> str:
    if kind == "commandExecution":
        return text(item, "aggregatedOutput")
    if kind == "mcpToolCall":
        return texts(item.get("error")) or texts(item.get("result"))
    return texts(item.get("contentItems")) or text(item, "status")
