"""Combine by SQL: a query over tables in memory, with no way out of them.

Only reading is allowed: no files, no other databases, no settings. Time, memory and rows are limited.
"""

from __future__ import annotations

import mmap
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.nodes.items import all_pairs, new_item
from jackfield.api.workflows import Items
from jackfield_nodes.merging.sql_sources import Nulls, Sources, pairs_of, shape_of, sources_of, traced
from jackfield_nodes.merging.sql_tables import ROW_NUMBERS, ItemTable, storable

ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})

STEPS = 20_000
"""Instructions of SQLite's machine between two looks at the limits: some tenths of a millisecond."""
MAX_PATTERN = 1_000
"""Characters of a LIKE pattern: a comparison is one instruction, which no limit of time can interrupt."""
MAX_ADDED = 100
"""Columns that a query may name although no item has such a field."""
MAX_PAIRS = 1_000_000
"""Rows times items from which on rows are not paired: any row may come from any item."""
_MISSING = re.compile(r"no such column: (?:(?P<table>\w+)\.)?(?P<column>.+)", re.DOTALL)
_ROW_BYTES = 64


class QueryLimits(NamedTuple):
    """seconds: of one query; bytes: of its tables, and of what it builds; rows: of its result."""

    seconds: float
    bytes: int
    rows: int


class QueryStop(threading.Event):
    """Set from outside when nobody wants the result any more."""


class MergeQuery(NamedTuple):
    """text: SQL; values: of its placeholders; by_row: whether rows are paired with the items that they come from alone,
    as from version 3.1 on."""

    text: str
    values: Sequence[str | float | None] = ()
    by_row: bool = False


class _Found(NamedTuple):
    """json: of a row; sources: None where any item may be one."""

    json: dict[str, Json]
    sources: Sources | None


def query(
    inputs: Sequence[Items], asked: MergeQuery, limits: QueryLimits, stop: QueryStop, warn: Callable[[str], None]
) -> tuple[Items, bool]:
    """(items, whether there were any rows). Raises `NodeError`. Takes a while: call it on a thread."""
    if not asked.text.strip():
        raise NodeError("The parameter query is empty; write a SELECT over the tables input1, input2 and so on.")
    tables = [ItemTable(f"input{index + 1}", items) for index, items in enumerate(inputs)]
    texts: dict[str, Json] = {}
    guard = _Guard(limits, stop)
    with closing(sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)) as connection:
        try:
            _fill(connection, tables, texts, limits)
            rows = _answered(connection, asked, tables, texts, guard, warn)
        except (sqlite3.Error, ValueError) as exc:  # ValueError: the query has a NUL character
            raise guard.problem(exc) from None
    return _paired(rows, inputs, asked), bool(rows)


def _answered(
    connection: sqlite3.Connection, asked: MergeQuery, tables: Sequence[ItemTable], texts: Mapping[str, Json],
    guard: _Guard, warn: Callable[[str], None],
) -> list[_Found]:  # fmt: skip
    """Rows with their sources, where there is a query that tells them."""
    nulls, own = Nulls(tables, asked.text), storable(asked.text)
    for text in (traced(own, tables), own):
        if text is None:
            continue
        try:
            cursor = _started(connection, asked._replace(text=text), tables, guard, warn)
            names = [column[0] for column in cursor.description or ()]
            return [_found(names, row, nulls, texts) for row in guard.counted(cursor)]
        except sqlite3.OperationalError as exc:
            if text is own or guard.stopped or exc.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
    return []


def _found(names: Sequence[str], row: Sequence[object], nulls: Nulls, texts: Mapping[str, Json]) -> _Found:
    sources = sources_of(names, row)
    return _Found(nulls.json(names, row, texts, sources), sources)


def _paired(rows: Sequence[_Found], inputs: Sequence[Items], asked: MergeQuery) -> Items:
    shape = shape_of(asked.text)
    if asked.by_row and shape == "groups":
        return [new_item(row.json, []) for row in rows]
    references = all_pairs(inputs)
    too_many = len(rows) * len(references) > MAX_PAIRS
    return [
        new_item(row.json, pairs_of(row.sources, shape))
        if asked.by_row and row.sources is not None
        else {"json": row.json} if too_many else new_item(row.json, references)
        for row in rows
    ]  # fmt: skip


def _fill(
    connection: sqlite3.Connection, tables: Sequence[ItemTable], texts: dict[str, Json], limits: QueryLimits
) -> None:
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.execute(f"PRAGMA max_page_count = {max(limits.bytes // page_size, 1)}")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.bytes, 2**31 - 1))
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, MAX_PATTERN)
    for table in tables:
        table.create(connection, texts)
    connection.commit()


