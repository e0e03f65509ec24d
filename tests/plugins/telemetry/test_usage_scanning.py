"""What `logscan` finds in a log is what the readers' own parser finds in it, to the last field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.telemetry import Bookmark, LogFile, Reading, UsageReader
from jackfield_telemetry.readers import claude, codex
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.readers.scanning import scanner

pytestmark = pytest.mark.skipif(scanner({}, {}) is None, reason="logscan is not installed")

COUNT = st.integers(0, 3) | st.sampled_from([-1, 1.5, None, "7", 10**13, 10**14, 2**50, 2**70])
NAME = st.sampled_from(["a", "b"])
ODD = st.sampled_from([None, "", "ä", "\n", "😀", "\ud800", 3, [], {}])
MOMENT = st.sampled_from([f"2026-01-31T12:00:0{n}.{n}00Z" for n in range(4)]) | st.sampled_from(
    [
        "2026-01-31T12:00:00Z",
        "2026-01-31 12:00:00",
        "2026-01-31T13:00:00.5+01:00",
        "2026-02-30T12:00:00Z",
        "1969-01-01T00:00:00Z",
    ]
)
MORE = st.dictionaries(
    st.sampled_from(["type", "data", "costUSD", "uuid", "cwd", "toolUseResult", "n"]),
    st.sampled_from(["user", "assistant", 0.25, None, {"message": {}}, {"type": "user"}, [1e400, {"a": 1}]]),
    max_size=2,
)
USAGE = st.fixed_dictionaries(
    {"input_tokens": COUNT, "output_tokens": COUNT},
    optional={
        "cache_creation_input_tokens": COUNT,
        "cache_read_input_tokens": COUNT,
        "cache_creation": st.none()
        | st.fixed_dictionaries({"ephemeral_5m_input_tokens": COUNT}, optional={"ephemeral_1h_input_tokens": COUNT}),
        "speed": st.sampled_from(["fast", "standard", None, ""]),
        "iterations": st.sampled_from([None, [], [{"type": "advisor_message", "model": "m", "output_tokens": 3}], [3]]),
    },
)
MESSAGE = st.fixed_dictionaries(
    {"model": NAME | st.just("<synthetic>") | ODD, "content": ODD},
    optional={"id": NAME | st.just("msg_1") | ODD, "usage": USAGE | USAGE | USAGE | ODD},
)
CLAUDE = st.builds(
    lambda line, more: {**line, **more},
    st.fixed_dictionaries(
        {"sessionId": NAME, "message": MESSAGE, "timestamp": MOMENT},
        optional={
            "type": st.sampled_from(["assistant", "user"]),
            "requestId": NAME | NAME | ODD,
            "isSidechain": st.booleans() | st.none(),
            "cwd": NAME | ODD,
        },
    ),
    st.just({}) | MORE,
)
COUNTS = st.fixed_dictionaries(
    {"input_tokens": COUNT, "output_tokens": st.integers(0, 2)},
    optional={"cached_input_tokens": COUNT, "cache_write_input_tokens": COUNT, "total_tokens": COUNT},
)
INFO = st.fixed_dictionaries(
    {},
    optional={
        "total_token_usage": COUNTS | COUNTS | st.none(),
        "last_token_usage": COUNTS | COUNTS | ODD,
        "model": NAME | ODD,
    },
)
PAYLOAD = (
    st.fixed_dictionaries({"type": st.just("token_count"), "info": INFO}, optional={"rate_limits": ODD, "model": ODD})
    | st.fixed_dictionaries({"model": NAME, "cwd": NAME})
    | st.fixed_dictionaries({"id": NAME, "source": ODD}, optional={"forked_from_id": NAME})
    | st.just({"type": "thread_settings_applied", "thread_settings": {"service_tier": "flex"}})
)
CODEX = st.fixed_dictionaries(
    {
        "timestamp": MOMENT,
        "type": st.sampled_from(["event_msg"] * 3 + ["turn_context", "session_meta", "response_item"]),
        "payload": PAYLOAD,
    }
)


def lines_of(values: st.SearchStrategy[dict[str, object]]) -> st.SearchStrategy[bytes]:
    """Written compactly or not, as ASCII or not, some cut short, hit by a byte, or followed by what does not belong."""
    written = st.builds(
        lambda value, plain, compact: json.dumps(
            value, ensure_ascii=plain, separators=(",", ":") if compact else None
        ).encode("utf-8", "surrogatepass"),
        values,
        st.booleans(),
        st.sampled_from([True, True, False]),
    )
    hit = st.builds(
        lambda line, place, byte: line[: place % len(line)] + byte + line[place % len(line) + 1 :],
        written,
        st.integers(0, 2000),
        st.sampled_from([b"", b"\0", b"\xff", b'"', b"{", b"}", b"\\", b"0", b"\n", b"\r", b" "]),
    )
    return written | written | written | hit | st.binary(max_size=8)


@contextmanager
def without_scanner(module: ModuleType) -> Iterator[None]:
    kept, module._scanner = module._scanner, lambda: None
    try:
        yield
    finally:
        module._scanner = kept


def check(reader: UsageReader, module: ModuleType, content: bytes, cut: int, path: Path) -> None:
    """The same readings, entry by entry, also when reading ends in the middle and goes on from its bookmark."""
    places = [0, min(cut, len(content)), len(content)]
    fast, slow = list[Reading](), list[Reading]()
    path.write_bytes(b"")
    for start, stop in pairwise(places):
        with path.open("ab") as file:
            file.write(content[start:stop])
        file_of = LogFile(path, "one")
        before = fast[-1].bookmark if fast else Bookmark()
        fast += reader.read(file_of, before)
        with without_scanner(module):
            slow += reader.read(file_of, slow[-1].bookmark if slow else Bookmark())
    assert fast == slow


@given(lines=st.lists(lines_of(CLAUDE), max_size=6), cut=st.integers(0, 3000), last=st.sampled_from([b"\n", b""]))
def test_claude_logs(lines: list[bytes], cut: int, last: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("log") / "one.jsonl"
    check(ClaudeReader(), claude, b"\n".join(lines) + last, cut, path)


@given(lines=st.lists(lines_of(CODEX), max_size=8), cut=st.integers(0, 3000), last=st.sampled_from([b"\n", b""]))
def test_codex_logs(lines: list[bytes], cut: int, last: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("log") / "one.jsonl"
    check(CodexReader(), codex, b"\n".join(lines) + last, cut, path)


def test_plain_lines_need_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise all of the above would hold and nothing be faster."""

    def refuse(_: object) -> object:
        raise AssertionError("parsed")

    monkeypatch.setattr(claude, "_decode", refuse)
    monkeypatch.setattr(codex, "_decode", refuse)
    usage = {"input_tokens": 3, "output_tokens": 1}
    message = {"model": "m", "id": "msg_1", "usage": usage, "content": [{"type": "text", "text": "ä\n\\"}]}
    line = {"type": "assistant", "sessionId": "s", "requestId": "r", "message": message}
    counts = {"total_token_usage": usage, "last_token_usage": usage}
    count = {"type": "event_msg", "payload": {"type": "token_count", "info": counts, "rate_limits": None}}
    for reader, written in ((ClaudeReader(), line), (CodexReader(), count)):
        path = tmp_path / f"{reader.name}.jsonl"
        path.write_text(json.dumps({"timestamp": "2026-01-31T12:00:00.000Z", **written}) + "\n")
        (reading,) = reader.read(LogFile(path, "one"), Bookmark())
        assert [entry.tokens.total for entry in reading.entries] == [4]
