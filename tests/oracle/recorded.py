"""Streams, answers and requests that were recorded from real providers, in the directory that JACKFIELD_TEST_STREAMS
names: {anthropic,chat,responses}/NAME.sse, NAME.answer.json and NAME.request.json. What a stream says is read here from
its events, without the proxy's readers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from dialect_lab import NAMES

from jackfield.api.dialects.model import DialectName

PLACE = Path(os.environ.get("JACKFIELD_TEST_STREAMS") or "nowhere")
needs_recordings = pytest.mark.skipif(
    not PLACE.is_dir(), reason="JACKFIELD_TEST_STREAMS names no directory of recorded streams"
)


@dataclass(frozen=True)
class Recording:
    dialect: DialectName
    path: Path

    @property
    def data(self) -> bytes:
        return self.path.read_bytes()

    def __str__(self) -> str:
        return f"{self.dialect}/{self.path.name}"


def recordings(kind: str) -> list[Recording]:
    """kind: sse, answer.json or request.json."""
    return [Recording(one, path) for one in NAMES for path in sorted((PLACE / one).glob(f"*.{kind}"))]


def every(kind: str) -> pytest.MarkDecorator:
    """A test of each recording of this kind."""
    return pytest.mark.parametrize("recording", recordings(kind), ids=str)


# -------------------------------------------------------------------------------------------------------------- meaning


@dataclass
class Meaning:
    """What a client learns.

    blocks: (text, thinking, refusal or call; name and id of a call; content). A freeform call's content is {"input":
    text}. stop: end, limit, calls or refusal. usage: tokens; input holds the cached ones. failed: an error's message.
    """

    blocks: list[tuple[str, str, Any]] = field(default_factory=list)
    stop: str = ""
    usage: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    failed: str = ""

    @property
    def called(self) -> bool:
        return any(kind == "call" for kind, _, _ in self.blocks)

    @property
    def joined(self) -> list[tuple[str, str, Any]]:
        """As a chat message has it: one text each of thinking, text and refusal, and the calls."""
        kinds = ("thinking", "text", "refusal")
        said = {wanted: "".join(text for kind, _, text in self.blocks if kind == wanted) for wanted in kinds}
        told: list[tuple[str, str, Any]] = [(kind, "", text) for kind, text in said.items() if text]
        return [*told, *(block for block in self.blocks if block[0] == "call")]


COUNTS = ("input", "output", "cached", "written")


def events_of(data: bytes) -> list[Any]:
    """The data of a stream's events."""
    lines = [line[5:].strip() for line in data.splitlines() if line.startswith(b"data:")]
    return [json.loads(line) for line in lines if line and line != b"[DONE]"]


def meaning(dialect: DialectName, events: Iterable[Mapping[str, Any]]) -> Meaning:
    """Of a stream that has been read to its end."""
    return {"anthropic": _messages, "chat": _chat, "responses": _responses}[dialect](events)


def meaning_of_answer(dialect: DialectName, body: Mapping[str, Any]) -> Meaning:
    """Of an answer that came whole."""
    frame = {"anthropic": {"type": "message_start", "message": body}, "chat": body}
    return meaning(dialect, [frame.get(dialect) or {"type": f"response.{body['status']}", "response": body}])


