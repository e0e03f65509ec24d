"""Whole answers: Chat -> Anthropic and Responses, and the errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from answer_lab import completion
from dialect_lab import (
    DONE,
    NAMES,
    answered,
    chunks,
    encoded,
    messages,
    named,
    piece,
    read,
    relayed,
    whole,
)

from jackfield.api.dialects import names, of
from jackfield.api.dialects.model import (
    DialectError,
    DialectName,
    Failed,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolDefinition,
    ToolUse,
)

BEGUN = {"type": "message_start", "message": {"id": "msg_1", "content": [], "usage": {}}}
PATCH = ToolDefinition("apply_patch", kind="custom", dialect="responses")
LONG = "mcp__" + "a" * 80


def tool_call(call_id: str = "call_1", name: str = "get_weather", arguments: str = '{"place": "A"}') -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_completion_becomes_a_message() -> None:
    content = {"content": "text", "reasoning_content": "hmm", "tool_calls": [tool_call()]}
    made = answered("chat", "anthropic", completion(content, "tool_calls"))
    assert (made["id"], made["type"], made["role"], made["model"]) == ("msg_7", "message", "assistant", "asked-model")
    assert [block["type"] for block in made["content"]] == ["thinking", "text", "tool_use"]
    assert made["content"][0]["thinking"] == "hmm"
    assert made["content"][2] == {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"place": "A"}}
    assert (made["stop_reason"], made["stop_sequence"]) == ("tool_use", None)


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
        ("refusal", "refusal"),
        (None, "end_turn"),
        ("something new", "end_turn"),
    ],
)
def test_finish_reasons(finish: str | None, expected: str) -> None:
    assert answered("chat", "anthropic", completion({"content": "x"}, finish))["stop_reason"] == expected


@pytest.mark.parametrize("finish", ["tool_calls", "function_call", "stop", None])
def test_tool_calls_are_a_reason_of_their_own(finish: str | None) -> None:
    assert answered("chat", "anthropic", completion({"tool_calls": [tool_call()]}, finish))["stop_reason"] == "tool_use"


def test_a_refusal_is_text() -> None:
    made = answered("chat", "anthropic", completion({"content": None, "refusal": "No."}))
    assert (made["content"], made["stop_reason"]) == ([{"type": "text", "text": "No."}], "refusal")


def test_content_in_parts_is_thinking_and_text() -> None:
    """Mistral's magistral models."""
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "so"}, {"type": "text", "text": "-so"}]}
    content = [thinking, {"type": "text", "text": "39"}, {"type": "text", "text": "1"}]
    made = answered("chat", "anthropic", completion({"content": content}))
    assert [block.get("thinking", block.get("text")) for block in made["content"]] == ["so-so", "391"]


@pytest.mark.parametrize("client", ["chat", "responses"])
def test_why_anthropic_refused_is_told(client: DialectName) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "Blocked under the policy."}
    end = {"stop_reason": "refusal", "stop_details": details}
    whole_body = {"id": "msg_1", "type": "message", "content": [], "usage": {}, **end}
    streamed = relayed(
        "anthropic", client, named(BEGUN, {"type": "message_delta", "delta": end}, {"type": "message_stop"})
    )
    for told in (answered("anthropic", client, whole_body), streamed):
        assert '"refusal": "Blocked under the policy."' in json.dumps(told)


def test_unparsable_arguments_are_an_empty_input() -> None:
    made = answered("chat", "anthropic", completion({"tool_calls": [tool_call(arguments='{"pla')]}))
    assert made["content"][0]["input"] == {}


def test_cached_and_written_tokens_are_told_apart() -> None:
    usage = {
        "prompt_tokens": 1200,
        "completion_tokens": 34,
        "prompt_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 50},
    }
    made = answered("chat", "anthropic", completion({"content": "x"}, usage=usage))["usage"]
    assert made == {
        "input_tokens": 150,
        "cache_creation_input_tokens": 50,
        "cache_read_input_tokens": 1000,
        "output_tokens": 34,
    }
    back = answered("anthropic", "chat", {"type": "message", "content": [], "usage": made})["usage"]
    assert (back["prompt_tokens"], back["completion_tokens"], back["total_tokens"]) == (1200, 34, 1234)
    assert back["prompt_tokens_details"]["cached_tokens"] == 1000
    told = answered("anthropic", "responses", {"type": "message", "content": [], "usage": made})["usage"]
    assert (told["input_tokens"], told["total_tokens"]) == (1200, 1234)
    assert told["input_tokens_details"]["cached_tokens"] == 1000


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize(
    "body", [["no", "completion"], {}, "x", {"choices": []}, {"content": 3}, {"output": "x"}], ids=str
)
def test_what_is_no_answer_is_a_bad_gateway(dialect: DialectName, body: Any) -> None:
    with pytest.raises(DialectError) as caught:
        of(dialect).parse_response(encoded(body))
    assert caught.value.status == 502


