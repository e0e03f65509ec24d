"""Where values may stand in a query."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from jackfield.api.nodes import NodeError
from jackfield_integrations.sql.placeholders import scan, with_values
from jackfield_integrations.sql.statements import SQLITE, SqlName, SqlValue

PIECES = st.sampled_from(
    ["'", '"', "`", "--", "\n", "/*", "*/", "$1", "$x$", "$$", ";", "\\", "E'", "#", "[", "]", "a", " "]
)
DIALECTS = ("postgres", "mysql", "sqlite")


def found(text: str, dialect: str) -> list[int]:
    return [place.number for place in scan(text, dialect).places]


@pytest.mark.parametrize(
    ("text", "postgres", "mysql", "sqlite"),
    [
        ("$1 '$2' \"$3\" $4", [1, 4], [1, 4], [1, 4]),
        ("'it''s $1' $2", [2], [2], [2]),
        ("'a\\' $1' $2", [1], [2], [1]),
        ("E'a\\' $1' $2", [2], [2], [1]),
        ("-- $1\n$2", [2], [2], [2]),
        ("/* $1 /* */ $2 */ $3", [3], [2, 3], [2, 3]),
        ("$$ $1 $$ $t$ $2 $$ $t$ $3", [3], [1, 2, 3], [1, 2, 3]),
        ("`$1` $2", [1, 2], [2], [2]),
        ("# $1\n$2", [1, 2], [2], [1, 2]),
        ("[$1] $2", [1, 2], [1, 2], [2]),
        ("foo$1 $2::int $3:name", [2, 3], [2, 3], [2, 3]),
        ("'open $1", [], [], []),
        ("$tag$ open $1", [], [1], [1]),
    ],
)
def test_strings_and_comments_hold_no_places(
    text: str, postgres: list[int], mysql: list[int], sqlite: list[int]
) -> None:
    assert [found(text, dialect) for dialect in DIALECTS] == [postgres, mysql, sqlite]


@given(st.lists(PIECES, max_size=30).map("".join), st.sampled_from(DIALECTS))
def test_every_text_is_scanned_to_its_end(text: str, dialect: str) -> None:
    assume("$1#" not in text)  # asks for a value as SQL, see the next test
    parts = with_values(text + " ", ["v"], dialect).parts if text.strip() else []
    kept = "".join("$1" if isinstance(part, SqlValue) else part for part in parts if not isinstance(part, SqlName))
    assert kept == (text + " " if text.strip() else "")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_value_as_sql_is_refused(dialect: str) -> None:
    with pytest.raises(NodeError, match="refused"):
        with_values("SELECT $1# ", ["v"], dialect)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40))
def test_a_value_comes_back_as_it_was(value: str) -> None:
    text, values = SQLITE.render(with_values("SELECT $1 || '$1' -- $1", [value], "sqlite").parts)
    (row,) = sqlite3.connect(":memory:").execute(text, [part.value for part in values])
    assert row == (value + "$1",)


def test_long_texts_take_no_time() -> None:
    for text in ("'" * 50_001, "/*" * 50_000, "$a$" * 50_001, "'" + "\\" * 50_001, "E'" + "'\\" * 30_000):
        for dialect in DIALECTS:
            scan(text, dialect)


def test_single_statements() -> None:
    assert scan("SELECT ';' ; ", "postgres").single
    assert not scan("SELECT 1; SELECT 2", "postgres").single


def test_numbers_start_at_one() -> None:
    with pytest.raises(NodeError, match=r"\$0"):
        with_values("SELECT $0", ["v"], "postgres")
