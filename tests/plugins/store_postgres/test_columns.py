"""Columns on the wire are what psycopg itself would send."""

from __future__ import annotations

import struct
from typing import Any

import psycopg
import pytest

from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres import columns
from jackfield_store_postgres.columns import BytesColumn, FlagColumn, NumberColumn, TextColumn, kinds_of
from jackfield_store_postgres.writing import statements

CASES: list[tuple[type[columns.EncodedColumn], str, list[Any], list[Any]]] = [
    (TextColumn, "text", ["a", "", None, "é\U0001f600", "{,\"}"], ["a", "", None, "é\U0001f600", "{,\"}"]),
    (TextColumn, "text", ["a\x00b\x01", "\ud800"], ["a\x01\x02b\x01\x03", "?"]),
    (TextColumn, "text", [None, None], [None, None]),
    (TextColumn, "text", [], []),
    (NumberColumn, "bigint", [0, -1, None, 2**63 - 1, -(2**63), True], [0, -1, None, 2**63 - 1, -(2**63), 1]),
    (BytesColumn, "bytea", [b"", None, b"\x00\xff" * 9000], [b"", None, b"\x00\xff" * 9000]),
    (FlagColumn, "boolean", [True, False, None], [True, False, None]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "given", "kept"), CASES)
def test_the_server_reads_what_was_given(
    jackfield_postgres: PostgresServer, kind: type[columns.EncodedColumn], name: str, given: list[Any], kept: list[Any]
) -> None:
    with psycopg.connect(jackfield_postgres.dsn(), autocommit=True) as connection:
        columns.register(connection.adapters)
        found = connection.execute(f"SELECT unnest(%b::{name}[])", [kind(given)], binary=True).fetchall()
    assert [value for (value,) in found] == kept


def test_the_types_of_a_statement_are_those_it_names() -> None:
    assert kinds_of(statements.ADD_STEPS) == [TextColumn, NumberColumn, BytesColumn]


def test_a_number_that_has_no_64_bits_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(struct.error):
        NumberColumn([2**63])
