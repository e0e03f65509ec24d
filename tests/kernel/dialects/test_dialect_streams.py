"""Streams: any events, by any writer, cut anywhere, give the same events again; nothing that arrives raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dialect_lab import (
    CHECKS,
    NAMES,
    asked,
    chunks,
    cut,
    damaged,
    encoded,
    event_streams,
    frames,
    named,
    normal,
    read,
    write,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.dialects import of
from jackfield.api.dialects.model import (
    BlockStart,
    Delta,
    DialectError,
    DialectName,
    Event,
    Failed,
    MessageStart,
    MessageStop,
    TextBlock,
    ToolUse,
)
from jackfield.api.dialects.sse import EventTooLarge, SseParser
from jackfield.api.dialects.whole import collect, events_of

PLACES = st.lists(st.integers(0, 10**6), max_size=12)


@pytest.mark.parametrize("dialect", NAMES)
@given(data=st.data(), places=PLACES)
@settings(max_examples=60)
def test_written_and_read_again_a_stream_says_the_same(
    dialect: DialectName, data: st.DataObject, places: list[int]
) -> None:
    events = data.draw(event_streams(dialect))
    written = write(of(dialect).writer(asked(dialect)), events)
    CHECKS[dialect](written)
    again = read(of(dialect).reader(), cut(written, places))
    assert normal(again, dialect) == normal(events, dialect)


@pytest.mark.parametrize("client", NAMES)
@pytest.mark.parametrize("upstream", NAMES)
@given(data=st.data())
@settings(max_examples=15)
def test_every_pair_of_dialects_keeps_the_grammar(
    upstream: DialectName, client: DialectName, data: st.DataObject
) -> None:
    sent = write(of(upstream).writer(asked(upstream)), data.draw(event_streams(upstream)))
    events = read(of(upstream).reader(), [sent])
    CHECKS[client](write(of(client).writer(asked(client)), events))


@pytest.mark.parametrize("dialect", NAMES)
@given(data=st.data())
@settings(max_examples=15)
def test_a_whole_answer_says_the_same_as_its_stream(dialect: DialectName, data: st.DataObject) -> None:
    response = collect(data.draw(event_streams(dialect)))
    body = of(dialect).build_response(response, asked(dialect))
    again = read(of(dialect).reader(), [body])  # a provider that answers a stream request with JSON
    expected = _whole_form(response, dialect)
    assert normal(again, dialect)[1:] == normal(events_of(response), dialect)[1:]
    assert sorted(map(str, normal(again, dialect)[0])) == sorted(map(str, expected))


def _whole_form(response: Any, dialect: DialectName) -> list[list[str]]:
    """A chat message has one text and one reasoning; an Anthropic input is an object."""
    blocks = [list(block) for block in normal(events_of(response), dialect)[0]]
    if dialect == "anthropic":
        for block in blocks:
            if block[0] == "tool":
                try:
                    value = json.loads(block[3])
                except ValueError:
                    value = {}
                block[3] = json.dumps(value if isinstance(value, dict) else {}, separators=(",", ":"))
    if dialect != "chat":
        return blocks
    joined: dict[str, list[str]] = {}
    tools = []
    for block in blocks:
        if block[0] == "tool":
            tools.append(block)
        else:
            kept = joined.setdefault(block[0], [block[0], "", *block[2:]])
            kept[1] += block[1]
    return [*joined.values(), *tools]


@pytest.mark.parametrize("dialect", NAMES)
@given(parts=st.lists(st.binary(max_size=60), max_size=6))
def test_any_bytes_end_in_a_failure_and_never_raise(dialect: DialectName, parts: list[bytes]) -> None:
    reader = of(dialect).reader()
    events = read(reader, parts)
    assert reader.finished
    assert isinstance(events[-1], (Failed, MessageStop))
    assert reader.feed(b"data: {}\n\n") == []


@pytest.mark.parametrize("client", NAMES)
@pytest.mark.parametrize("upstream", NAMES)
@given(data=st.data(), places=PLACES)
@settings(max_examples=20)
def test_damaged_streams_never_raise_and_are_told_in_order(
    upstream: DialectName, client: DialectName, data: st.DataObject, places: list[int]
) -> None:
    sent = write(of(upstream).writer(asked(upstream)), data.draw(event_streams(upstream)))
    broken = [(name, data.draw(damaged(event))) if event else (name, event) for name, event in frames(sent)]
    lines = b"".join(
        b"event: " + name.encode() + b"\ndata: " + (b"[DONE]" if event is None else encoded(event)) + b"\n\n"
        for name, event in broken
    )
    writer = of(client).writer(asked(client))
    written = write(writer, read(of(upstream).reader(), cut(lines, places)))
    if not written.startswith(b"event: error"):
        CHECKS[client](written)


@pytest.mark.parametrize("dialect", NAMES)
@given(events=event_streams("chat"), at=st.integers(0, 40))
def test_a_stream_that_breaks_off_ends_in_an_error_of_the_dialect(
    dialect: DialectName, events: list[Event], at: int
) -> None:
    """An upstream that fails in the middle of its stream."""
    writer = of(dialect).writer(asked(dialect))
    written = b"".join(writer.write(event) for event in [MessageStart(), *events[1 : min(at, len(events) - 1)]])
    written += writer.error(DialectError(529, "too busy", "overloaded_error", retry_after=3))
    assert b"too busy" in written
    last = CHECKS[dialect](written)[-1]
    assert last.get("type", "error") in ("error", "response.failed")
    assert writer.close() == writer.error(DialectError(500, "again")) == writer.write(MessageStop("end_turn")) == b""


@pytest.mark.parametrize("dialect", NAMES)
def test_a_fresh_writer_ends_a_stream_that_passed_through(dialect: DialectName) -> None:
    written = of(dialect).writer(asked(dialect)).error(DialectError(502, "reset"))
    ((_, event),) = frames(written)
    assert "reset" in json.dumps(event)


# -------------------------------------------------------------------------------------------------------------- framing

FRAMES = [("", b'{"a":1}'), ("ping", b"{}"), ("", "grüße 🚀".encode()), ("", b"[DONE]")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["lf", "crlf", "cr"])
@given(places=PLACES)
def test_frames_are_found_however_they_are_cut(end: bytes, places: list[int]) -> None:
    """Comments, characters split across reads."""
    data = b"\xef\xbb\xbf: PROCESSING" + end * 2
    for name, content in FRAMES:
        data += (
            (b"event: " + name.encode() + end if name else b"")
            + b"data: "
            + content
            + end
            + b":"
            + end
            + b"id: 3"
            + end * 2
        )
    parser = SseParser()
    found = [event for part in cut(data, places) for event in parser.feed(part)] + parser.close()
    assert found == FRAMES


def test_bytes_one_by_one_are_framed_alike() -> None:
    data = b"event: ping\r\ndata: one\r\ndata: two\r\n\r\n"
    parser = SseParser()
    found = [event for part in data for event in parser.feed(bytes([part]))]
    assert found == [("ping", b"one\ntwo")]


def test_data_of_several_lines_is_joined_and_the_last_empty_line_may_lack() -> None:
    parser = SseParser()
    assert parser.feed(b"data: one\ndata:two\n") == []
    assert parser.close() == [("", b"one\ntwo")]


def test_an_event_of_ten_megabytes_passes_and_an_endless_one_does_not() -> None:
    parser = SseParser()
    part = b"x" * 65536
    assert parser.feed(b"data: ") == []
    for _ in range(160):
        assert parser.feed(part) == []
    ((_, data),) = parser.feed(b"\n\n")
    assert len(data) == 160 * 65536
    for _ in range(256):
        parser.feed(part)
    with pytest.raises(EventTooLarge):
        parser.feed(part)


@pytest.mark.parametrize("dialect", NAMES)
def test_an_endless_event_is_a_failure(dialect: DialectName) -> None:
    reader = of(dialect).reader()
    events: list[Event] = []
    for _ in range(300):
        events += reader.feed(b"x" * 65536)
    assert [type(event) for event in events] == [Failed]
    assert reader.finished


@pytest.mark.parametrize("dialect", NAMES)
def test_blocks_held_back_are_bounded(dialect: DialectName) -> None:
    writer = of(dialect).writer(asked(dialect))
    writer.write(BlockStart(0, TextBlock("")))
    writer.write(BlockStart(1, ToolUse("call_1", "f")))
    told = b""
    for _ in range(600):
        told += writer.write(Delta(1, "x" * 65536))
    assert b"interleaves" in told
    assert len(told) < 5000


def test_half_surrogates_pass_through_a_stream() -> None:
    """A provider that cuts its deltas inside a surrogate pair."""
    lines = [
        b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}\n\n',
        b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"\\ude80"},"finish_reason":"stop"}]}\n\n',
    ]
    written = write(of("anthropic").writer(asked()), read(of("chat").reader(), lines))
    texts = [event["delta"]["text"] for _, event in frames(written) if event["type"] == "content_block_delta"]
    assert "".join(texts).encode("utf-16", "surrogatepass").decode("utf-16") == "a🚀"


def test_a_reader_is_finished_at_the_closing_mark() -> None:
    """What is sent behind it says nothing."""
    for dialect, data in (
        ("chat", b"".join(chunks({"content": "x"})) + b"data: [DONE]\n\n"),
        ("anthropic", b"".join(named({"type": "message_start", "message": {}}, {"type": "message_stop"}))),
    ):
        reader = of(dialect).reader()  # type: ignore[arg-type]
        events = reader.feed(data + data)
        assert reader.finished
        assert sum(isinstance(event, MessageStop) for event in events) == 1
        assert reader.close() == []
