"""Deleting executions and calls with all that belongs to them, on the writer's connection.

Rows with blobs go in the order in which they lie, and neighbors with one statement. Else each that goes moves its
neighbors, which go next.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from jackfield.api.sql.pruning import FREE
from jackfield_store_sqlite.contents.call_texts import keep_bodies
from jackfield_store_sqlite.contents.counting import COUNT, count_gone
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.rows import Row

_AMONG = "IN (SELECT value FROM json_each(?))"
_DELETE = """DELETE FROM executions WHERE id IN (SELECT value ->> 0 FROM json_each(?)) AND finished_at IS NOT NULL
    AND data IN (SELECT value ->> 1 FROM json_each(?)) RETURNING data"""
_CHUNKS_OF = f"SELECT id FROM execution_data WHERE execution {_AMONG} AND id <> execution"  # noqa: S608 - our own words
_DELETE_DATA = "DELETE FROM execution_data WHERE id BETWEEN ? AND ?"
_DELETE_DOCUMENTS = "DELETE FROM execution_documents WHERE data BETWEEN ? AND ?"
_OLDEST = f"""SELECT finished_at, id, data, created_at >> 22, coalesce(workflow_id, ''), mode, status FROM executions
    WHERE finished_at >= ? AND {FREE} ORDER BY finished_at, id LIMIT ?"""  # noqa: S608 - our own words
_DELETE_OLDEST = f"""DELETE FROM executions
    WHERE finished_at >= ? AND {FREE} AND (finished_at, id) <= (?, ?)"""  # noqa: S608 - our own words
_DELETE_CALLS = """DELETE FROM calls
    WHERE (webhook_id, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))
    AND data IN (SELECT value ->> 2 FROM json_each(?)) RETURNING data"""
_OLDEST_CALLS = "SELECT time, id, data FROM calls WHERE webhook_id = ? ORDER BY time, id LIMIT ?"
_DELETE_OLDEST_CALLS = "DELETE FROM calls WHERE webhook_id = ? AND (time, id) <= (?, ?)"
_DELETE_CALL_DATA = (
    "DELETE FROM call_data WHERE id BETWEEN ? AND ?",
    "DELETE FROM call_answers WHERE data BETWEEN ? AND ?",
)


def remove(connection: sqlite3.Connection, executions: Sequence[tuple[str, int]], packing: Packing) -> int:
    """Delete finished executions, each by its id and data key; returns how many. Calls keep their bodies."""
    count_gone(connection, executions)
    wanted = json.dumps(executions)
    keep_bodies(connection, executions, packing)
    return _remove_data(connection, [data for (data,) in connection.execute(_DELETE, (wanted, wanted))])


def remove_oldest(connection: sqlite3.Connection, count: int, packing: Packing, since: int) -> tuple[int, int]:
    """Delete that many finished executions, those that ended first, but for those that open ones may ask for.

    Returns how many, and when the last of them ended. since: Unix ms, earlier ends are not looked at. Calls keep their
    bodies.
    """
    rows = connection.execute(_OLDEST, (since, count)).fetchall()
    if not rows:
        return 0, since
    gone: Counter[Row] = Counter(tuple(row[3:]) for row in rows)
    connection.executemany(COUNT, [(*key, -number) for key, number in gone.items()])
    keep_bodies(connection, [(ident, data) for _, ident, data, *_ in rows], packing)
    connection.execute(_DELETE_OLDEST, (since, *rows[-1][:2]))
    return _remove_data(connection, [row[2] for row in rows]), rows[-1][0]


def _remove_data(connection: sqlite3.Connection, gone: Sequence[int]) -> int:
    """The data of executions that are deleted, by their data keys."""
    chunks = [chunk for (chunk,) in connection.execute(_CHUNKS_OF, (json.dumps(gone),))]
    stretches = _stretches([*gone, *chunks])
    connection.executemany(_DELETE_DATA, stretches)
    connection.executemany(_DELETE_DOCUMENTS, stretches)  # keys of chunks are never those of documents
    return len(gone)


def remove_calls(connection: sqlite3.Connection, calls: Sequence[tuple[str, str, int]]) -> int:
    """Delete calls, each by its webhook, id and data key; returns how many there were."""
    wanted = json.dumps(calls)
    gone = [data for (data,) in connection.execute(_DELETE_CALLS, (wanted, wanted))]
    _remove_call_data(connection, gone)
    return len(gone)


def remove_oldest_calls(connection: sqlite3.Connection, webhook_id: str, count: int) -> int:
    """Delete that many calls of a webhook, those that came first; returns how many."""
    rows = connection.execute(_OLDEST_CALLS, (webhook_id, count)).fetchall()
    if not rows:
        return 0
    connection.execute(_DELETE_OLDEST_CALLS, (webhook_id, *rows[-1][:2]))
    _remove_call_data(connection, [row[2] for row in rows])
    return len(rows)


def _remove_call_data(connection: sqlite3.Connection, gone: Sequence[int]) -> None:
    stretches = _stretches(gone)
    for sql in _DELETE_CALL_DATA:
        connection.executemany(sql, stretches)


def _stretches(keys: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of those that follow each other."""
    found: list[tuple[int, int]] = []
    for key in sorted(keys):
        if found and key == found[-1][1] + 1:
            found[-1] = found[-1][0], key
        else:
            found.append((key, key))
    return found
