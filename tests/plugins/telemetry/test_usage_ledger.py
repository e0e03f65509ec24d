"""The ledger: files that change, proxies, damage."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest
from usage_lab import Books, claude_line, codex_line

from jackfield.api.telemetry import Bookmark, LogFile, Reading, Tokens, UsageEntry
from jackfield_telemetry.importing import imports, processes
from jackfield_telemetry.importing.imports import ImportEffort, run_import
from jackfield_telemetry.importing.jobs import ImportPart, Job, LogSource
from jackfield_telemetry.ledger.merging import merge
from jackfield_telemetry.ledger.packing import pack
from jackfield_telemetry.prices.price_list import PriceTable
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.reports.answers import AnswersScope, answers
from jackfield_telemetry.reports.queries import Pricing


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "projects" / "one.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(claude_line("m1", "r1") + claude_line("m2", "r2"))
    return path


def take(books: Books, log: Path, **whose: str) -> int:
    """How many files held something new."""
    return books.take(ClaudeReader(), log.parents[1], **whose).files


def test_an_unchanged_file_is_not_opened_again(books: Books, log: Path) -> None:
    assert (take(books, log), take(books, log)) == (1, 0)


def test_a_file_that_was_replaced_is_read_from_its_start(books: Books, log: Path) -> None:
    take(books, log)
    log.write_bytes(claude_line("m3", "r3") + claude_line("m4", "r4") + claude_line("m5", "r5"))
    take(books, log)
    assert books.tokens == Tokens(500, 50)


def test_what_is_no_file_is_passed_over(books: Books, log: Path) -> None:
    """Opening the pipe would wait for a writer for ever, and the device has no end."""
    os.mkfifo(log.with_name("pipe.jsonl"))
    log.with_name("device.jsonl").symlink_to("/dev/zero")
    assert (take(books, log), books.tokens) == (1, Tokens(200, 20))


@pytest.mark.parametrize("threshold", [2**25, 0], ids=["here", "in processes"])
def test_names_that_are_no_text_cost_nobody_anything(books: Books, log: Path, threshold: int) -> None:
    """Lines without a session take its name from the file."""
    folder = Path(os.fsdecode(os.fsencode(log.parent) + b"/\xff\xfe"))
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/n\xe9.jsonl")).write_bytes(claude_line("m3", "r3", sessionId=None))
    effort = ImportEffort(workers=2, threshold=threshold)
    (done,) = run_import(books.ledger, [LogSource(ClaudeReader(), log.parents[1])], effort)
    assert (done.files, done.problems, books.tokens) == (2, [], Tokens(300, 30))
    assert take(books, log) == 0


def test_a_file_that_cannot_be_read_is_named_though_its_name_is_no_text(books: Books, log: Path) -> None:
    Path(os.fsdecode(os.fsencode(log.parent) + b"/\xff.jsonl")).mkdir()
    (problem,) = books.take(ClaudeReader(), log.parents[1]).problems
    assert problem.encode().startswith(os.fsencode(log.parent) + b"/\\xff.jsonl: IsADirectoryError")


@pytest.mark.parametrize("missing", [1, 9], ids=["but complete", "in the middle"])
def test_a_line_without_its_end_waits_for_it(books: Books, log: Path, missing: int) -> None:
    whole = claude_line("m3", "r3")
    with log.open("ab") as file:
        file.write(whole[:-missing])
    take(books, log)
    assert books.tokens == Tokens(200, 20)
    with log.open("ab") as file:
        file.write(whole[-missing:])
    take(books, log)
    assert books.tokens == Tokens(300, 30)


def test_worker_processes_give_the_same(books: Books, log: Path) -> None:
    for number in range(6):
        log.with_name(f"{number}.jsonl").write_bytes(b"".join(claude_line(f"{number}-{n}", "r") for n in range(50)))
    (done,) = run_import(
        books.ledger, [LogSource(ClaudeReader(), log.parents[1])], ImportEffort(workers=2, threshold=0)
    )
    assert (done.added.entries, done.problems) == (302, [])
    assert books.tokens == Tokens(30_200, 3_020)


def test_what_a_dead_worker_leaves_is_read_here(books: Books, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_telemetry.importing.processes._MAIN", "sys.exit(3)")
    run_import(books.ledger, [LogSource(ClaudeReader(), log.parents[1])], ImportEffort(workers=2, threshold=0))
    assert books.tokens == Tokens(200, 20)


def test_an_import_that_is_given_up_leaves_no_worker(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b"".join(claude_line(f"m{number}", "r") for number in range(1000))
    for number in range(60):
        log.with_name(f"{number}.jsonl").write_bytes(lines)
    groups = list[int]()

    def started(handed: Sequence[int]) -> subprocess.Popen[bytes]:
        process = start(handed)
        groups.append(process.pid)
        return process

    start = processes._process
    monkeypatch.setattr(processes, "_process", started)
    source = LogSource(ClaudeReader(), log.parents[1])
    work = [Job(str(file.path), file.identity, 0, b"", 1) for file in source.reader.files(source.directory)]
    given = processes.shared_parts([source], work, range(len(work)), 3)
    next(given)
    os.killpg(groups[0], 0)
    cast("Generator[ImportPart]", given).close()
    with pytest.raises(ProcessLookupError):
        os.killpg(groups[0], 0)


class Failing(ClaudeReader):
    """A reader of a stranger, with a mistake."""

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        raise LookupError("a mistake")


def test_a_reader_that_raises_is_a_problem_and_its_file_is_tried_again(books: Books, log: Path) -> None:
    done = books.take(Failing(), log.parents[1])
    assert done.problems == [f"{log}: LookupError: a mistake"]
    assert take(books, log) == 1


def test_a_proxied_answer_counts_once_whichever_comes_first(books: Books, log: Path) -> None:
    served = [
        UsageEntry("claude", f"m{n}", "s", 1_769_860_800_000, "m-one", Tokens(100, 10), profile="p") for n in (2, 3)
    ]
    take(books, log)
    books.ledger.write(lambda connection: merge(connection, pack(served, source="proxy")))
    with log.open("ab") as file:
        file.write(claude_line("m3", "r3"))
    take(books, log)
    assert {one.keys: one.tokens.total for one in books.slices(by=["source", "profile"])} == {
        ("log", ""): 110,
        ("proxy", "p"): 220,
    }


@pytest.mark.parametrize("first", ["log", "proxy"])
@pytest.mark.parametrize("profile", ["p", ""])
def test_an_answer_of_codex_is_found_by_the_name_that_its_provider_gave_it(
    books: Books, tmp_path: Path, profile: str, first: str
) -> None:
    """Whatever was counted, and whoever's log it is; where both are named, equal counts prove nothing."""
    used = {"input_tokens": 140, "cached_input_tokens": 40, "output_tokens": 10}
    total = {"input_tokens": 280, "cached_input_tokens": 80, "output_tokens": 20}
    rollout = tmp_path / "codex" / "sessions" / "rollout-1.jsonl"
    rollout.parent.mkdir(parents=True)
    rollout.write_bytes(
        codex_line("session_meta", {"id": "s"}, 0)
        + codex_line("token_usage_record", {"response_id": "resp_1", "usage": used}, 1)
        + codex_line("event_msg", {"type": "token_count", "info": {"total_token_usage": used}}, 1)
        + codex_line("token_usage_record", {"response_id": "resp_2", "usage": used}, 2)
        + codex_line("event_msg", {"type": "token_count", "info": {"total_token_usage": total}}, 2)
    )
    start = 1_769_860_800_000
    served = [
        UsageEntry("codex", name, "s", start, "m", Tokens(fresh, 10, 0, 40), profile="p", response_id=name)
        for name, fresh in (("resp_2", 101), ("resp_3", 100))
    ]

    def serve() -> None:
        books.ledger.write(lambda connection: merge(connection, pack(served, source="proxy")))

    if first == "proxy":
        serve()
    books.take(CodexReader(), tmp_path / "codex", profile=profile)
    if first == "log":
        serve()
    found = books.ledger.read(lambda connection: answers(connection, Pricing(PriceTable({})), AnswersScope()))
    assert sorted((one.source, one.response_id, one.tokens.input) for one in found[0]) == [
        ("log", "resp_1", 100), ("proxy", "resp_2", 101), ("proxy", "resp_3", 100)
    ]  # fmt: skip
    assert books.ledger.check() is None


