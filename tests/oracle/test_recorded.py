"""Streams, answers and requests of real providers through our readers and writers: what a client is told is what the
provider said, as read without them and as the official clients read it."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from dialect_lab import CHECKS, NAMES, asked, frames, read, write
from official import READERS
from recorded import (
    Meaning,
    Recording,
    arguments_of,
    events_of,
    every,
    meaning,
    meaning_of_answer,
    needs_recordings,
    recordings,
)

from jackfield.api.dialects import of
from jackfield.api.dialects.model import (
    Block,
    DialectError,
    DialectName,
    DocumentBlock,
    Event,
    Failed,
    ImageBlock,
    ModelRequest,
    TextBlock,
    ToolDefinition,
    ToolResult,
    ToolUse,
    UpstreamModel,
)

pytestmark = needs_recordings
every_client = pytest.mark.parametrize("client", NAMES)
CUTS = 60
"""Of one stream into two; besides, each is read byte by byte and seven by seven."""
BREAKS = 25
"""Of one stream, after an event."""
MODELS = {"anthropic": "claude-sonnet-4-5", "chat": "gpt-4.1", "responses": "gpt-4.1"}


def test_there_are_recordings_of_every_dialect() -> None:
    streams, requests = recordings("sse"), recordings("request.json")
    assert {one.dialect for one in streams} == set(NAMES)
    assert len(streams) >= 30
    assert len(requests) >= 20


def custom_tools(data: bytes) -> list[ToolDefinition]:
    """The client has declared the freeform tools that are called."""
    items = [event.get("item") or {} for event in events_of(data)]
    return [ToolDefinition(item["name"], kind="custom") for item in items if item.get("type") == "custom_tool_call"]


def told(recording: Recording, client: DialectName) -> bytes:
    """What a client gets, in the grammar of its dialect."""
    tools = [] if client == "anthropic" else custom_tools(recording.data)
    written = write(of(client).writer(asked(client, *tools)), read(of(recording.dialect).reader(), [recording.data]))
    if frames(written)[0][0] != "error":
        CHECKS[client](written)
    return written


def way(recording: Recording, client: DialectName) -> tuple[DialectName, ...]:
    """Those that lose something. The provider's own dialect loses only what a part of it cannot say."""
    return (client, "chat") if recording.dialect == "chat" else (client,)


def check_same(own: Meaning, truth: Meaning, *on_the_way: DialectName) -> None:
    """But for what a dialect on the way has no form for: Chat Completions for the order of texts, thinking and calls,
    Messages for a refusal beside its texts."""
    if truth.failed:
        assert truth.failed in own.failed
        return
    if "anthropic" in on_the_way:
        truth.blocks = [("text" if kind == "refusal" else kind, *rest) for kind, *rest in truth.blocks]
    joined = "chat" in on_the_way
    assert (own.joined if joined else own.blocks) == (truth.joined if joined else truth.blocks)
    assert (own.stop, own.usage, own.failed) == (truth.stop, truth.usage, "")


# -------------------------------------------------------------------------------------------------------------- streams


@every("sse")
@every_client
def test_a_client_learns_what_the_provider_said(recording: Recording, client: DialectName) -> None:
    truth = meaning(recording.dialect, events_of(recording.data))
    own = meaning(client, events_of(told(recording, client)))
    check_same(own, truth, *way(recording, client))


@every("sse")
@every_client
def test_the_official_client_reads_the_same(recording: Recording, client: DialectName) -> None:
    truth = meaning(recording.dialect, events_of(recording.data))
    check_same(READERS[client](told(recording, client)), truth, *way(recording, client))


@every("sse")
@every_client
def test_there_and_back_a_stream_says_the_same(recording: Recording, client: DialectName) -> None:
    truth = meaning(recording.dialect, events_of(recording.data))
    tools = custom_tools(recording.data)
    events = read(of(client).reader(), [told(recording, client)])
    back = write(of(recording.dialect).writer(asked(recording.dialect, *tools)), events)
    check_same(meaning(recording.dialect, events_of(back)), truth, *way(recording, client), recording.dialect)


