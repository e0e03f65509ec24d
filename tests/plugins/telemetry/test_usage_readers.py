"""Readers of logs: what counts, and that nothing in a file makes them fail."""

from __future__ import annotations

import json
import sqlite3
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from usage_lab import Books, claude_line, codex_count, codex_line

from jackfield.api.telemetry import Bookmark, LogFile, Tokens, UsageReader
from jackfield_telemetry.readers import claude, codex
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.readers.lines import BLOCK
from jackfield_telemetry.readers.opencode import OpenCodeReader

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "message", "usage", "payload", "info", "timestamp", "input_tokens", "total_token_usage", "id", "model"]
    ), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("reader", [ClaudeReader(), CodexReader()], ids=["claude", "codex"])
@given(lines=st.lists(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()), max_size=8))
def test_any_bytes_are_read_to_the_end(
    reader: UsageReader, lines: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / "one.jsonl"
    content = b"".join(line + b"\n" for line in lines)
    path.write_bytes(content)
    marks = [reading.bookmark for reading in reader.read(LogFile(path, "one"), Bookmark())]
    assert (marks[-1].offset if marks else 0) == len(content)


@given(content=st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_message_file_of_opencode_is_read(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("log") / "one.json"
    path.write_bytes(content)
    assert [reading.bookmark.offset for reading in OpenCodeReader().read(LogFile(path, "one"), Bookmark())] == [-1]


ANSWERS = st.lists(
    st.tuples(
        st.integers(0, 3), st.integers(0, 2), st.integers(1, 50), st.booleans()
    ),  # message, request, output, side chain
    min_size=1,
    max_size=14,
)


@given(answers=ANSWERS, cuts=st.lists(st.integers(0, 13), max_size=4), data=st.data())
def test_sums_do_not_depend_on_order_or_on_where_imports_end(
    answers: list[tuple[int, int, int, bool]],
    cuts: list[int],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lines = [claude_line(f"m{m}", f"r{m}{r}", (5, out, 0, 0), isSidechain=side) for m, r, out, side in answers]
    sums = []
    for order in (lines, data.draw(st.permutations(lines))):
        root = tmp_path_factory.mktemp("run")
        books, path = Books(root), root / "projects" / "one.jsonl"
        path.parent.mkdir()
        places = [0, *sorted({min(cut, len(order)) for cut in cuts}), len(order)]
        for start, stop in pairwise(places):
            with path.open("ab") as file:
                file.writelines(order[start:stop])
            books.take(ClaudeReader(), root)
        sums.append(books.tokens)
        books.ledger.close()
    assert sums[0] == sums[1] == expected(answers)


def expected(answers: list[tuple[int, int, int, bool]]) -> Tokens:
    """The rule in its plainest form: originals by message and request, copies where there is no original."""
    originals: dict[tuple[int, int], int] = {}
    copies: dict[int, int] = {}
    for message, request, out, side in answers:
        if side:
            copies[message] = max(copies.get(message, 0), out)
        else:
            originals[message, request] = max(originals.get((message, request), 0), out)
    known = {message for message, _ in originals}
    kept = [*originals.values(), *(out for message, out in copies.items() if message not in known)]
    return Tokens(5 * len(kept), sum(kept))


def test_lines_longer_than_a_block_and_lines_across_blocks_are_read(books: Books, tmp_path: Path) -> None:
    lines = [claude_line(f"m{n}", f"r{n}", (1, 1, 0, 0), pad="x" * (BLOCK // 3)) for n in range(10)]
    lines.insert(4, claude_line("long", "r", (1, 1, 0, 0), pad="x" * (BLOCK * 2 + 17)))
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "one.jsonl").write_bytes(b"".join(lines))
    books.take(ClaudeReader(), tmp_path)
    assert books.tokens == Tokens(11, 11)


def test_a_type_inside_of_an_answer_does_not_hide_it(books: Books, tmp_path: Path) -> None:
    line = b'{"sessionId":"s","message":{"content":[{"type":"user"}],"model":"m","id":"x","usage":{"input_tokens":3}},'
    line += b'"requestId":"r","type":"assistant","timestamp":"2026-01-31T12:00:00Z"}\n'
    user = b'{"sessionId":"s","type":"user","message":{"model":"m","usage":{"input_tokens":9}},'
    user += b'"timestamp":"2026-01-31T12:00:00Z"}\n'
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "one.jsonl").write_bytes(line + user)
    books.take(ClaudeReader(), tmp_path)
    assert books.tokens == Tokens(3)


TEXT = st.lists(
    st.sampled_from(['"type":"user"', ',"type":"response_item"', '{"type":"user"', "x", "{", "\\", '"', ",", ":"]),
    max_size=4,
).map("".join)
OBJECTS = st.recursive(
    TEXT | st.integers(0, 3) | st.sampled_from(["user", "response_item", "event_msg", "token_count"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "payload", "message", "info"]) | TEXT, inner, max_size=4)
    ),
    max_leaves=10,
)


@given(line=st.dictionaries(st.sampled_from(["type", "payload", "message", "at"]) | TEXT, OBJECTS, max_size=5))
def test_only_lines_of_another_type_of_their_own_are_left_unparsed(line: dict[str, object]) -> None:
    text = json.dumps(line, separators=(",", ":")).encode()
    if claude._OTHER.match(text):
        assert line["type"] in ("user", "summary", "system", "file-history-snapshot", "queue-operation", "attachment")
    match = codex._KNOWN.match(text)
    if match is not None and match.lastindex is None:
        payload = line.get("payload")
        kind = payload.get("type") if isinstance(payload, dict) else None
        assert line["type"] in ("response_item", "compacted", "token_usage_record", "world_state", "event_msg")
        assert line["type"] != "event_msg" or kind not in ("token_count", "thread_settings_applied")


def test_hour_writes_fast_answers_and_advice_are_kept_apart(books: Books, tmp_path: Path) -> None:
    usage = {
        "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 70},
        "speed": "fast",
        "iterations": [{"type": "advisor_message", "model": "m-two", "input_tokens": 4, "output_tokens": 2}],
    }
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "one.jsonl").write_bytes(claude_line("m", "r", (1, 2, 100, 0), usage=usage))
    books.take(ClaudeReader(), tmp_path)
    found = {one.keys: one.tokens for one in books.slices(by=["model"])}
    assert found == {("m-one",): Tokens(1, 2, 100, 0, 70), ("m-two",): Tokens(4, 2)}


def test_a_forked_codex_thread_does_not_count_its_parents_answers(books: Books, tmp_path: Path) -> None:
    meta = {"id": "child", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}}
    lines = [
        codex_line("session_meta", meta, 0),
        codex_line("turn_context", {"model": "c-one"}, 0),
        codex_count((100, 0, 10), (100, 0, 10), 0),
        codex_count((300, 0, 30), (200, 0, 20), 1),
        codex_count((350, 20, 37), (50, 20, 7), 9),
    ]
    path = tmp_path / "sessions" / "rollout-1.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(lines))
    books.take(CodexReader(), tmp_path)
    assert books.tokens == Tokens(30, 7, 0, 20)


def test_codex_goes_on_from_where_it_stopped_with_model_and_totals(books: Books, tmp_path: Path) -> None:
    path = tmp_path / "sessions" / "rollout-1.jsonl"
    path.parent.mkdir()
    head = codex_line("session_meta", {"id": "s"}, 0) + codex_line("turn_context", {"model": "c-one"}, 1)
    path.write_bytes(head + codex_count((100, 0, 10), None, 2))
    books.take(CodexReader(), tmp_path)
    with path.open("ab") as file:
        file.write(codex_count((100, 0, 10), None, 3) + codex_count((140, 30, 15), None, 4))
    books.take(CodexReader(), tmp_path)
    assert [(one.keys, one.tokens) for one in books.slices(by=["model"])] == [(("c-one",), Tokens(110, 15, 0, 30))]


COUNTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.booleans()), max_size=10
)  # step of the total, rate limits, whether something else comes between


