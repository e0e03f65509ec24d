"""What `jackfield_native` finds in logs is what the readers' own parsers find in them, to the last field."""

from __future__ import annotations

import json
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from usage_lab import codex_count, store_each_alone

from jackfield.api.telemetry import UsageReader
from jackfield_telemetry.importing import compiled, jobs
from jackfield_telemetry.importing.compiled import ReadPart, read_parts
from jackfield_telemetry.importing.imports import ImportEffort, ImportResult, run_import
from jackfield_telemetry.importing.jobs import ImportPart, Job, LogSource, Mark, parts
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.readers import claude, codex
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader

pytestmark = pytest.mark.skipif(not compiled.available(), reason="jackfield_native is not installed")

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
    | st.fixed_dictionaries({"response_id": NAME | ODD}, optional={"usage": COUNTS, "id": ODD})
    | st.just({"type": "thread_settings_applied", "thread_settings": {"service_tier": "flex"}})
)
CODEX = st.fixed_dictionaries(
    {
        "timestamp": MOMENT,
        "type": st.sampled_from(
            ["event_msg"] * 3 + ["turn_context", "session_meta", "response_item", "token_usage_record"]
        ),
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


def batch_of(part: ImportPart | ReadPart) -> tuple[object, ...]:
    """Everything in it; all of its answers said to be known, `split` gives each row as it is."""
    batch = part.batch
    rows = batch.split(json.loads(batch.answers()), False, 1)[3]
    named = sorted(dict(batch.responses).items())
    return part.source, list(batch.dims), list(batch.sessions), list(rows), named, list(part.marks)


def check(reader: UsageReader, content: bytes, cut: int, path: Path, profile: str) -> None:
    """The same rows and bookmarks, also when reading ends in the middle and goes on from its bookmark."""
    source = LogSource(reader, path.parent, profile, "p" if profile else "")
    job = Job(str(path), "one", 0, b"", len(content))
    path.write_bytes(b"")
    for start, stop in pairwise([0, min(cut, len(content)), len(content)]):
        with path.open("ab") as file:
            file.write(content[start:stop])
        slow = [batch_of(part) for part in parts([source], [job], [0])]
        assert [batch_of(part) for part in read_parts([source], [job], [0], 1)] == slow
        mark = slow[-1][-1][-1]
        assert isinstance(mark, Mark)
        assert mark.error is None
        job = Job(str(path), "one", mark.offset, mark.memory, len(content))


@given(
    lines=st.lists(lines_of(CLAUDE), max_size=6),
    cut=st.integers(0, 3000),
    last=st.sampled_from([b"\n", b""]),
    profile=st.sampled_from(["", "own"]),
)
def test_claude_logs(
    lines: list[bytes], cut: int, last: bytes, profile: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / "one.jsonl"
    check(ClaudeReader(), b"\n".join(lines) + last, cut, path, profile)


@given(
    lines=st.lists(lines_of(CODEX), max_size=8),
    cut=st.integers(0, 3000),
    last=st.sampled_from([b"\n", b""]),
    profile=st.sampled_from(["", "own"]),
)
def test_codex_logs(
    lines: list[bytes], cut: int, last: bytes, profile: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / "one.jsonl"
    check(CodexReader(), b"\n".join(lines) + last, cut, path, profile)


FILES = st.lists(st.lists(lines_of(CLAUDE), max_size=6).map(b"\n".join), min_size=1, max_size=3)
OTHER_FILES = st.lists(st.lists(lines_of(CODEX), max_size=6).map(b"\n".join), max_size=2)


def dump(ledger: Ledger) -> list[list[tuple[object, ...]]]:
    tables = ("dims", "sessions", "entries", "slots", "files", "responses")
    return ledger.read(
        lambda found: [found.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables]
    )


def imported(ledger: Ledger, root: Path) -> list[ImportResult]:
    sources = [LogSource(ClaudeReader(), root / "claude"), LogSource(CodexReader(), root / "codex")]
    return run_import(ledger, sources, ImportEffort(workers=1))


@settings(max_examples=25)
@given(claude=FILES, codex=OTHER_FILES, later=lines_of(CLAUDE), rows=st.sampled_from([1, 8192]))
def test_whole_imports(
    claude: list[bytes], codex: list[bytes], later: bytes, rows: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The ledgers are equal, row by row, and so are the results, also after a second import of what has grown."""
    root = tmp_path_factory.mktemp("logs")
    (root / "claude" / "projects").mkdir(parents=True)
    (root / "codex" / "sessions").mkdir(parents=True)
    for number, text in enumerate(codex):
        (root / "codex" / "sessions" / f"{number}.jsonl").write_bytes(text + b"\n")
    files = [root / "claude" / "projects" / f"{number}.jsonl" for number in range(len(claude))]
    with closing(Ledger(root / "fast" / "l.db")) as fast, closing(Ledger(root / "slow" / "l.db")) as slow:
        for more in (*([text, later] for text in claude), [later]):
            for path, text in zip(files, [*more, b""], strict=False):
                with path.open("ab") as file:
                    file.write(text + b"\n")
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(compiled, "ROWS", rows)
                store_each_alone(patch)
                found = imported(fast, root)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(compiled, "available", lambda: False)
                patch.setattr(jobs, "ROWS", rows)
                store_each_alone(patch)
                assert imported(slow, root) == found
            assert dump(fast) == dump(slow)


def answer(number: int, **more: object) -> bytes:
    usage = {"input_tokens": number + 1, "output_tokens": 2**33 if number % 50 == 0 else 1}
    message = {"model": "m", "id": f"msg_{number % 900}", "usage": usage}
    side = {"isSidechain": True} if number % 7 == 0 else {}
    moment = f"2026-01-31T{number // 60 % 24:02d}:{number % 60:02d}:00Z"
    line = {"sessionId": f"s{number % 5}", "requestId": f"r{number}", "timestamp": moment, "message": message}
    return json.dumps({**line, **side, **more}).encode() + b"\n"


def untimed(tables: list[list[tuple[object, ...]]]) -> list[list[tuple[object, ...]]]:
    """Without the first and last times of slots: those of an answer that gives way stay in them, and which one is there
    before another depends on the threads; so do slots that are left empty."""
    return [*tables[:3], [slot[:-2] for slot in tables[3] if slot[5]], tables[4]]


def test_a_large_import_with_many_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements of many rows, copies, answers in several files, numbers too large for the short way, costs."""
    root = tmp_path / "claude" / "projects"
    root.mkdir(parents=True)
    (tmp_path / "codex").mkdir()
    for number in range(12):
        lines = [answer(one, **({"costUSD": 0.25} if one % 11 == 0 else {})) for one in range(number * 90, 1500)]
        (root / f"{number}.jsonl").write_bytes(b"".join(lines))
    with closing(Ledger(tmp_path / "fast.db")) as fast, closing(Ledger(tmp_path / "slow.db")) as slow:
        sources = [LogSource(ClaudeReader(), tmp_path / "claude")]
        run_import(fast, sources, ImportEffort(workers=3, threshold=1))
        monkeypatch.setattr(compiled, "available", lambda: False)
        run_import(slow, sources, ImportEffort())
        assert untimed(dump(fast)) == untimed(dump(slow))


def test_lines_longer_than_a_block(tmp_path: Path) -> None:
    long = answer(1, content="x" * 700_000)
    check(ClaudeReader(), answer(0) + long + answer(2) + long[:300_000], len(long) // 2, tmp_path / "l.jsonl", "")


def test_plain_lines_need_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise all of the above would hold and nothing be faster."""

    def refuse(_: object) -> object:
        raise AssertionError("parsed")

    monkeypatch.setattr(claude, "_decode", refuse)
    monkeypatch.setattr(codex, "_decode", refuse)
    usage = {"input_tokens": 3, "output_tokens": 1}
    message = {"model": "m", "id": "msg_1", "usage": usage, "content": [{"type": "text", "text": "ä\n\\"}]}
    line = {"type": "assistant", "sessionId": "s", "requestId": "r", "message": message, "cwd": "C:\\a"}
    counts = {"total_token_usage": usage, "last_token_usage": usage}
    count = {"type": "event_msg", "payload": {"type": "token_count", "info": counts, "rate_limits": None}}
    meta = {"type": "session_meta", "payload": {"id": "s", "cwd": "C:\\a", "source": "cli"}}
    turn = {"type": "turn_context", "payload": {"model": "m", "cwd": "/ä"}}
    record = {"type": "token_usage_record", "payload": {"response_id": "resp_1", "usage": usage, "turn_id": "t"}}
    for reader, written in (
        (ClaudeReader(), [line, {"type": "progress"}]),
        (CodexReader(), [meta, turn, record, count]),
    ):
        path = tmp_path / f"{reader.name}.jsonl"
        lines = [json.dumps({"timestamp": "2026-01-31T12:00:00.000Z", **one}) for one in written]
        path.write_text("\n".join(lines) + "\n")
        job = Job(str(path), "one", 0, b"", 1)
        (part,) = read_parts([LogSource(reader, tmp_path)], [job], [0], 1)
        assert part.marks[0].error is None
        _, _, ((_, _, name, project),), (row,), *_ = batch_of(part)
        assert (name, project, sum(row[5:9])) == ("s", "C:\\a" if reader.name == "claude" else "/ä", 4)


def test_a_file_that_is_gone_is_named_as_by_the_parser(tmp_path: Path) -> None:
    source, job = LogSource(ClaudeReader(), tmp_path), Job(str(tmp_path / "gone.jsonl"), "one", 0, b"", 1)
    (part,) = read_parts([source], [job], [0], 1)
    (slow,) = parts([source], [job], [0])
    assert part.marks == slow.marks
    assert part.marks[0].error is not None
    assert part.marks[0].error.startswith("FileNotFoundError: [Errno 2]")


def test_a_parser_that_raises_is_a_problem_of_its_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> object:
        raise LookupError("a mistake")

    monkeypatch.setattr(claude, "_decode", refuse)
    (tmp_path / "0.jsonl").write_bytes(answer(1) + answer(2, costUSD=1))
    (tmp_path / "1.jsonl").write_bytes(answer(3))
    given = [Job(str(tmp_path / f"{number}.jsonl"), str(number), 0, b"", 1) for number in range(2)]
    (part,) = read_parts([LogSource(ClaudeReader(), tmp_path)], given, [0, 1], 1)
    assert [(mark.offset > 0, mark.error) for mark in part.marks] == [(False, "LookupError: a mistake"), (True, None)]


@pytest.mark.parametrize("memory", [b"{", b"\xff", b'{"session":1}', b'{"replaying":9223372036854775807}'])
def test_a_damaged_bookmark_is_a_problem_of_its_file_alone(tmp_path: Path, memory: bytes) -> None:
    """A number that no moment has is read by the parser, to which it is one like others."""
    root = tmp_path / "codex" / "sessions"
    root.mkdir(parents=True)
    line = codex_count((1, 0, 1), (1, 0, 1), 1)
    for name in ("one", "two"):
        (root / f"{name}.jsonl").write_bytes(line)
    with closing(Ledger(tmp_path / "l.db")) as ledger:
        source = LogSource(CodexReader(), root.parent)
        run_import(ledger, [source], ImportEffort())
        damage = "UPDATE files SET memory = ? WHERE identity = 'one'"
        ledger.write(lambda found: found.execute(damage, (memory,)))
        for name, second in (("one", 2), ("two", 3)):
            with (root / f"{name}.jsonl").open("ab") as file:
                file.write(codex_count((2, 0, 2), (1, 0, 1), second))
        (done,) = run_import(ledger, [source], ImportEffort())
    assert [problem.partition(": ")[0] for problem in done.problems] in ([], [str(root / "one.jsonl")])
    assert bool(done.problems) == (b"replaying" not in memory)
    assert done.added.entries == 1