@every("sse")
def test_a_stream_says_the_same_however_it_is_cut(recording: Recording) -> None:
    data = recording.data
    whole = pieces(recording, [data])
    assert pieces(recording, [data[at : at + 1] for at in range(len(data))]) == whole
    assert pieces(recording, [data[at : at + 7] for at in range(0, len(data), 7)]) == whole
    for at in range(1, len(data), max(1, len(data) // CUTS)):
        assert pieces(recording, [data[:at], data[at:]]) == whole, at


def pieces(recording: Recording, parts: Iterable[bytes]) -> list[str]:
    return [str(event) for event in read(of(recording.dialect).reader(), parts)]


@every("sse")
def test_a_stream_that_breaks_off_ends_in_an_error(recording: Recording) -> None:
    lines = recording.data.replace(b"\r\n", b"\n").split(b"\n\n")
    for count in range(1, len(lines), max(1, len(lines) // BREAKS)):
        data = b"\n\n".join(lines[:count]) + b"\n\n"
        events = read(of(recording.dialect).reader(), [data])
        assert is_broken(events) or is_complete(recording.dialect, data), count
        for client in NAMES:
            written = write(of(client).writer(asked(client)), events)
            assert bool(meaning(client, events_of(written)).failed) == is_broken(events)


def is_broken(events: list[Event]) -> bool:
    return isinstance(events[-1], Failed)


def is_complete(dialect: DialectName, data: bytes) -> bool:
    """The provider has said why it stopped."""
    for event in events_of(data):
        match dialect:
            case "anthropic":
                done = event["type"] == "message_stop" or bool((event.get("delta") or {}).get("stop_reason"))
            case "chat":
                done = any(choice.get("finish_reason") for choice in event["choices"])
            case _:
                done = event["type"] in ("response.completed", "response.incomplete")
        if done:
            return True
    return False


# ------------------------------------------------------------------------------------------------------- whole answers


@every("answer.json")
@every_client
def test_a_whole_answer_says_what_the_provider_said(recording: Recording, client: DialectName) -> None:
    truth = meaning_of_answer(recording.dialect, json.loads(recording.data))
    response = of(recording.dialect).parse_response(recording.data)
    calls = [block for block in response.content if isinstance(block, ToolUse) and block.kind == "custom"]
    tools = [] if client == "anthropic" else [ToolDefinition(call.name, kind="custom") for call in calls]
    body = json.loads(of(client).build_response(response, asked(client, *tools)))
    check_same(meaning_of_answer(client, body), truth, *way(recording, client))


# ------------------------------------------------------------------------------------------------------------- requests

REFUSED = ("only one answer can be asked for", "does not store earlier answers")
"""What a request cannot have where it is translated; docs/proxy-dialects.md says so."""


@every("request.json")
@pytest.mark.parametrize("provider", NAMES)
def test_a_request_keeps_its_texts_calls_and_results(recording: Recording, provider: DialectName) -> None:
    try:
        request = of(recording.dialect).parse_request(recording.data)
        sent = of(provider).build_request(request, UpstreamModel(MODELS[provider]))
    except DialectError as exc:
        if is_known(exc):
            pytest.skip(exc.message)
        raise
    again = of(provider).parse_request(sent)
    lost = sorted({*pieces_of(request)} - {*pieces_of(again)})
    assert [piece for piece in lost if not is_within(piece, again)] == []
    assert [tool.kind for tool in again.tools].count("function") >= len(own_tools(request))


def is_known(refused: DialectError) -> bool:
    return refused.status == 400 and any(words in refused.message for words in REFUSED)


def own_tools(request: ModelRequest) -> list[ToolDefinition]:
    return [tool for tool in request.tools if tool.kind == "function"]


def pieces_of(request: ModelRequest) -> list[str]:
    blocks = [block for turn in request.turns for block in turn.content]
    return [*(part.text for part in request.system), *(piece for block in blocks for piece in _pieces(block))]


def _pieces(block: Block) -> list[str]:
    match block:
        case TextBlock():
            return [block.text.strip()]
        case ToolUse():
            given = {"input": block.arguments} if block.kind == "custom" else arguments_of(block.arguments)
            return [block.id, json.dumps(given, sort_keys=True)]
        case ToolResult():
            return [block.id, *(piece for part in block.content for piece in _pieces(part))]
        case ImageBlock():
            return [block.data or block.url]
        case DocumentBlock():
            return [block.data or block.text or block.url]
    return []


def is_within(piece: str, request: ModelRequest) -> bool:
    """Neighbouring texts are one in Chat Completions."""
    return any(piece in other for other in pieces_of(request))
