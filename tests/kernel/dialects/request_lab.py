"""Requests as the other dialects have them."""

from __future__ import annotations

from typing import Any

from dialect_lab import messages, translated


def to_chat(*turns: Any, target: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return translated("anthropic", "chat", messages(*turns, **more), **(target or {}))


def to_responses(*turns: Any, target: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return translated("anthropic", "responses", messages(*turns, **more), **(target or {}))


PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Edits files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: patch"},
}


def codex(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "instructions": "You are Codex.", "input": list(items), "store": False, **more}


def said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


HISTORY = (
    said("developer", "Sandbox: off."),
    said("user", "fix it"),
    {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hmm"}],
        "encrypted_content": "jackfield:anthropic:sig",
    },
    said("assistant", ""),
    {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"command":["ls"]}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin"},
    {"type": "function_call_output", "call_id": "c9", "output": "an orphan"},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a.py"}]},
)
SHELL = {"type": "function", "name": "shell", "parameters": {"type": "object", "properties": {}}, "strict": False}
TOOLS = [SHELL, PATCH, {"type": "local_shell"}, {"type": "web_search"}]
