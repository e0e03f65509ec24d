"""The prompt of an agent or a chain."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeRun
from jackfield_ai.tools.toolbox import as_text

PROMPT_TYPE_SINCE = 1.6
"""Older agents have a text only, and chatInput (version 1: input) stands in when it is empty."""


def prompt_of(
    run: NodeRun, prompt_type: str, text: str, index: int, version: float | None, since: float = PROMPT_TYPE_SINCE
) -> str:
    """Raises `NodeError` when there is none."""
    given = run.items[index]["json"]
    if prompt_type == "define" or (version is not None and version < since and text):
        found, hint = text, "fill in the parameter text"
    elif prompt_type == "guardrails":
        found, hint = _field(given, "guardrailsInput"), "let the node before give guardrailsInput"
    else:
        found = _field(given, "chatInput") or _field(given, "chat_input") or _field(given, "input")
        hint = "let the node before give chatInput, or set promptType to define"
    if not found.strip():
        raise NodeError(f"There is no prompt; {hint}.")
    return found


def _field(given: dict[str, Json], name: str) -> str:
    value = given.get(name)
    return "" if value is None else as_text(value)
