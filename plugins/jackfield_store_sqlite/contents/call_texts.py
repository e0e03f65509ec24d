"""Where the bodies and answers of calls lie; see `schema`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from jackfield.api.call_places import body_in, read
from jackfield_store_sqlite.contents.packing import Packing, opened
from jackfield_store_sqlite.rows import Value, encoded

LONG = 256
"""Characters of an answer; a longer one lies apart from its call, whose row is changed and listed."""
TEXTS = """d.body, d.body_places, d.packed, d.size, x.data, x.size, c.response_body, a.body, a.size"""
"""Columns."""
JOINED = """JOIN call_data d ON d.id = c.data LEFT JOIN call_answers a ON a.data = c.data
    LEFT JOIN executions e ON d.body_places <> '' AND e.id = c.execution_id
    LEFT JOIN execution_data x ON x.id = e.data"""
"""Stands behind `calls c`, and has these columns."""
_PLACED = """SELECT d.id, d.body_places, x.data, x.size FROM json_each(?) w
    JOIN executions e ON e.id = w.value ->> 0 AND e.data = w.value ->> 1 AND e.finished_at IS NOT NULL
    JOIN calls c ON c.webhook_id = e.webhook_id AND c.id = e.call_id AND c.execution_id = e.id
    JOIN call_data d ON d.id = c.data AND d.body_places <> '' JOIN execution_data x ON x.id = e.data"""
_AT_ONCE = 20
"""Executions."""
_KEEP = "UPDATE call_data SET body_places = '', body = ?, packed = ?, size = ? WHERE id = ?"


def body_columns(packing: Packing, text: str) -> tuple[str, bytes | None, int | None]:
    """`body`, `packed` and `size` of a call's own body."""
    content, size = packing.packed(encoded(text)) if text else (b"", None)
    return (text, None, None) if size is None else ("", content, size)


def texts_of(
    body: str, places: str, packed: bytes | None, size: int | None, given: bytes | None, given_size: int | None,
    answer: str, long: bytes | None, long_size: int | None,
) -> tuple[str, str]:  # fmt: skip
    """The body and the answer, from `TEXTS`. Damage leaves nothing of what it has met."""
    if places:
        body = _placed(places, given, given_size)
    elif packed is not None:
        body = _text(packed, size)
    return body, answer or ("" if long is None else _text(long, long_size))


def keep_bodies(connection: sqlite3.Connection, executions: Sequence[tuple[str, int]], packing: Packing) -> None:
    """Give the calls of finished executions that are about to be deleted their bodies. executions: each with its id and
    data key. Some at a time, as their inputs are read into memory."""
    for start in range(0, len(executions), _AT_ONCE):
        _keep_some(connection, executions[start : start + _AT_ONCE], packing)


def _keep_some(connection: sqlite3.Connection, executions: Sequence[tuple[str, int]], packing: Packing) -> None:
    rows: list[tuple[Value, ...]] = [
        (*body_columns(packing, _placed(places, given, size)), key)
        for key, places, given, size in connection.execute(_PLACED, (json.dumps(executions),))
    ]
    connection.executemany(_KEEP, rows)


def _placed(places: str, given: bytes | None, size: int | None) -> str:
    try:
        return "" if given is None else body_in(opened(given, size), read(places))
    except ValueError:
        return ""


def _text(content: bytes, size: int | None) -> str:
    try:
        return opened(content, size).decode("utf-8", "replace")
    except ValueError:
        return ""