def arguments_of(text: str) -> Any:
    """What is no JSON, as it is."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


# ------------------------------------------------------------------------------------------------------------- Messages

_KINDS = {"text": "text", "thinking": "thinking", "tool_use": "call"}
_ENDS = {"max_tokens": "limit", "model_context_window_exceeded": "limit", "tool_use": "calls", "refusal": "refusal"}
_MESSAGES_COUNTS = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cached": "cache_read_input_tokens",
    "written": "cache_creation_input_tokens",
}


def _messages(events: Iterable[Mapping[str, Any]]) -> Meaning:
    found = Meaning()
    blocks: dict[Any, dict[str, Any]] = {}
    counts = dict.fromkeys(COUNTS, 0)
    refused: Mapping[str, Any] | None = None
    for event in events:
        match event["type"]:
            case "message_start":
                _count_messages(counts, event["message"]["usage"])
                blocks |= {("whole", n): _begun(one) for n, one in enumerate(event["message"].get("content") or ())}
                found.stop = event["message"].get("stop_reason") or found.stop
                refused = event["message"].get("stop_details")
            case "content_block_start":
                blocks[event["index"]] = _begun(event["content_block"])
            case "content_block_delta":
                delta = event["delta"]
                blocks[event["index"]]["more"] += delta.get("text") or delta.get("thinking") or ""
                blocks[event["index"]]["json"] += delta.get("partial_json") or ""
            case "message_delta":
                found.stop = event["delta"].get("stop_reason") or found.stop
                refused = event["delta"].get("stop_details") or refused
                _count_messages(counts, event.get("usage") or {})
            case "error":
                found.failed = event["error"]["message"]
    found.blocks = [told for block in blocks.values() if (told := _messages_block(block))]
    if said := (refused or {}).get("explanation"):
        found.blocks.append(("refusal", "", said))
    found.stop = _ENDS.get(found.stop, "end")
    found.usage = {**counts, "input": counts["input"] + counts["cached"] + counts["written"]}
    return found


def _begun(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"start": block, "more": "", "json": ""}


def _messages_block(block: Mapping[str, Any]) -> tuple[str, str, Any] | None:
    start = block["start"]
    match start["type"]:
        case "tool_use":
            given = arguments_of(block["json"]) if block["json"] else start["input"]
            return "call", f"{start['name']} {start['id']}", given
        case "text" | "thinking":
            content = start[start["type"]] + block["more"]
            return (start["type"], "", content) if content else None
    return None


def _count_messages(counts: dict[str, int], usage: Mapping[str, Any]) -> None:
    steps = [step for step in usage.get("iterations") or () if step["type"] != "advisor_message"]
    for name, theirs in _MESSAGES_COUNTS.items():
        counts[name] = max(counts[name], usage.get(theirs) or 0, sum(step.get(theirs) or 0 for step in steps))


# ----------------------------------------------------------------------------------------------------- Chat Completions


def _chat(events: Iterable[Mapping[str, Any]]) -> Meaning:
    found = Meaning()
    told = {"thinking": "", "text": "", "refusal": ""}
    calls: dict[Any, dict[str, Any]] = {}
    for event in events:
        if event.get("error"):
            found.failed = event["error"]["message"]
        if event.get("usage"):
            found.usage = _chat_usage(event["usage"])
        for choice in event.get("choices") or ():
            if not choice["index"]:
                _chat_delta(choice.get("delta") or choice.get("message") or {}, told, calls)
                found.stop = choice.get("finish_reason") or found.stop
    found.blocks = [(kind, "", text) for kind, text in told.items() if text]
    found.blocks += [("call", f"{call['name']} {call['id']}", _chat_given(call)) for call in calls.values()]
    ends = {"length": "limit", "content_filter": "refusal", "tool_calls": "calls"}
    found.stop = ends.get(found.stop) or ("calls" if calls else "refusal" if told["refusal"] else "end")
    return found


def _chat_delta(delta: Mapping[str, Any], told: dict[str, str], calls: dict[Any, dict[str, Any]]) -> None:
    told["thinking"] += delta.get("reasoning_content") or delta.get("reasoning") or ""
    told["refusal"] += delta.get("refusal") or ""
    content = delta.get("content") or ""
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if part["type"] == "thinking":  # Mistral
            told["thinking"] += "".join(one["text"] for one in part["thinking"])
        else:
            told["text"] += part["text"]
    for position, call in enumerate(delta.get("tool_calls") or ()):
        known = calls.setdefault(call.get("index", position), {"id": "", "name": "", "said": "", "custom": False})
        made = call.get("function") or call.get("custom") or {}
        known["custom"] |= bool(call.get("custom"))
        known["id"] += call.get("id") or ""
        known["name"] += made.get("name") or ""
        known["said"] += made.get("arguments") or made.get("input") or ""


def _chat_given(call: Mapping[str, Any]) -> Any:
    return {"input": call["said"]} if call["custom"] else arguments_of(call["said"])


def _chat_usage(usage: Mapping[str, Any]) -> dict[str, int]:
    details = usage.get("prompt_tokens_details") or {}
    return {
        "input": usage["prompt_tokens"],
        "output": usage["completion_tokens"],
        "cached": details.get("cached_tokens") or 0,
        "written": details.get("cache_write_tokens") or 0,
    }


# ------------------------------------------------------------------------------------------------------------ Responses


def _responses(events: Iterable[Mapping[str, Any]]) -> Meaning:
    found = Meaning()
    items: dict[int, Any] = {}
    last: Mapping[str, Any] = {}
    for event in events:
        match event["type"]:
            case "response.output_item.done":
                items[event["output_index"]] = event["item"]
            case "response.completed" | "response.incomplete":
                last = event["response"]
            case "response.failed":
                found.failed = event["response"]["error"]["message"]
            case "error":
                found.failed = (event.get("error") or event)["message"]
    output = [items[position] for position in sorted(items)] or last.get("output") or []
    found.blocks = [block for item in output for block in _item(item)]
    refused = any(kind == "refusal" for kind, _, _ in found.blocks)
    found.stop = "calls" if found.called else "refusal" if refused else "end"
    if last.get("status") == "incomplete":
        found.stop = "refusal" if last["incomplete_details"]["reason"] == "content_filter" else "limit"
    if usage := last.get("usage"):
        details = usage.get("input_tokens_details") or {}
        counts = (usage["input_tokens"], usage["output_tokens"])
        more = (details.get("cached_tokens") or 0, details.get("cache_write_tokens") or 0)
        found.usage = dict(zip(COUNTS, [*counts, *more], strict=True))
    return found


def _item(item: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    match item["type"]:
        case "function_call":
            return [("call", f"{item['name']} {item['call_id']}", arguments_of(item["arguments"]))]
        case "custom_tool_call":
            return [("call", f"{item['name']} {item['call_id']}", {"input": item["input"]})]
        case "reasoning":
            parts = [*(item.get("summary") or ()), *(item.get("content") or ())]
            text = "\n\n".join(part["text"] for part in parts)
            return [("thinking", "", text)] if text else []
        case "message":
            kinds = [("refusal" if part["type"] == "refusal" else "text", part) for part in item["content"]]
            return [(kind, "", text) for kind, part in kinds if (text := part.get("text") or part.get("refusal"))]
    return []