@given(counts=COUNTS, cuts=st.sets(st.integers(0, 9), max_size=2))
def test_codex_counts_each_total_once_however_often_it_is_written(
    counts: list[tuple[int, int, bool]], cuts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("run")
    books, path = Books(root), root / "sessions" / "rollout-1.jsonl"
    path.parent.mkdir()
    total, before, expected = 0, -1, 0
    for number, (step, limits, other) in enumerate(counts):
        total += step
        expected += 7 if total != before else 0
        before = total
        used = {"total_token_usage": {"input_tokens": total}, "last_token_usage": {"input_tokens": 7}}
        payload = {"type": "token_count", "info": used, "rate_limits": {"used_percent": limits}}
        with path.open("ab") as file:
            file.write(codex_line("event_msg", payload, number))
            file.write(codex_line("turn_context", {"model": "c-two"}, number) if other else b"")
            file.write(codex_line("response_item", {"type": "reasoning"}, number))
        if number in cuts:
            books.take(CodexReader(), root)
    if counts:
        books.take(CodexReader(), root)
    assert books.tokens == Tokens(expected)
    books.ledger.close()


def test_codex_cache_writes_are_not_input_and_records_repeat_counts(books: Books, tmp_path: Path) -> None:
    used = {"input_tokens": 1370, "cached_input_tokens": 300, "cache_write_input_tokens": 70, "output_tokens": 50}
    lines = [
        codex_line("session_meta", {"id": "s"}, 0),
        codex_line("token_usage_record", {"response_id": "r1", "usage": used, "thread_token_usage": used}, 1),
        codex_line("event_msg", {"type": "token_count", "info": {"total_token_usage": used}}, 1),
        codex_line("event_msg", {"type": "token_count", "info": None}, 2),
    ]
    path = tmp_path / "sessions" / "rollout-1.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(lines))
    books.take(CodexReader(), tmp_path)
    assert books.tokens == Tokens(1000, 50, 70, 300)


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_opencode_database_is_read_and_read_again_when_a_message_grew(
    books: Books, tmp_path: Path, journal: str
) -> None:
    """With a write-ahead log, which is OpenCode's way, the database itself does not change for a while."""
    database = sqlite3.connect(tmp_path / "opencode.db")
    database.execute(f"PRAGMA journal_mode={journal}")
    database.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_updated INTEGER, data TEXT)")

    def put(number: int, out: int) -> None:
        data = {"modelID": "o", "providerID": "acme", "time": {"created": 1_769_860_800_000}}
        data |= {"tokens": {"input": 10, "output": out, "reasoning": 1, "cache": {"read": 7, "write": 3}}}
        row = (f"msg{number}", "ses", out, json.dumps(data))
        with database:
            database.execute("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?)", row)

    put(1, 5)
    books.take(OpenCodeReader(), tmp_path)
    put(1, 8)
    put(2, 9)
    books.take(OpenCodeReader(), tmp_path)
    database.close()
    assert books.tokens == Tokens(20, 19, 6, 14)