def test_an_error_in_place_of_an_answer() -> None:
    with pytest.raises(DialectError, match="slow down") as caught:
        of("chat").parse_response(encoded({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}))
    assert caught.value.status == 429


@pytest.mark.parametrize("client", NAMES)
def test_shortened_tool_names_come_back_long(client: DialectName) -> None:
    tool = ToolDefinition(LONG)
    body = completion({"tool_calls": [tool_call(name=names.fit_name(LONG))]})
    assert LONG in json.dumps(answered("chat", client, body, tool))
    data = chunks(piece(0, "{}", id="c", name=names.fit_name(LONG)), finish="tool_calls")
    assert LONG in json.dumps(relayed("chat", client, data, tool))


def test_namespaces_come_back() -> None:
    tool = ToolDefinition("shell", namespace="github", dialect="responses")
    made = answered("chat", "responses", completion({"tool_calls": [tool_call(name="github__shell")]}), tool)
    assert (made["output"][0]["name"], made["output"][0]["namespace"]) == ("shell", "github")


@pytest.mark.parametrize("arguments", ['{"input": "*** Begin"}', "*** Begin"], ids=["wrapped", "bare"])
def test_freeform_input_is_unwrapped(arguments: str) -> None:
    """7.7: custom tools such as apply_patch."""
    body = completion({"tool_calls": [tool_call(name="apply_patch", arguments=arguments)]})
    (item,) = answered("chat", "responses", body, PATCH)["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "apply_patch", "*** Begin")
    half = len(arguments) // 2
    data = chunks(
        piece(0, arguments[:half], id="c", name="apply_patch"), piece(0, arguments[half:]), finish="tool_calls"
    )
    events = relayed("chat", "responses", data, PATCH)
    kinds = [event["type"] for event in events]
    assert "response.custom_tool_call_input.delta" in kinds
    assert "response.custom_tool_call_input.done" in kinds
    assert events[-1]["response"]["output"][0]["input"] == "*** Begin"
    (_, part, *_) = relayed("chat", "chat", data, PATCH)
    assert part["choices"][0]["delta"]["tool_calls"][0]["custom"] == {"name": "apply_patch", "input": "*** Begin"}


def test_ids_that_anthropic_refuses_come_back_as_they_were() -> None:
    made = answered("chat", "anthropic", completion({"tool_calls": [tool_call("functions.f:0")]}))
    block = made["content"][0]
    assert names._FIT(block["id"])
    turns = [{"role": "assistant", "content": [block]}]
    parsed = of("anthropic").parse_request(encoded(messages(*turns)))
    assert isinstance(parsed.turns[0].content[0], ToolUse)
    assert parsed.turns[0].content[0].id == "functions.f:0"


def test_signed_thinking_rides_in_encrypted_content() -> None:
    """7.7: and comes back next turn, to Anthropic alone."""
    thought = {"type": "thinking", "thinking": "hmm", "signature": "sig"}
    (item, _) = answered("anthropic", "responses", {"content": [thought, {"type": "text", "text": "x"}]})["output"]
    assert item["type"] == "reasoning"
    parsed = of("responses").parse_request(encoded({"model": "m", "input": [item]}))
    assert parsed.turns[0].content == (Thinking("hmm", "sig", "anthropic"),)


def test_encrypted_reasoning_rides_in_the_signature() -> None:
    output = [{"type": "reasoning", "summary": [], "encrypted_content": "enc"}]
    (block,) = answered("responses", "anthropic", {"output": output})["content"]
    assert block["type"] == "redacted_thinking"
    body = encoded(messages({"role": "assistant", "content": [block]}))
    assert names.is_mixed(body)
    assert of("anthropic").parse_request(body).turns[0].content == (Thinking("", "enc", "responses", redacted=True),)


def test_thinking_of_chat_models_is_marked_as_foreign() -> None:
    events = relayed("chat", "anthropic", chunks({"reasoning_content": "hmm"}, {"content": "x"}))
    (signature,) = [e["delta"]["signature"] for e in events if e.get("delta", {}).get("type") == "signature_delta"]
    assert names.is_mixed(signature.encode())
    assert not names.is_mixed(encoded(messages()))


@pytest.mark.parametrize("kind", ["response.failed", "error"])
def test_a_failed_response(kind: str) -> None:
    error = {"code": "rate_limit_exceeded", "message": "slow down"}
    event = {"type": kind, "response": {"error": error}} if kind == "response.failed" else {"type": kind, **error}
    (failed,) = read(of("responses").reader(), named(event))
    assert isinstance(failed, Failed)
    assert (failed.error.status, failed.error.message) == (429, "slow down")


def test_a_message_may_start_with_content() -> None:
    """It goes on after a tool that Anthropic runs; gateways that send the start twice send its content twice."""
    used = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"id": 7}}
    message = {"id": "msg_1", "content": [{"type": "text", "text": "so"}, used], "stop_reason": "tool_use"}
    start = {"type": "message_start", "message": {**message, "usage": {"input_tokens": 5}}}
    response = whole("anthropic", named(start, start, {"type": "message_stop"}))
    assert response.content == (TextBlock("so"), ToolUse("toolu_1", "find", '{"id":7}'))
    assert (response.stop, response.usage.input) == ("tool_use", 5)
    limited = {"type": "message_start", "message": {"content": [], "stop_reason": "max_tokens"}}
    assert whole("anthropic", named(limited, {"type": "message_stop"})).stop == "max_tokens"