def test_a_ledger_of_the_first_version_is_brought_up_to_date(books: Books, tmp_path: Path) -> None:
    """What it holds stays; its files are read once more, and the names of answers come with that."""
    rollout = tmp_path / "codex" / "sessions" / "rollout-1.jsonl"
    rollout.parent.mkdir(parents=True)
    used = {"input_tokens": 140, "output_tokens": 10}
    rollout.write_bytes(
        codex_line("token_usage_record", {"response_id": "resp_1", "usage": used}, 1)
        + codex_line("event_msg", {"type": "token_count", "info": {"total_token_usage": used}}, 1)
    )
    books.take(CodexReader(), tmp_path / "codex")
    for statement in ("DROP TABLE responses", "UPDATE files SET version = 1", "PRAGMA user_version = 1"):
        books.ledger.write(lambda connection, given=statement: connection.execute(given))
    books.ledger.close()
    assert books.ledger.check() is None
    assert books.tokens == Tokens(140, 10)
    books.take(CodexReader(), tmp_path / "codex")
    assert (books.ledger.trouble, books.tokens) == (None, Tokens(140, 10))
    assert books.ledger.read(lambda found: found.execute("SELECT id FROM responses").fetchall()) == [("resp_1",)]


@pytest.mark.parametrize("first", ["log", "proxy"])
def test_an_answer_that_its_log_does_not_name_counts_once(books: Books, first: str) -> None:
    """Told apart by profile, counts and time."""
    start, tokens = 1_769_860_800_000, Tokens(100, 10, 3, 40)

    def one(answer: str, time_ms: int = start, tokens: Tokens = tokens, profile: str = "p") -> UsageEntry:
        return UsageEntry("codex", answer, "s", time_ms, "m-one", tokens, profile=profile)

    logged = [
        one("rollout@1", start + 300_000),  # the log has the time of the answer's end
        one("rollout@2", start - 120_000),
        one("rollout@3", start + 4_000_000),
        one("rollout@4", tokens=Tokens(101, 10, 3, 40)),
        one("rollout@5", profile="other"),
    ]
    batches = {"log": pack(logged), "proxy": pack([one("resp_1")], source="proxy")}
    for source in sorted(batches, key=lambda name: name != first):
        books.ledger.write(lambda connection, source=source: merge(connection, batches[source]))
    assert {one.keys: one.tokens.total for one in books.slices(by=["source", "profile"])} == {
        ("proxy", "p"): 153,
        ("log", "p"): 2 * 153 + 154,
        ("log", "other"): 153,
    }


