"""The daemon's log, read from its end and followed, over rotation."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidInput
from jackfield_events.log_files import LogFileLine, LogPosition, LogTail, backwards, older
from jackfield_events.log_views import cursor_of, place_of, view, wanted

PLENTY = 1 << 30


def every(line: bytes) -> bool:
    return True


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    def append(*lines: str, end: str = "\n") -> None:
        with (tmp_path / "jackfield.log").open("a") as file:
            file.write("\n".join(lines) + end)

    return append


def rotate(directory: Path) -> None:
    for number in range(8, 0, -1):
        if (directory / f"jackfield.log.{number}").exists():
            (directory / f"jackfield.log.{number}").rename(directory / f"jackfield.log.{number + 1}")
    (directory / "jackfield.log").rename(directory / "jackfield.log.1")


def texts(lines: list[LogFileLine]) -> list[str]:
    return [line.text.decode() for line in lines]


@given(
    st.lists(st.binary(max_size=200_000).map(lambda text: text.replace(b"\n", b" ")), max_size=6), st.binary(max_size=9)
)
def test_lines_come_backwards_whole_and_with_their_places(lines: list[bytes], torn: bytes) -> None:
    content = b"".join(line + b"\n" for line in lines) + torn.replace(b"\n", b"")
    found = list(backwards(io.BytesIO(content), None))
    assert [text for _, text in found] == [line for line in reversed(lines) if line]
    assert all(content[offset : offset + len(text) + 1] == text + b"\n" for offset, text in found)


def test_a_line_that_is_too_long_is_left_out() -> None:
    content = b"first\n" + b"x" * 3_000_000 + b"\nlast\n"
    found = [text for _, text in backwards(io.BytesIO(content), None)]
    assert found[0] == b"last"
    assert found[-1] == b"first"
    assert all(len(text) < 1_200_000 for text in found)


def test_pages_go_on_over_rotated_files_while_they_rotate(tmp_path: Path, write: Callable[..., None]) -> None:
    write("one", "two")
    rotate(tmp_path)
    write("three", "four")
    first = older(tmp_path, None, every, 3, PLENTY)
    assert texts(first.lines) == ["four", "three", "two"]
    rotate(tmp_path)
    write("five")
    second = older(tmp_path, first.next, every, 3, PLENTY)
    assert (texts(second.lines), second.next) == (["one"], None)


def test_a_request_looks_at_no_more_than_its_budget(tmp_path: Path, write: Callable[..., None]) -> None:
    write("wanted", *["other"] * 1000)
    places, found = 0, older(tmp_path, None, lambda line: line == b"wanted", 5, 1000)
    while found.next is not None and places < 50:
        places += 1
        assert not found.lines
        found = older(tmp_path, found.next, lambda line: line == b"wanted", 5, 1000)
    assert texts(found.lines) == ["wanted"]
    assert places > 3


def test_a_place_in_a_file_that_is_gone_ends_the_pages(tmp_path: Path, write: Callable[..., None]) -> None:
    write("one")
    assert older(tmp_path, LogPosition(1, 0), every, 3, PLENTY) == ([], None)
    assert older(tmp_path / "nowhere", None, every, 3, PLENTY) == ([], None)


def test_the_tail_begins_at_the_end_and_waits_for_whole_lines(tmp_path: Path, write: Callable[..., None]) -> None:
    write("old")
    tail = LogTail(tmp_path)
    tail.start()
    assert tail.more(PLENTY) == []
    write("new", "to", end="")
    assert texts(tail.more(PLENTY)) == ["new"]
    write("rn")
    assert texts(tail.more(PLENTY)) == ["torn"]


def test_the_tail_follows_a_rotation(tmp_path: Path, write: Callable[..., None]) -> None:
    write("old")
    tail = LogTail(tmp_path)
    tail.start()
    write("last of this file")
    rotate(tmp_path)
    write("first of that file")
    assert texts(tail.more(PLENTY)) == ["last of this file", "first of that file"]
    assert tail.more(PLENTY) == []


def test_a_tail_of_no_log_begins_with_its_first_line(tmp_path: Path, write: Callable[..., None]) -> None:
    tail = LogTail(tmp_path)
    tail.start()
    assert tail.more(PLENTY) == []
    write("first")
    assert texts(tail.more(PLENTY)) == ["first"]


def test_levels_and_texts() -> None:
    warning = b'{"time":"t","level":"warning","logger":"a","message":"Say \\"Gr\xc3\xbc\xc3\x9fe\\""}'
    assert wanted("debug", "")(warning)
    assert wanted("warning", "")(warning)
    assert not wanted("error", "")(warning)
    assert wanted("info", 'say "grüß')(warning)
    assert not wanted("info", "goodbye")(warning)


def test_a_line_as_the_api_shows_it() -> None:
    line = LogFileLine(
        LogPosition(10, 32), b'{"time":"t","level":"info","logger":"a","message":"the secret","requestId":"r","n":1}'
    )
    assert view(line, lambda text: text.replace("secret", "***")) == {
        "time": "t",
        "level": "info",
        "logger": "a",
        "message": "the ***",
        "request_id": "r",
        "exception": None,
        "fields": {"n": 1},
        "cursor": "a-20",
    }
    assert view(LogFileLine(LogPosition(1, 1), b"no json"), str)["message"] == "no json"
    assert place_of(cursor_of(LogPosition(10, 32))) == LogPosition(10, 32)


@pytest.mark.parametrize("cursor", ["x", "1", "1-2-3", "-", "--", "1-z"])
def test_a_place_that_is_none(cursor: str) -> None:
    with pytest.raises(InvalidInput):
        place_of(cursor)