def test_the_first_of_several_completions_is_told() -> None:
    """Gateways may add some that nobody asked for."""
    data = [b'data: {"choices":[{"index":%d,"delta":{"content":"%d"}}]}\n\n' % (n, n) for n in (0, 1, 0, 1)]
    assert [block.text for block in whole("chat", [*data, DONE]).content if isinstance(block, TextBlock)] == ["00"]


def test_what_compaction_took_counts_and_an_advisor_does_not() -> None:
    """The outer counts are those of the last step."""
    steps = [("compaction", 900, 90), ("message", 20, 5), ("advisor_message", 70, 7)]
    iterations = [{"type": kind, "input_tokens": given, "output_tokens": made} for kind, given, made in steps]
    usage = {"input_tokens": 20, "output_tokens": 5, "iterations": iterations}
    ended = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}
    assert whole("anthropic", named(BEGUN, ended, {"type": "message_stop"})).usage == TokenCounts(920, 95)


def test_hosted_tool_blocks_are_left_out_for_others() -> None:
    used = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    body = {"content": [used, {"type": "text", "text": "found"}], "stop_reason": "pause_turn"}
    assert answered("anthropic", "chat", body)["choices"][0]["message"]["content"] == "found"
    assert answered("anthropic", "anthropic", body)["content"][0] == used


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (409, "conflict_error"),
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (504, "timeout_error"),
        (529, "overloaded_error"),
    ],
)
def test_kinds_of_errors(status: int, kind: str) -> None:
    """7.6 'Errors': with request id and Retry-After."""
    error = of("chat").parse_error(status, encoded({"error": {"message": "why", "type": "x"}}), "7")
    code, body, headers = of("anthropic").error_body(error, "req_1")
    assert code == status
    assert json.loads(body) == {"type": "error", "error": {"type": kind, "message": "why"}, "request_id": "req_1"}
    assert dict(headers) == {"content-type": "application/json", "retry-after": "7"}


def test_openai_errors() -> None:
    """7.7: {error{message, type, code, param}}."""
    error = of("anthropic").parse_error(
        429, encoded({"type": "error", "error": {"type": "rate_limit_error", "message": "m"}})
    )
    for dialect in ("chat", "responses"):
        status, body, headers = of(dialect).error_body(error)
        told = {"message": "m", "type": "rate_limit_error", "param": None, "code": "rate_limit_exceeded"}
        assert (status, json.loads(body)) == (429, {"error": told})
        assert "retry-after" not in dict(headers)
    overloaded = of("anthropic").parse_error(529, b"{}")
    assert of("chat").error_body(overloaded)[0] == 503


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "too big"}),
        (400, {"message": "This model's maximum context length is 8192 tokens."}),
        (400, {"message": "prompt is too long: 9 tokens > 8 maximum"}),
        (400, {"message": "input length and `max_tokens` exceed context limit: 9 + 9 > 10"}),
        (413, {"message": "Please reduce the length of the messages."}),
        (400, {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."}),
    ],
)
def test_a_context_overflow_is_told_in_anthropics_words(status: int, error: dict[str, str]) -> None:
    found = of("chat").parse_error(status, encoded({"error": error}))
    assert found.overflow
    assert (found.status, found.kind, found.code) == (400, "invalid_request_error", "context_length_exceeded")
    assert found.message.startswith("prompt is too long")
    assert found.message.count("prompt is too long") == 1
    assert not of("chat").parse_error(400, encoded({"error": {"message": "max_tokens: too large"}})).overflow


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"error": "why"}',
        b'{"detail": "why"}',
        b'[{"error": {"message": "why"}}]',
        b'{"message": "why"}',
    ],
    ids=range(7),
)
def test_errors_of_any_form_are_read(body: bytes) -> None:
    error = of("chat").parse_error(500, body)
    assert (error.status, error.kind) == (500, "api_error")
    assert ("why" in error.message) is (b"why" in body)


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    seconds = of("chat").parse_error(429, b"", date).retry_after
    assert seconds is not None
    assert 25 < seconds <= 30
    assert of("chat").parse_error(429, b"", "soon").retry_after is None
