"""An export of which a part cannot be read says so."""

from __future__ import annotations

import csv
import io
import json
import logging
from collections.abc import Callable, Iterator, Sequence

import pytest

from jackfield.api.errors import Conflict, JackfieldError, StoreUnavailable
from jackfield_telemetry.reports.export import (
    CHUNK,
    COLUMNS,
    csv_broken,
    csv_parts,
    json_broken,
    json_parts,
    limited,
    told_if_broken,
)

ROW = ("x",) * len(COLUMNS)
TROUBLE = "The ledger of usage\ncannot be read."
Parts = Callable[[Iterator[Sequence[object]]], Iterator[bytes]]
Broken = Callable[[JackfieldError], bytes]


def rows(number: int) -> Iterator[Sequence[object]]:
    """So many, and then the trouble."""
    yield from [ROW] * number
    raise StoreUnavailable(TROUBLE)


def exported(parts: Parts, broken: Broken, number: int) -> str:
    return b"".join(told_if_broken(parts(rows(number)), broken)).decode()


@pytest.mark.parametrize("number", [CHUNK, 2 * CHUNK + 1])
def test_json_that_breaks_off_is_json_and_no_success(number: int, caplog: pytest.LogCaptureFixture) -> None:
    found = json.loads(exported(json_parts, json_broken, number))
    assert (found["success"], found["error"], found["code"]) == (False, TROUBLE, StoreUnavailable.code)
    assert len(found["data"]) == number // CHUNK * CHUNK
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_csv_that_breaks_off_ends_with_a_comment() -> None:
    text = exported(csv_parts, csv_broken, CHUNK)
    *whole, last = text.splitlines()
    assert len(list(csv.DictReader(io.StringIO("\n".join(whole))))) == CHUNK
    assert last == "# The export is not whole: The ledger of usage cannot be read."


@pytest.mark.parametrize("number", [0, 1, CHUNK - 1])
@pytest.mark.parametrize(("parts", "broken"), [(json_parts, json_broken), (csv_parts, csv_broken)])
def test_when_the_first_rows_cannot_be_read_nothing_is_sent(parts: Parts, broken: Broken, number: int) -> None:
    with pytest.raises(StoreUnavailable):
        next(told_if_broken(parts(rows(number)), broken))


def test_without_rows_it_is_whole_all_the_same() -> None:
    assert json.loads(b"".join(json_parts(iter([])))) == {"data": [], "success": True}
    assert b"".join(csv_parts(iter([]))).decode().splitlines() == [",".join(COLUMNS)]


def test_what_is_whole_says_so() -> None:
    found = json.loads(b"".join(told_if_broken(json_parts(iter([ROW])), json_broken)))
    assert (found["success"], len(found["data"])) == (True, 1)


def test_before_the_first_part_the_status_can_tell_it() -> None:
    def none() -> Iterator[bytes]:
        raise StoreUnavailable(TROUBLE)
        yield b""

    with pytest.raises(StoreUnavailable):
        list(told_if_broken(none(), json_broken))


def test_rows_beyond_the_limit_are_not_left_out_silently() -> None:
    assert list(limited(iter([ROW] * 3), 3)) == [ROW] * 3
    cut = told_if_broken(csv_parts(limited(iter([ROW] * (CHUNK + 1)), CHUNK)), csv_broken)
    text = b"".join(cut).decode()
    assert text.splitlines()[-1].startswith("# The export is not whole: There are more than 500 rows")
    with pytest.raises(Conflict, match="export_limit"):
        list(told_if_broken(json_parts(limited(iter([ROW, ROW]), 1)), json_broken))
