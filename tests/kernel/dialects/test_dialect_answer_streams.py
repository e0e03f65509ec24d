"""Answers that are streamed, in each dialect, one test a rule."""

from __future__ import annotations

from typing import Any

import pytest
from answer_lab import completion
from dialect_lab import (
    DONE,
    asked,
    chunks,
    encoded,
    frames,
    named,
    piece,
    read,
    relayed,
    whole,
    write,
)

from jackfield.api.dialects import of
from jackfield.api.dialects.model import (
    Failed,
    MessageStop,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolUse,
)


def blocks(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found: list[list[str]] = []
    for event in events:
        if event["type"] == "content_block_start":
            found.append([event["content_block"]["type"], ""])
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            found[-1][1] += delta.get("text", delta.get("thinking", delta.get("partial_json", "")))
    return [(kind, text) for kind, text in found]


def ending(events: list[dict[str, Any]]) -> str:
    return str(events[-2]["delta"]["stop_reason"])


CASES: dict[str, tuple[list[bytes], list[tuple[str, str]], str]] = {
    "content and finish reason together": (
        [b'data: {"choices":[{"delta":{"content":"pong"},"finish_reason":"length"}]}\n\n'],
        [("text", "pong")],
        "max_tokens",
    ),
    "a whole call in one chunk": (
        chunks(piece(0, '{"a":1}', id="c", name="f"), finish="tool_calls"),
        [("tool_use", '{"a":1}')],
        "tool_use",
    ),
    "interleaved calls": (
        chunks(
            piece(0, "", id="c1", name="f"),
            piece(1, "", id="c2", name="g"),
            piece(0, '{"a"'),
            piece(1, '{"b"'),
            piece(0, ":1}"),
            piece(1, ":2}"),
        ),
        [("tool_use", '{"a":1}'), ("tool_use", '{"b":2}')],
        "tool_use",
    ),
    "id and name repeated": (
        chunks(piece(0, '{"a"', id="c", name="f"), piece(0, ":1}", id="c", name="f")),
        [("tool_use", '{"a":1}')],
        "tool_use",
    ),
    "arguments before the name": (
        chunks(piece(0, '{"a"', id="c"), piece(0, ":1}", name="f")),
        [("tool_use", '{"a":1}')],
        "tool_use",
    ),
    "calls without indices": (
        chunks(piece(None, "{}", id="c1", name="f"), piece(None, '{"b":2}', id="c2", name="g")),
        [("tool_use", "{}"), ("tool_use", '{"b":2}')],
        "tool_use",
    ),
    "every call has index 0": (
        chunks(piece(0, "{}", id="c1", name="f"), piece(0, '{"b":2}', id="c2", name="g")),
        [("tool_use", "{}"), ("tool_use", '{"b":2}')],
        "tool_use",
    ),
    "empty deltas": (
        chunks({"role": "assistant", "content": ""}, {}, {"content": "a", "tool_calls": []}, {"content": None}),
        [("text", "a")],
        "end_turn",
    ),
    "text after a call": (
        chunks({"content": "a"}, piece(0, "{}", id="c", name="f"), {"content": "b"}, finish="tool_calls"),
        [("text", "a"), ("tool_use", "{}"), ("text", "b")],
        "tool_use",
    ),
    "reasoning, then text": (
        chunks({"reasoning": "hm"}, {"reasoning": "m"}, {"content": "a"}),
        [("thinking", "hmm"), ("text", "a")],
        "end_turn",
    ),
    "plain JSON": ([encoded(completion({"content": "pong"}))], [("text", "pong")], "end_turn"),
    "no closing mark": (chunks({"content": "pong"}), [("text", "pong")], "end_turn"),
    "comments": (
        [b": OPENROUTER PROCESSING\n\n", *chunks({"content": "a"}), b": x\n\n", DONE],
        [("text", "a")],
        "end_turn",
    ),
    "no finish reason": (
        [*chunks(piece(0, "{}", id="c", name="f"), finish=None), DONE],
        [("tool_use", "{}")],
        "tool_use",
    ),
    "nothing": ([*chunks({"content": ""}), DONE], [], "end_turn"),
}


@pytest.mark.parametrize(("data", "expected", "stop"), CASES.values(), ids=CASES)
def test_traps_of_chat_streams(data: list[bytes], expected: list[tuple[str, str]], stop: str) -> None:
    events = relayed("chat", "anthropic", data)
    assert (blocks(events), ending(events)) == (expected, stop)
    relayed("chat", "responses", data)


@pytest.mark.parametrize("trailing", [True, False], ids=["trailer", "finish chunk"])
def test_usage_in_the_trailer_or_the_finish_chunk(trailing: bool) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    data = chunks({"content": "x"}, usage=usage) if trailing else chunks({"content": "x"})
    if not trailing:
        data[-1] = data[-1].replace(b'"choices"', b'"usage": {"prompt_tokens": 10, "completion_tokens": 2}, "choices"')
    told = relayed("chat", "anthropic", [*data, DONE])[-2]["usage"]
    assert (told["input_tokens"], told["output_tokens"]) == (10, 2)


def test_a_stream_that_is_cut_off_is_a_failure() -> None:
    for dialect, data in (("chat", chunks({"content": "x"}, finish=None)), ("anthropic", messages_stream()[:4])):
        events = read(of(dialect).reader(), data)  # type: ignore[arg-type]
        assert isinstance(events[-1], Failed)
        assert events[-1].error.status == 502


def test_an_error_inside_a_stream() -> None:
    data = [*chunks({"content": "x"}, finish=None), b'data: {"error": {"message": "maximum context length is 9"}}\n\n']
    written = write(of("anthropic").writer(asked()), read(of("chat").reader(), data))
    name, error = frames(written)[-1]
    assert (name, error["error"]["type"]) == ("error", "invalid_request_error")
    assert error["error"]["message"].startswith("prompt is too long")


def test_a_chat_client_gets_usage_only_if_it_asked() -> None:
    events = read(of("chat").reader(), [*chunks({"content": "x"}, usage={"prompt_tokens": 9}), DONE])
    for wanted in (True, False):
        found = frames(write(of("chat").writer(asked("chat", usage=wanted)), events))
        assert any(chunk and not chunk["choices"] for _, chunk in found) is wanted


def test_a_call_without_arguments_gets_an_empty_object() -> None:
    data = chunks(piece(0, "", id="c", name="f"), finish="tool_calls")
    *_, call_chunk, _, _ = relayed("chat", "chat", data)
    assert call_chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert relayed("chat", "responses", data)[-1]["response"]["output"][0]["arguments"] == "{}"


def test_a_thought_signature_is_seen() -> None:
    call = {
        **piece(0, "{}", id="c", name="f")["tool_calls"][0],
        "extra_content": {"google": {"thought_signature": "s"}},
    }
    (block,) = whole("chat", chunks({"tool_calls": [call]}, finish="tool_calls")).content
    assert isinstance(block, ToolUse)
    assert block.signature == "s"


def messages_stream() -> list[bytes]:
    return named(
        {
            "type": "message_start",
            "message": {"id": "msg_1", "usage": {"input_tokens": 7, "cache_read_input_tokens": 3}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hmm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    )


def test_a_message_stream_for_codex() -> None:
    """7.7, the order of events."""
    events = relayed("anthropic", "responses", messages_stream())
    kinds = [event["type"].removeprefix("response.") for event in events]
    assert kinds == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    response = events[-1]["response"]
    assert (response["id"], response["status"], response["model"]) == ("resp_1", "completed", "asked-model")
    assert response["output"][0]["encrypted_content"] == "jackfield:anthropic:sig"
    usage = response["usage"]
    assert (usage["input_tokens"], usage["input_tokens_details"]["cached_tokens"], usage["output_tokens"]) == (10, 3, 5)


def test_a_message_stream_for_chat() -> None:
    found = relayed("anthropic", "chat", messages_stream())
    deltas = [chunk["choices"][0]["delta"] for chunk in found if chunk["choices"]]
    assert deltas[1] == {"reasoning_content": "hmm"}
    assert deltas[2]["tool_calls"][0]["function"] == {"name": "f", "arguments": ""}
    assert found[-1]["usage"]["prompt_tokens"] == 10


@pytest.mark.parametrize(
    ("status", "why", "expected"),
    [
        ("completed", None, "end_turn"),
        ("incomplete", "max_output_tokens", "max_tokens"),
        ("incomplete", "content_filter", "refusal"),
    ],
)
def test_a_response_stream_for_anthropic(status: str, why: str | None, expected: str) -> None:
    """7.7: incomplete -> max_tokens."""
    item = {"type": "message", "content": [{"type": "output_text", "text": "pong"}]}
    response = {
        "id": "resp_1",
        "status": status,
        "incomplete_details": {"reason": why},
        "output": [item],
        "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2},
    }
    data = named(
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "content": []}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "po"},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "ng"},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": f"response.{status}", "response": response},
    )
    events = relayed("responses", "anthropic", data)
    assert (blocks(events), ending(events)) == ([("text", "pong")], expected)
    assert (events[-2]["usage"]["input_tokens"], events[-2]["usage"]["cache_read_input_tokens"]) == (5, 4)
    for sparse in (data[:1] + data[-2:], data[-1:]):  # providers that leave out the deltas, or all but the end
        assert blocks(relayed("responses", "anthropic", sparse)) == [("text", "pong")]