def _authorise(action: int, name: str | None, detail: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and (detail or "").lower() in FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY


def _started(
    connection: sqlite3.Connection,
    asked: MergeQuery,
    tables: Sequence[ItemTable],
    guard: _Guard,
    warn: Callable[[str], None],
) -> sqlite3.Cursor:
    """The query's first step. A column that no item has is made: in JavaScript a missing field is no mistake."""
    for _ in range(MAX_ADDED):
        connection.set_authorizer(_authorise)
        guard.watch(connection)
        try:
            return connection.execute(asked.text, asked.values)
        except sqlite3.OperationalError as exc:
            found = _MISSING.fullmatch(str(exc))
            lacking = None if found is None else _lacking(tables, found["table"], found["column"])
            if found is None or lacking is None:
                raise
        guard.release(connection)
        connection.set_authorizer(None)
        warn(f"The query names {found['column']}, a field that no item of {lacking.name} has.")
        lacking.add(connection, found["column"])
    raise NodeError(f"The query names more than {MAX_ADDED} fields that no item has.")


def _lacking(tables: Sequence[ItemTable], name: str | None, column: str) -> ItemTable | None:
    """The table that gets a missing column: the named one, else the first without it, for the name may be an alias.
    None: a table has row numbers under its own name alone, so that its alias is in the way."""
    if column.lower() in ROW_NUMBERS:
        return None
    fitting = [table for table in tables if not table.has(column)]
    named = [table for table in tables if table.name == (name or "").lower()]
    if named:
        return named[0] if named[0] in fitting else None
    return fitting[0] if fitting else None


def resident() -> int:
    """Bytes of memory that the process has now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - read thousands of times
            return int(file.read().split()[1]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return 0


class _Guard:
    """Ends a query at its limits and says which one it was. SQLite cannot tell the memory of one connection, so the
    growth of the whole process counts, which is more."""

    def __init__(self, limits: QueryLimits, stop: QueryStop) -> None:
        self._limits = limits
        self._stop = stop
        self._deadline = time.monotonic() + limits.seconds
        self._most = 0
        self._rows = 0
        self._bytes = 0
        self._reason = ""

    def watch(self, connection: sqlite3.Connection) -> None:
        self._most = resident() + self._limits.bytes
        connection.set_progress_handler(self._look, STEPS)

    def release(self, connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(None, 0)

    def _look(self) -> bool:
        """Whether SQLite has to stop."""
        if self._stop.is_set():
            self._reason = "The query was stopped."
        elif time.monotonic() > self._deadline:
            self._reason = (
                f"The query took longer than {self._limits.seconds:g} seconds; make it simpler, or raise the setting "
                "nodes.merge.query_timeout."
            )
        elif resident() > self._most:
            self._reason = self._too_much()
        return bool(self._reason)

    @property
    def stopped(self) -> bool:
        """Whether a limit has ended the query."""
        return bool(self._reason)

    def counted(self, cursor: sqlite3.Cursor) -> Iterator[Sequence[object]]:
        """The rows of a result. Raises `NodeError` when they are too many."""
        self._rows = self._bytes = 0
        for row in cursor:
            self._count(row)
            yield row

    def _count(self, row: Sequence[object]) -> None:
        self._rows += 1
        self._bytes += _ROW_BYTES + sum(len(value) for value in row if isinstance(value, str | bytes))
        if self._rows > self._limits.rows:
            raise NodeError(
                f"The query gives more than {self._limits.rows} rows; add a condition, or raise the setting "
                "nodes.merge.max_items."
            )
        if self._bytes > self._limits.bytes:
            raise NodeError(self._too_much())

    def _too_much(self) -> str:
        return (
            f"The query needs more than {self._limits.bytes} bytes of memory; make it simpler, or raise the setting "
            "nodes.merge.query_max_bytes."
        )

    def problem(self, error: Exception) -> NodeError:
        """The error for the user about an error of the query."""
        code = getattr(error, "sqlite_errorcode", None)
        if self._reason:
            return NodeError(self._reason)
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_TOOBIG}:
            return NodeError(self._too_much())
        if code == sqlite3.SQLITE_AUTH:
            return NodeError(
                "The parameter query may only read: SELECT from input1, input2 and so on, without files or settings."
            )
        return NodeError(f"The parameter query is not valid SQL: {error}.")
