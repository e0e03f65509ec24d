"""Makes requests, answers and event streams of the dialects, and checks the grammar of what is written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from jackfield.api.dialects import of
from jackfield.api.dialects.base import EventReader, EventWriter
from jackfield.api.dialects.model import (
    BlockStart,
    BlockStop,
    Delta,
    DialectName,
    Event,
    Failed,
    MessageStart,
    MessageStop,
    ModelRequest,
    ModelResponse,
    Ping,
    Reasoning,
    Signature,
    StopReason,
    TextBlock,
    Thinking,
    TokenCounts,
    ToolDefinition,
    ToolUse,
    UpstreamModel,
    UsageUpdate,
)
from jackfield.api.dialects.names import reveal_call_id
from jackfield.api.dialects.whole import collect

NAMES: tuple[DialectName, ...] = ("anthropic", "chat", "responses", "gemini")
WEATHER = {
    "name": "get_weather",
    "description": "Weather of a place.",
    "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
}


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def asked(dialect: DialectName = "anthropic", *tools: ToolDefinition, usage: bool = True) -> ModelRequest:
    shown = Reasoning(summary="auto") if dialect == "gemini" else None
    return ModelRequest(dialect, "asked-model", tools=tools, stream=True, include_usage=usage, reasoning=shown)


def translated(source: DialectName, to: DialectName, body: dict[str, Any], **target: Any) -> dict[str, Any]:
    """The body that an upstream gets."""
    request = of(source).parse_request(encoded(body))
    made: dict[str, Any] = json.loads(
        of(to).build_request(request, UpstreamModel(**{"model": "their-model", **target}))
    )
    return made


def answered(
    upstream: DialectName, client: DialectName, body: dict[str, Any], *tools: ToolDefinition
) -> dict[str, Any]:
    """The body that a client gets."""
    response = of(upstream).parse_response(encoded(body))
    made: dict[str, Any] = json.loads(of(client).build_response(response, asked(client, *tools)))
    return made


def messages(*turns: Any, **more: Any) -> dict[str, Any]:
    """A body of /v1/messages: a user's text first unless turns are given."""
    return {"model": "m", "max_tokens": 256, "messages": list(turns) or [user("hi")], **more}


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def call(call_id: str = "toolu_01", name: str = "get_weather", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str = "toolu_01", content: Any = "12 degrees", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


# -------------------------------------------------------------------------------------------------------------- streams


def chunks(*deltas: dict[str, Any], finish: str | None = "stop", usage: dict[str, Any] | None = None) -> list[bytes]:
    """A stream of Chat Completions without its [DONE]."""
    common = {"id": "chatcmpl-01", "object": "chat.completion.chunk", "created": 1_750_000_000, "model": "served"}
    made = [{**common, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if finish:
        made.append({**common, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        made.append({**common, "choices": [], "usage": usage})
    return [b"data: " + encoded(chunk) + b"\n\n" for chunk in made]


DONE = b"data: [DONE]\n\n"


def piece(index: int | None, arguments: str, **head: str) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": head["name"]} if "name" in head else {})
    made: dict[str, Any] = {"function": function} | ({} if index is None else {"index": index})
    return {"tool_calls": [made | ({"id": head["id"], "type": "function"} if "id" in head else {})]}


def named(*events: dict[str, Any]) -> list[bytes]:
    return [b"event: " + event["type"].encode() + b"\ndata: " + encoded(event) + b"\n\n" for event in events]


def read(reader: EventReader, data: Iterable[bytes]) -> list[Event]:
    events = [event for part in data for event in reader.feed(part)]
    return events + reader.close()


def write(writer: EventWriter, events: Iterable[Event]) -> bytes:
    return b"".join([writer.write(event) for event in events] + [writer.close()])


def relayed(upstream: DialectName, client: DialectName, data: Iterable[bytes], *tools: ToolDefinition) -> Any:
    """A stream translated and checked; its events (Anthropic, Responses) or chunks (Chat)."""
    written = write(of(client).writer(asked(client, *tools)), read(of(upstream).reader(), data))
    return CHECKS[client](written)


def whole(dialect: DialectName, data: Iterable[bytes]) -> ModelResponse:
    return collect(read(of(dialect).reader(), data))


def frames(data: bytes) -> list[tuple[str, Any]]:
    """(event name, JSON) without comments; [DONE] is None."""
    found = []
    assert not data or data.endswith(b"\n\n")
    for block in data.decode("utf-8").split("\n\n")[:-1]:
        lines = [line for line in block.split("\n") if not line.startswith(":")]
        if not lines:
            continue
        name = lines[0].removeprefix("event: ") if lines[0].startswith("event: ") else ""
        (line,) = [line for line in lines if line.startswith("data: ")]
        found.append((name, None if line == "data: [DONE]" else json.loads(line[6:])))
    return found


def check_messages(data: bytes) -> list[dict[str, Any]]:
    """Checks the sequence of events that Anthropic documents. Returns the events without pings."""
    events = [(name, event) for name, event in frames(data) if name != "ping"]
    assert all(name == event["type"] for name, event in events)
    kinds = [name for name, _ in events]
    assert kinds[0] == "message_start"
    assert kinds.count("message_start") == 1
    if kinds[-1] == "error":
        events.pop()
    else:
        assert kinds[-2:] == ["message_delta", "message_stop"]
        assert kinds.count("message_delta") == kinds.count("message_stop") == 1
        events = events[:-2]
    open_block: dict[str, Any] | None = None
    index = -1
    fits = {
        "text_delta": "text",
        "thinking_delta": "thinking",
        "signature_delta": "thinking",
        "input_json_delta": "tool_use",
    }
    for name, event in events[1:]:
        if name == "content_block_start":
            assert open_block is None
            index += 1
            open_block = event["content_block"]
        elif name == "content_block_delta":
            assert open_block is not None
            assert fits[event["delta"]["type"]] == open_block["type"]
        else:
            assert name == "content_block_stop"
            assert open_block is not None
            open_block = None
        assert event["index"] == index
    assert open_block is None or kinds[-1] == "error"
    return [event for _, event in frames(data) if event["type"] != "ping"]


def check_chat(data: bytes) -> list[dict[str, Any]]:
    """Role first, indices of calls rise, one finish reason, usage after it, [DONE] last. Returns the chunks."""
    found = [chunk for _, chunk in frames(data)]
    if found and found[-1] is not None and "error" in found[-1]:
        return found
    assert found[-1] is None
    chunks_ = found[:-1]
    assert None not in chunks_
    assert len({chunk["id"] for chunk in chunks_}) == 1
    with_choice = [chunk["choices"][0] for chunk in chunks_ if chunk["choices"]]
    assert with_choice[0]["delta"]["role"] == "assistant"
    assert [bool(choice["finish_reason"]) for choice in with_choice] == [False] * (len(with_choice) - 1) + [True]
    assert all("usage" in chunk for chunk in chunks_ if not chunk["choices"])
    calls = -1
    for choice in with_choice:
        for part in choice["delta"].get("tool_calls", ()):
            if "id" in part:
                calls += 1
                assert part["type"] in ("function", "custom")
                assert "name" in part[part["type"]]
            assert part["index"] == calls
    return chunks_


def check_responses(data: bytes) -> list[dict[str, Any]]:
    """Events are numbered; items and parts open and close in order; the whole comes last. Returns the events."""
    events = [event for _, event in frames(data)]
    assert [name for name, _ in frames(data)] == [event["type"] for event in events]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    if [event["type"] for event in events] == ["response.failed"]:  # before anything else was written
        return events
    assert [event["type"] for event in events[:2]] == ["response.created", "response.in_progress"]
    assert events[-1]["type"] in ("response.completed", "response.incomplete", "response.failed")
    done: list[Any] = []
    item: dict[str, Any] | None = None
    said = ""
    for event in events[2:-1]:
        kind = event["type"].removeprefix("response.")
        assert event["output_index"] == len(done)
        if kind == "output_item.added":
            assert item is None
            item, said = event["item"], ""
            continue
        assert item is not None
        if kind == "output_item.done":
            assert (event["item"]["id"], event["item"]["type"]) == (item["id"], item["type"])
            assert _content(event["item"]) == said
            done.append(event["item"])
            item = None
            continue
        assert event["item_id"] == item["id"]
        assert kind.split(".")[0] in _PARTS[item["type"]]
        if kind.endswith(".delta"):
            said += event["delta"]
        elif kind.endswith((".done",)) and kind.split(".")[0] not in ("content_part", "reasoning_summary_part"):
            assert next(event[key] for key in ("text", "refusal", "arguments", "input") if key in event) == said
    if events[-1]["type"] != "response.failed":
        assert item is None
    assert events[-1]["response"]["output"] == done
    return events


_PARTS = {
    "message": ("content_part", "output_text", "refusal"),
    "reasoning": ("reasoning_summary_part", "reasoning_summary_text"),
    "function_call": ("function_call_arguments",),
    "custom_tool_call": ("custom_tool_call_input",),
}


def _content(item: dict[str, Any]) -> str:
    parts = item.get("content") or item.get("summary") or [item]
    return "".join(
        part.get("text", part.get("refusal", part.get("arguments", part.get("input", "")))) for part in parts
    )


def check_gemini(data: bytes) -> list[dict[str, Any]]:
    """Each event has one part of one answer; the last alone has the reason and the counts. Returns the events."""
    found = [event for name, event in frames(data) if not name]
    assert len(found) == len(frames(data))
    assert b"\n:" not in data
    if found and "error" in found[-1]:
        assert list(found[-1]) == ["error"]
        return found
    assert len({event["responseId"] for event in found}) == 1
    for event in found:
        (candidate,) = event["candidates"]
        assert (candidate["index"], candidate["content"]["role"]) == (0, "model")
        (part,) = candidate["content"]["parts"]
        assert part.keys() & {"text", "functionCall"}
        assert ("finishReason" in candidate) == ("usageMetadata" in event) == (event is found[-1])
    return found


CHECKS = {
    "anthropic": check_messages,
    "chat": check_chat,
    "responses": check_responses,
    "gemini": check_gemini,
}


# ----------------------------------------------------------------------------------------------------------- Hypothesis

_WORDS = st.text(max_size=12)
_IDS = st.text(min_size=1, max_size=20)


@st.composite
def _block(draw: st.DrawFn, origin: DialectName) -> list[Event]:
    """One block's events, its index still 0."""
    pieces = [Delta(0, text) for text in draw(st.lists(_WORDS, max_size=4))]
    match draw(st.sampled_from(["text", "refusal", "thinking", "redacted", "tool", "tool"])):
        case "text":
            return [BlockStart(0, TextBlock("")), *pieces, BlockStop(0)]
        case "refusal":
            return [BlockStart(0, TextBlock("", refusal=True)), *pieces, BlockStop(0)]
        case "thinking":
            signed = [Signature(0, text) for text in draw(st.lists(st.text(min_size=1, max_size=9), max_size=1))]
            return [BlockStart(0, Thinking("", origin=origin)), *pieces, *signed, BlockStop(0)]
        case "redacted":
            signature = draw(st.text("abc", min_size=1, max_size=9))
            return [BlockStart(0, Thinking("", signature, origin, redacted=True)), BlockStop(0)]
    if origin == "gemini":  # whose arguments are an object
        value = draw(st.dictionaries(_WORDS, _WORDS, max_size=3))
        arguments = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        pieces = [Delta(0, arguments[start : start + 3]) for start in range(0, len(arguments), 3)]
    return [BlockStart(0, ToolUse(draw(_IDS), draw(_IDS))), *pieces, BlockStop(0)]


USAGES = st.builds(TokenCounts, *[st.integers(0, 10**9)] * 4)
REASONS: tuple[StopReason, ...] = (
    "end_turn",
    "max_tokens",
    "tool_use",
    "stop_sequence",
    "refusal",
    "pause_turn",
    "context_exceeded",
)


@st.composite
def event_streams(draw: st.DrawFn, origin: DialectName) -> list[Event]:
    """Any stream that a reader of this dialect may give, blocks interleaved at will."""
    blocks = draw(st.lists(_block(origin), max_size=5))
    queues = [[_indexed(event, index) for event in block] for index, block in enumerate(blocks)]
    events: list[Event] = [MessageStart(draw(st.sampled_from(["", "msg_1", "chatcmpl-1", "resp_1", "x"])), "served")]
    while any(queues):
        queue = draw(st.sampled_from([queue for queue in queues if queue]))
        count = draw(st.integers(1, len(queue)))
        events += queue[:count]
        del queue[:count]
        events += draw(st.sampled_from([[], [], [Ping()]]))
    return [*events, UsageUpdate(draw(USAGES)), MessageStop(draw(st.sampled_from(REASONS)))]


def _indexed(event: Event, index: int) -> Event:
    match event:
        case BlockStart():
            return BlockStart(index, event.block)
        case Delta():
            return Delta(index, event.text)
        case Signature():
            return Signature(index, event.signature)
    return BlockStop(index)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def normal(events: Iterable[Event], dialect: DialectName) -> tuple[Any, ...]:
    """What a dialect can tell of a stream: its blocks in order, the stop reason, the counts."""
    events = list(events)
    failed = [event for event in events if isinstance(event, Failed)]
    assert not failed, failed[0].error
    response = collect(events)
    blocks: list[list[str]] = []
    for block in response.content:
        entry = _entry(block, dialect)
        if entry is None:
            continue
        if blocks and _goes_on(blocks[-1], entry, dialect):
            blocks[-1][1] += entry[1]
            blocks[-1][2:] = entry[2:]
        else:
            blocks.append(entry)
    usage = response.usage
    if dialect == "gemini":  # which does not tell what was written into the cache
        return blocks, _reason(response, dialect), (usage.input + usage.cache_write, usage.output, usage.cache_read)
    return blocks, _reason(response, dialect), (usage.input, usage.output, usage.cache_read, usage.cache_write)


def _goes_on(last: list[str], entry: list[str], dialect: DialectName) -> bool:
    """Whether nobody sees where the one block ends and the other begins."""
    if last[0] != entry[0] or entry[0] in ("tool", "signature"):
        return False
    return dialect == "chat" or (dialect == "gemini" and not any(last[2:]))


def _entry(block: Any, dialect: DialectName) -> list[str] | None:
    match block:
        case TextBlock():
            kind = "refusal" if block.refusal and dialect not in ("anthropic", "gemini") else "text"
            return [kind, block.text] if block.text else None
        case Thinking(redacted=True) if dialect == "gemini":
            return ["signature", block.signature]
        case Thinking():
            signature = "" if dialect == "chat" else block.signature
            return ["thinking", block.text, signature] if block.text or signature else None
        case ToolUse():
            return ["tool", reveal_call_id(block.id), block.name, block.arguments or "{}"]
    raise AssertionError(block)


def _reason(response: ModelResponse, dialect: DialectName) -> str:
    if dialect == "anthropic":
        return response.stop
    if response.stop in ("max_tokens", "context_exceeded"):
        return "max_tokens"
    if response.stop == "refusal":
        return "refusal"
    if any(isinstance(block, ToolUse) for block in response.content):
        return "tool_use"
    if dialect == "gemini":
        return "end_turn"
    refused = any(isinstance(block, TextBlock) and block.refusal and block.text for block in response.content)
    return "refusal" if refused else "end_turn"


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def damaged(draw: st.DrawFn, value: Any) -> Any:
    """The value with something in it replaced, left out, or as it is."""
    if isinstance(value, dict) and value and draw(st.integers(0, 9)):
        key = draw(st.sampled_from(sorted(value)))
        rest = {name: inner for name, inner in value.items() if name != key}
        return rest if not draw(st.integers(0, 7)) else {**rest, key: draw(damaged(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], draw(damaged(value[at])), *value[at + 1 :]]
    return draw(JSON)