def test_a_response_stream_with_calls_and_reasoning() -> None:
    function = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}
    custom = {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "***"}
    thought = {"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}], "encrypted_content": "enc"}
    data = named(
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "a"},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 1, "delta": "b"},
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
        {"type": "response.output_item.added", "output_index": 1, "item": {**function, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"a":1}'},
        {"type": "response.output_item.done", "output_index": 1, "item": function},
        {"type": "response.output_item.done", "output_index": 2, "item": custom},
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    )
    answer = whole("responses", data)
    assert answer.stop == "tool_use"
    assert answer.content == (
        Thinking("a\n\nb", "enc", "responses"),
        ToolUse("c1", "f", '{"a":1}'),
        ToolUse("c2", "apply_patch", "***", kind="custom"),
    )
    assert blocks(relayed("responses", "anthropic", data))[-1] == ("tool_use", '{"input":"***"}')


def test_a_stream_of_parts_is_thinking_and_text() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "so"}]}
    parts = ({"content": [thinking]}, {"content": [thinking, {"type": "text", "text": "39"}]}, {"content": "1"})
    response = whole("chat", [*chunks(*parts), DONE])
    assert response.content == (Thinking("soso", origin="chat"), TextBlock("391"))


def test_a_delta_that_does_not_fit_its_block_opens_another() -> None:
    """7.6 traps, the other way round: third parties that serve the Anthropic dialect."""
    data = named(
        {"type": "message_start", "message": {}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "b"}},
        {"type": "message_stop"},
    )
    assert blocks(relayed("anthropic", "anthropic", data)) == [("text", "a"), ("thinking", "b")]


def test_usage_is_kept_of_a_stream_that_breaks_off() -> None:
    reader = of("anthropic").reader()
    assert isinstance(read(reader, messages_stream()[:5])[-1], Failed)
    assert reader.usage == TokenCounts(7, 0, 3)
    assert not any(isinstance(event, MessageStop) for event in reader.feed(b"x"))
