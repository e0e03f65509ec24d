"""Requests and answers that both translate, drawn from a fixed seed: what agents send, in every mixture."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

Body = dict[str, Any]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WORDS = ("hello", "grüße", "日本", "do it", "ja ☃", "line\nbreak", 'quo"te')
SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
NAMES = ("get_weather", "read_file")


class Draw:
    """One request's draws."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._calls = 0
        self.seed = seed

    def often(self, share: float) -> bool:
        return self._random.random() < share

    def one(self, *values: Any) -> Any:
        return self._random.choice(values)

    def count(self, least: int, most: int) -> int:
        return self._random.randint(least, most)

    def words(self) -> str:
        return f"{self.one(*WORDS)} {self.count(0, 99)}"

    def call_id(self, prefix: str) -> str:
        self._calls += 1
        return f"{prefix}{self.seed}_{self._calls}"


# ----------------------------------------------------------------------------------------------------------- Messages


def messages_request(draw: Draw) -> Body:
    turns: list[Any] = []
    for _ in range(draw.count(1, 3)):
        turns.append({"role": "user", "content": _messages_user(draw)})
        for _ in range(draw.count(0, 2)):
            calls = [draw.call_id("toolu_") for _ in range(draw.count(1, 2))]
            text = [{"type": "text", "text": draw.words()}] if draw.often(0.6) else []
            uses = [
                {"type": "tool_use", "id": call, "name": NAMES[0], "input": {"place": draw.words()}} for call in calls
            ]
            turns.append({"role": "assistant", "content": [*text, *uses]})
            turns.append({"role": "user", "content": [_messages_result(draw, call) for call in calls]})
        turns.append({"role": "assistant", "content": draw.words()})
    turns.append({"role": "user", "content": draw.words()})
    body: Body = {"model": "claude-x", "max_tokens": draw.count(2000, 9000), "messages": turns}
    tools = [{"name": name, "description": draw.words(), "input_schema": SCHEMA} for name in NAMES]
    called = any(isinstance(turn["content"], list) and turn["role"] == "assistant" for turn in turns)
    if called or draw.often(0.5):
        body["tools"] = tools
        if draw.often(0.5):
            body["tool_choice"] = draw.one({"type": "auto"}, {"type": "any"}, {"type": "tool", "name": NAMES[0]})
            if draw.often(0.3):
                body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
    if draw.often(0.5):
        parts = [{"type": "text", "text": draw.words()} for _ in range(draw.count(1, 2))]
        body["system"] = draw.one(draw.words(), parts)
    _some(draw, body, temperature=lambda: 0.5, top_p=lambda: 0.9, stop_sequences=lambda: [draw.words()])
    _some(draw, body, metadata=lambda: {"user_id": "someone"})
    if draw.often(0.25):
        body["thinking"] = {"type": "enabled", "budget_tokens": draw.one(1024, 2048, 5000, 20_000)}
        body["max_tokens"] += 20_000
    return body


def _messages_user(draw: Draw) -> Any:
    if draw.often(0.3):
        return draw.words()
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    linked = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    marked = {"type": "text", "text": draw.words(), "cache_control": {"type": "ephemeral"}}
    return [draw.one({"type": "text", "text": draw.words()}, marked, picture, linked) for _ in range(draw.count(1, 3))]


def _messages_result(draw: Draw, call: str) -> Body:
    content = draw.one(draw.words(), [{"type": "text", "text": draw.words()}])
    failed = {"is_error": True} if draw.often(0.15) else {}
    return {"type": "tool_result", "tool_use_id": call, "content": content, **failed}


def _some(draw: Draw, body: Body, **fields: Callable[[], Any]) -> None:
    for name, value in fields.items():
        if draw.often(0.35):
            body[name] = value()


# --------------------------------------------------------------------------------------------------- Chat Completions


