"""Whole requests by Hypothesis: a round trip keeps the meaning, and no request raises anything but a DialectError."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dialect_lab import NAMES, WEATHER, assistant, call, damaged, encoded, messages, result, user
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.dialects import of, tokens
from jackfield.api.dialects.anthropic.build import CONTINUE
from jackfield.api.dialects.model import (
    DialectError,
    DialectName,
    ModelRequest,
    TextBlock,
    ToolResult,
    ToolUse,
    UpstreamModel,
)
from jackfield.api.dialects.turns import repaired
from jackfield.api.records import replace

TEXTS = st.text(min_size=1, max_size=20)
MARKS = st.sampled_from([{}, {}, {"cache_control": {"type": "ephemeral", "ttl": "1h"}}])
PLAIN = st.builds(lambda text, mark: {"type": "text", "text": text, **mark}, TEXTS, MARKS)
IMAGES = st.sampled_from(
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
        {"type": "document", "title": "t", "source": {"type": "text", "media_type": "text/plain", "data": "note"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
    ]
)
IDS = st.sampled_from(["toolu_1", "toolu_2", "toolu_3", "toolu_4"])
VALUES = st.dictionaries(
    st.text(max_size=5), st.text(max_size=5) | st.integers(-(2**53), 2**53) | st.none(), max_size=3
)
CALLS = st.builds(lambda call_id, value: call(call_id) | {"input": value}, IDS, VALUES)
RESULTS = st.builds(result, IDS, TEXTS | st.lists(PLAIN | IMAGES, min_size=1, max_size=2))
THOUGHTS = st.builds(
    lambda text, sign: {"type": "thinking", "thinking": text, "signature": sign}, TEXTS, st.text("abc", min_size=1)
)
TURNS = st.lists(
    st.lists(PLAIN | IMAGES | RESULTS, min_size=1, max_size=4).map(lambda blocks: user(*blocks))
    | st.lists(PLAIN | CALLS | THOUGHTS, min_size=1, max_size=4).map(lambda blocks: assistant(*blocks)),
    min_size=1,
    max_size=6,
)
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "system": TEXTS | st.lists(PLAIN, min_size=1, max_size=2),
    "tools": st.just([WEATHER, {"type": "web_search_20250305", "name": "web_search"}]),
    "temperature": st.floats(0, 1),
    "top_p": st.floats(0, 1),
    "top_k": st.integers(1, 99),
    "stop_sequences": st.lists(TEXTS, min_size=1, max_size=3),
    "stream": st.just(True),
    "thinking": st.sampled_from(
        [{"type": "enabled", "budget_tokens": 2000}, {"type": "adaptive"}, {"type": "disabled"}]
    ),
    "output_config": st.just({"format": {"type": "json_schema", "schema": {"type": "object", "properties": {}}}}),
    "metadata": st.just({"user_id": "u"}),
    "context_management": st.just({"edits": []}),
}
BODIES = st.builds(lambda turns, more: messages(*turns, **more), TURNS, st.fixed_dictionaries({}, optional=OPTIONS))


def meaning(request: ModelRequest) -> ModelRequest:
    return replace(request, turns=repaired(request.turns))


@given(BODIES)
@settings(max_examples=60)
def test_an_anthropic_request_means_the_same_after_a_round_trip(body: dict[str, Any]) -> None:
    first = of("anthropic").parse_request(encoded(body))
    again = of("anthropic").parse_request(of("anthropic").build_request(first, UpstreamModel("m")))
    if again.turns[0].content == (TextBlock(CONTINUE),):  # a history that does not begin with the user
        again = replace(again, turns=again.turns[1:])
    assert meaning(again) == meaning(first)


@pytest.mark.parametrize("upstream", NAMES)
@given(BODIES)
@settings(max_examples=40)
def test_every_call_has_its_one_result_in_the_next_turn(upstream: DialectName, body: dict[str, Any]) -> None:
    """7.5 'Order checks', of what is sent."""
    request = of("anthropic").parse_request(encoded(body))
    sent = of(upstream).parse_request(of(upstream).build_request(request, UpstreamModel("their-model")))
    turns = _joined(sent)
    for position, (role, blocks) in enumerate(turns):
        calls = [block.id for block in blocks if isinstance(block, ToolUse)]
        assert len(set(calls)) == len(calls)
        if role == "assistant":
            following = turns[position + 1][1] if position + 1 < len(turns) else []
            results = [block.id for block in following if isinstance(block, ToolResult)]
            assert results == calls
            assert all(isinstance(block, ToolResult) for block in following[: len(results)])
    answered = sum(isinstance(block, ToolResult) for _, blocks in turns for block in blocks)
    assert answered == sum(isinstance(block, ToolUse) for _, blocks in turns for block in blocks)


def _joined(request: ModelRequest) -> list[tuple[str, list[Any]]]:
    found: list[tuple[str, list[Any]]] = []
    for turn in request.turns:
        if found and found[-1][0] == turn.role:
            found[-1][1].extend(turn.content)
        else:
            found.append((turn.role, list(turn.content)))
    return found


CHAT_BODY: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
        {
            "role": "assistant",
            "content": "x",
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "r"}]},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "reasoning_effort": "low",
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
    "stream_options": {"include_usage": True},
}
RESPONSES_BODY: dict[str, Any] = {
    "model": "m",
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "https://x"}]},
        {"type": "reasoning", "summary": [{"text": "x"}], "encrypted_content": "e"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "r"}]},
        {"type": "custom_tool_call", "call_id": "d", "name": "g", "input": "x"},
    ],
    "tools": [
        {"type": "function", "name": "f", "parameters": {"type": "object", "anyOf": [{"properties": {"a": {}}}]}},
        {"type": "custom", "name": "g", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "f"}]},
    ],
    "reasoning": {"effort": "low", "summary": "auto"},
    "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}, "verbosity": "low"},
}
ANTHROPIC_BODY = messages(
    user("x"),
    assistant({"type": "thinking", "thinking": "x", "signature": "y"}, call(place="A")),
    user(
        result(content=[{"type": "text", "text": "x"}]), {"type": "document", "source": {"type": "text", "data": "x"}}
    ),
    system=[{"type": "text", "text": "s"}],
    tools=[WEATHER],
    tool_choice={"type": "tool", "name": "get_weather"},
    thinking={"type": "enabled", "budget_tokens": 2000},
    output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}},
    metadata={"user_id": "u"},
)
GOOGLE_SCHEMA = {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}}
GEMINI_BODY: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "s"}]},
    "contents": [
        {"role": "user", "parts": [{"text": "x"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}]},
        {
            "role": "model",
            "parts": [
                {"text": "x", "thought": True, "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "c", "name": "g"}},
            ],
        },
        {
            "parts": [
                {"functionResponse": {"name": "f", "response": {"output": "r"}}},
                {"fileData": {"fileUri": "https://x"}},
            ]
        },
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "f", "parameters": {"type": "OBJECT", "properties": {"a": {"nullable": True}}}}
            ]
        },
        {"googleSearch": {}},
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
    "generationConfig": {
        "maxOutputTokens": 9,
        "topK": 1.0,
        "thinkingConfig": {"includeThoughts": True, "thinkingBudget": -1},
        "responseMimeType": "application/json",
        "responseSchema": {"type": "OBJECT", "properties": {"a": {"type": "STRING", "minLength": "1"}}},
    },
    "safetySettings": [],
}
EXAMPLES: dict[DialectName, dict[str, Any]] = {
    "anthropic": ANTHROPIC_BODY,
    "chat": CHAT_BODY,
    "responses": RESPONSES_BODY,
    "gemini": GEMINI_BODY,
}


@pytest.mark.parametrize("dialect", NAMES)
@given(data=st.data())
@settings(max_examples=150)
def test_damaged_requests_raise_nothing_but_a_clear_error(dialect: DialectName, data: st.DataObject) -> None:
    body = encoded(data.draw(damaged(EXAMPLES[dialect])))
    try:
        request = of(dialect).parse_request(body)
    except DialectError as exc:
        refusal = exc
    else:
        _check_sent(request)
        return
    assert refusal.status == 400
    assert refusal.message


def _check_sent(request: ModelRequest) -> None:
    assert tokens.of_request(request) >= 1
    for upstream in NAMES:
        sent = of(upstream).build_request(request, UpstreamModel("their-model", web_search=True, cache_prompts=True))
        assert isinstance(json.loads(sent), dict)
        of(upstream).parse_request(sent)


@pytest.mark.parametrize("dialect", NAMES)
@given(body=st.binary(max_size=60))
def test_any_bytes_raise_nothing_but_a_proxy_error(dialect: DialectName, body: bytes) -> None:
    for parse in (of(dialect).parse_request, of(dialect).parse_response):
        with pytest.raises(DialectError):
            parse(body)
    assert of(dialect).parse_error(500, body).status >= 400


# --------------------------------------------------------------------------------------------------------------- tokens


def counted(**body: Any) -> int:
    return tokens.of_request(of("anthropic").parse_request(encoded({"model": "m", **body})))


def test_tokens_are_estimated_slightly_over() -> None:
    """7.6 count_tokens: the body lacks max_tokens. The phrase has 8 tokens by the vendors' own counting."""
    assert 0 < counted(messages=[user("hello")]) < 20
    assert 8 * 400 * 0.9 < counted(messages=[user("hello there, how are you? " * 400)]) < 8 * 400 * 1.3


def test_everything_counts() -> None:
    words = "lorem ipsum " * 500
    least = counted(messages=[user("x")])
    tool = {"name": "f", "description": words, "input_schema": {}}
    assert counted(messages=[user("x")], system=words) > least + 1500
    assert counted(messages=[user("x")], tools=[tool]) > least + 1500
    assert counted(messages=[user("x"), assistant(call(text=words))]) > least + 1500
    assert counted(messages=[user("x"), assistant(call()), user(result(content=words))]) > least + 1500
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 90_000}}
    assert counted(messages=[user(picture)]) == counted(
        messages=[user({**picture, "source": {"type": "url", "url": "u"}})]
    )
    assert counted(messages=[user("日本語" * 100)]) > 300