def test_files_are_private(books: Books, log: Path) -> None:
    take(books, log)
    assert books.ledger.path.stat().st_mode & 0o777 == 0o600
    assert books.ledger.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_ledger_is_named_left_alone_and_replaced_for_now(log: Path, content: bytes, tmp_path: Path) -> None:
    place = tmp_path / "telemetry" / "ledger.db"
    place.parent.mkdir()
    place.write_bytes(content)
    books = Books(tmp_path)
    take(books, log)
    assert books.tokens == Tokens(200, 20)
    assert books.ledger.trouble
    assert books.ledger.check()
    books.ledger.close()
    assert place.read_bytes() == content


def test_damage_that_shows_in_the_middle_is_survived(books: Books, log: Path) -> None:
    for number in range(40):
        log.with_name(f"{number}.jsonl").write_bytes(b"".join(claude_line(f"{number}-{n}", "r") for n in range(90)))
    take(books, log)
    books.ledger.close()
    with books.ledger.path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(60_000))
    again = Books(books.ledger.path.parents[1])
    take(again, log)
    assert again.tokens == Tokens(360_200, 36_020)
    assert again.ledger.trouble
    again.ledger.close()


def test_an_import_that_is_cut_short_goes_on(books: Books, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = imports._store
    monkeypatch.setattr(imports, "_store", lambda *_: (_ for _ in ()).throw(OSError("power")))
    with pytest.raises(OSError, match="power"):
        take(books, log)
    monkeypatch.setattr(imports, "_store", real)
    take(books, log)
    assert books.tokens == Tokens(200, 20)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE slots SET dim = dim + 1",
        "UPDATE slots SET session = session + 1",
        "UPDATE slots SET input = input + 1",
        "UPDATE entries SET dim = dim + 1",
        "DELETE FROM entries",
    ],
)
def test_tables_that_contradict_one_another_are_damage(books: Books, log: Path, damage: str) -> None:
    take(books, log)
    assert books.ledger.check() is None
    books.ledger.write(lambda connection: connection.execute(damage))
    assert books.ledger.check() is not None


def test_an_empty_ledger_contradicts_nothing(books: Books) -> None:
    books.ledger.write(lambda connection: None)
    assert books.ledger.check() is None


def test_a_number_that_belongs_to_nothing_is_damage_and_no_failure(books: Books, log: Path) -> None:
    take(books, log)
    books.ledger.write(lambda connection: connection.execute("UPDATE slots SET dim = dim + 1"))
    books.ledger.close()
    content = books.ledger.path.read_bytes()

    def look(connection: sqlite3.Connection) -> int:
        names = dict(connection.execute("SELECT id, model FROM dims"))
        return len([names[dim] for (dim,) in connection.execute("SELECT dim FROM slots")])

    assert books.ledger.read(look) == 0, "of the stand-in"
    assert books.ledger.trouble is not None
    assert books.ledger.path.read_bytes() == content


def test_a_mistake_in_a_query_is_not_taken_for_damage(books: Books, log: Path) -> None:
    take(books, log)
    with pytest.raises(KeyError):
        books.ledger.read(lambda connection: dict[str, int]()["missing"])
    assert books.ledger.trouble is None


def test_flipped_bits_never_fail_a_query(books: Books, log: Path, tmp_path: Path) -> None:
    take(books, log)
    books.ledger.close()
    whole, chance = books.ledger.path.read_bytes(), random.Random(3)
    for number in range(40):
        content = bytearray(whole)
        place = chance.randrange(len(content))
        content[place] ^= 1 << chance.randrange(8)
        damaged = Books(tmp_path / str(number))
        damaged.ledger.path.parent.mkdir(parents=True)
        damaged.ledger.path.write_bytes(content)
        found = damaged.slices(by=("model", "session"))
        assert found or damaged.ledger.trouble is not None, f"byte {place}"
        damaged.ledger.close()
        assert len(damaged.ledger.path.read_bytes()) == len(whole)