def chat_request(draw: Draw) -> Body:
    turns: list[Any] = []
    if draw.often(0.5):
        turns.append({"role": draw.one("system", "developer"), "content": draw.words()})
    for _ in range(draw.count(1, 3)):
        turns.append({"role": "user", "content": _chat_user(draw)})
        for _ in range(draw.count(0, 2)):
            calls = [draw.call_id("call_") for _ in range(draw.count(1, 2))]
            text = draw.words() if draw.often(0.6) else None
            uses = [
                {"id": call, "type": "function", "function": {"name": NAMES[0], "arguments": '{"place": "Köln"}'}}
                for call in calls
            ]
            turns.append({"role": "assistant", "content": text, "tool_calls": uses})
            turns += [{"role": "tool", "tool_call_id": call, "content": draw.words()} for call in calls]
        turns.append({"role": "assistant", "content": draw.words()})
    turns.append({"role": "user", "content": draw.words()})
    body: Body = {"model": "gpt-x", "messages": turns}
    if any("tool_calls" in turn for turn in turns) or draw.often(0.5):
        functions = [{"name": name, "description": draw.words(), "parameters": SCHEMA} for name in NAMES]
        body["tools"] = [{"type": "function", "function": function} for function in functions]
        if draw.often(0.5):
            named = {"type": "function", "function": {"name": NAMES[0]}}
            body["tool_choice"] = draw.one("auto", "required", "none", named)
        if draw.often(0.2):
            body["parallel_tool_calls"] = draw.one(True, False)
    _some(draw, body, temperature=lambda: 0.5, max_tokens=lambda: draw.count(2000, 9000), user=lambda: "someone")
    _some(draw, body, stop=lambda: draw.one(["END"], "END"))
    if "temperature" not in body:
        _some(draw, body, top_p=lambda: 0.9)
    if draw.often(0.2) and "tool_choice" not in body:
        body["reasoning_effort"] = draw.one("low", "medium", "high")
        body.pop("temperature", None)
        body.pop("top_p", None)
    return body


def _chat_user(draw: Draw) -> Any:
    if draw.often(0.4):
        return draw.words()
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    linked = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    return [draw.one({"type": "text", "text": draw.words()}, picture, linked) for _ in range(draw.count(1, 3))]


# ---------------------------------------------------------------------------------------------------------- Responses


def responses_request(draw: Draw) -> Body:
    items: list[Any] = []
    for _ in range(draw.count(1, 2)):
        picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"}
        parts = [draw.one({"type": "input_text", "text": draw.words()}, picture) for _ in range(draw.count(1, 2))]
        items.append({"type": "message", "role": "user", "content": parts})
        for _ in range(draw.count(0, 2)):
            calls = [draw.call_id("call_") for _ in range(draw.count(1, 2))]
            items += [
                {"type": "function_call", "call_id": call, "name": NAMES[0], "arguments": '{"place": "Köln"}'}
                for call in calls
            ]
            items += [{"type": "function_call_output", "call_id": call, "output": draw.words()} for call in calls]
        said = [{"type": "output_text", "text": draw.words()}]
        items.append({"type": "message", "role": "assistant", "content": said})
    items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": draw.words()}]})
    body: Body = {"model": "gpt-x", "input": draw.words() if draw.often(0.1) else items}
    if (not isinstance(body["input"], str) and draw.often(0.7)) or any("call_id" in item for item in items):
        tools = [{"name": name, "description": draw.words(), "parameters": SCHEMA, "strict": False} for name in NAMES]
        body["tools"] = [{"type": "function", **tool} for tool in tools]
        if draw.often(0.4):
            body["tool_choice"] = draw.one("auto", "required", {"type": "function", "name": NAMES[0]})
    _some(draw, body, instructions=draw.words, max_output_tokens=lambda: draw.count(2000, 9000))
    _some(draw, body, temperature=lambda: 0.5)
    return body


# ------------------------------------------------------------------------------------------------------------- answers


def answer(draw: Draw) -> Body:
    """In no dialect: text, thinking, calls, counts, and why it ended."""
    calls: Sequence[Any] = [
        (draw.call_id("call_"), draw.one(*NAMES), {"place": draw.words()}) for _ in range(draw.one(0, 0, 1, 2))
    ]
    text = draw.words() * draw.count(1, 3) if not calls or draw.often(0.7) else ""
    return {
        "text": text,
        "thinking": draw.words() if draw.often(0.3) else "",
        "calls": calls,
        "cached": draw.one(0, 40),
        "output": draw.count(1, 300),
        "cut": not calls and draw.often(0.2),
    }
