"""The forms of `jackfield.api.store_forms` as SQLite's tables: how each is read, and how its rows are written.

`OWN` and `OWN_COLUMNS` are what no copy has. A test holds that nothing else is missing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from jackfield.api.sql.moves import FOLDERS
from jackfield.api.store_forms import Row, StoreForm
from jackfield_store_sqlite.contents.call_texts import LONG, body_columns
from jackfield_store_sqlite.contents.packing import Packing, opened
from jackfield_store_sqlite.damage.digests import (
    of_bytes,
    of_columns,
    of_credential,
    of_packed,
    of_static_data,
    of_version,
    with_digest,
)
from jackfield_store_sqlite.rows import encoded

Values: TypeAlias = "Sequence[Any]"  # Any: of the form's columns
Write: TypeAlias = "Callable[[sqlite3.Connection, Sequence[Values]], None]"

OWN: Mapping[str, str] = {
    "execution_counts": "counted anew at the end of a copy",
    "workflow_counts": "sums of these",
    "span_counts": "sums of these",
    "counted_spans": "says which are summed up",
    "reach": "counts the commits of this file",
    "copy_notes": "there while a copy fills the store",
    "sqlite_stat1": "SQLite's own",
    "sqlite_stat4": "SQLite's own",
}
"""Tables of which a copy has nothing, with the reason."""
PARTS: Mapping[str, str] = {
    "call_data": "calls", "call_answers": "calls",
    "execution_data": "executions, execution_steps", "execution_documents": "executions",
    "unsealed_runs": "executions.sealed", "unsealed_versions": "workflow_versions.sealed",
}  # fmt: skip
"""Tables without their own form -> the forms that have their rows."""
OWN_COLUMNS: Mapping[str, frozenset[str]] = {
    "users": frozenset({"row_digest"}),
    "api_keys": frozenset({"row_digest"}),
    "variables": frozenset({"row_digest"}),
    "static_data": frozenset({"row_digest"}),
    "workflow_versions": frozenset({"digest"}),
    "credentials": frozenset({"digest"}),
    "calls": frozenset({"data"}),
    "call_data": frozenset({"id", "packed", "size"}),
    "call_answers": frozenset({"data", "body", "size"}),
    "executions": frozenset({"data", "digest"}),
    "execution_data": frozenset({"id", "execution", "digest", "size"}),
    "execution_documents": frozenset({"data", "digest"}),
    "incarnations": frozenset({"number"}),
    "released_files": frozenset({"claimed_at"}),
    "unsealed_runs": frozenset({"data"}),
}
"""Columns that are made anew: digests, and keys that only this file has. Claims for deletion are made again."""

_OWNER = "coalesce(i.id, 'start ' || e.owner)"
_OWNED = "executions e LEFT JOIN incarnations i ON i.number = e.owner"
SOURCES: Mapping[str, str] = {
    "folders": FOLDERS,
    "workflow_versions": """SELECT v.*, u.version IS NULL AS sealed FROM workflow_versions v
        LEFT JOIN unsealed_versions u ON u.workflow_id = v.workflow_id AND u.version = v.version""",
    "registrations": "SELECT rowid AS place, * FROM registrations",
    "calls": """SELECT c.webhook_id, c.id, c.execution_id, c.time, c.method, d.headers,
            coalesce(CAST(opened(d.packed, d.size) AS TEXT), d.body) AS body, d.query, d.event, c.status, c.truncated,
            c.response_status, c.duration_ms, c.response_truncated,
            iif(c.response_body = '', coalesce(CAST(opened(a.body, a.size) AS TEXT), ''), c.response_body)
                AS response_body, d.body_places
        FROM calls c JOIN call_data d ON d.id = c.data LEFT JOIN call_answers a ON a.data = c.data""",
    "incarnations": f"""SELECT DISTINCT {_OWNER} AS id, coalesce(i.daemon, '') AS daemon FROM {_OWNED}
        WHERE e.finished_at IS NULL AND e.owner IS NOT NULL""",  # noqa: S608 - our own words
    "executions": f"""SELECT e.id, e.workflow_id, e.workflow_version, e.mode, e.status, e.created_at, e.started_at,
            e.finished_at, e.resume_at, e.error, e.retry_of, e.call_id, e.webhook_id,
            iif(e.finished_at IS NULL, {_OWNER}, NULL) AS owner, e.epoch, opened(d.data, d.size) AS input, o.document,
            u.data IS NULL AS sealed
        FROM {_OWNED} JOIN execution_data d ON d.id = e.data LEFT JOIN execution_documents o ON o.data = e.data
        LEFT JOIN unsealed_runs u ON u.data = e.data""",  # noqa: S608 - our own words
    "execution_steps": """SELECT e.id AS execution_id, coalesce(d.number, (SELECT count(*) FROM execution_data b
            WHERE b.execution = d.execution AND b.id <> b.execution AND b.id < d.id)) AS number,
            opened(d.data, d.size) AS data
        FROM executions e JOIN execution_data d ON d.execution = e.data AND d.id <> d.execution""",
}  # fmt: skip
"""Forms that are not read as they stand. Chunks of before had numbers have their places as such. `OPENED` is a function
of theirs."""
OPENED = ("opened", 2, lambda content, size: None if content is None else opened(content, size))
"""Name, number of arguments, and what it does."""


def writing(form: StoreForm, packing: Packing) -> Write:
    """The function that adds rows of this form."""
    large = _WRITE_PACKED.get(form.name)
    if large is not None:
        return lambda connection, rows: large(connection, rows, packing)
    special = _WRITE.get(form.name)
    if special is not None:
        return special
    columns, digest = [*form.columns], _DIGESTS.get(form.name)
    if digest is None:
        sql = _insert(form.name, columns)
        return lambda connection, rows: _many(connection, sql, rows)
    column, of_row = digest
    sql = _insert(form.name, [*columns, column])
    return lambda connection, rows: _many(connection, sql, [(*row, of_row(row)) for row in rows])


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own names


def _many(connection: sqlite3.Connection, sql: str, rows: Sequence[Values]) -> None:
    connection.executemany(sql, rows)


def _folders(connection: sqlite3.Connection, rows: Sequence[Values]) -> None:
    columns = ("id", "name", "folded_name", "parent_id", "created_at", "updated_at")
    _many(connection, _insert("folders", columns), [row[1:] for row in rows])


def _versions(connection: sqlite3.Connection, rows: Sequence[Values]) -> None:
    columns = ("workflow_id", "version", "name", "created_at", "author", "document", "label", "digest")
    made = [(*row[:7], of_version(row[0], row[1], row[5])) for row in rows]
    _many(connection, _insert("workflow_versions", columns), made)
    unsealed = [row[:2] for row in rows if not row[7]]
    _many(connection, "INSERT INTO unsealed_versions VALUES (?, ?)", unsealed)


def _registrations(connection: sqlite3.Connection, rows: Sequence[Values]) -> None:
    columns = (
        "rowid", "id", "workflow_id", "node_id", "node_name", "kind", "method", "path", "pattern", "authentication",
        "active", "created_at",
    )  # fmt: skip
    _many(connection, _insert("registrations", columns), rows)


def _calls(connection: sqlite3.Connection, rows: Sequence[Values], packing: Packing) -> None:
    first = _next(connection, "call_data")
    made, data, answers = [], [], []
    for number, row in enumerate(rows, first):
        places, hook, ident, run, time, method, headers, body, query, event, status, truncated, *answer = row
        response, duration, response_truncated, response_body = answer
        if len(response_body) > LONG:
            answers.append((number, *packing.packed(encoded(response_body))))
            response_body = ""
        made.append(
            (hook, ident, number, run, time, method, status, truncated, response, duration, response_truncated,
             response_body)
        )  # fmt: skip
        body, packed, size = body_columns(packing, body)
        data.append((number, headers, body, query, event, places, packed, size))
    columns = (
        "webhook_id", "id", "data", "execution_id", "time", "method", "status", "truncated", "response_status",
        "duration_ms", "response_truncated", "response_body",
    )  # fmt: skip
    _many(connection, _insert("calls", columns), made)
    contents = ("id", "headers", "body", "query", "event", "body_places", "packed", "size")
    _many(connection, _insert("call_data", contents), data)
    _many(connection, _insert("call_answers", ("data", "body", "size")), answers)


def _incarnations(connection: sqlite3.Connection, rows: Sequence[Values]) -> None:
    sql = "INSERT OR IGNORE INTO incarnations SELECT max(number) + 1, ?, ? FROM incarnations"
    _many(connection, sql, rows)


def _executions(connection: sqlite3.Connection, rows: Sequence[Values], packing: Packing) -> None:
    first = _next(connection, "execution_data")
    made, parts, documents, unsealed = [], [], [], []
    for data, row in enumerate(rows, first):
        ident, *others, owner, epoch, content, document, sealed = row
        made.append((*with_digest((ident, data, *others)), epoch, owner))
        kept, size = packing.packed(content)
        parts.append((data, data, kept, of_packed(kept, size), size))
        if document is not None:
            documents.append((data, document, of_bytes(document)))
            unsealed += [] if sealed else [(data,)]
    _many(connection, _ADD_EXECUTION, made)
    _many(connection, "INSERT INTO execution_data (id, execution, data, digest, size) VALUES (?, ?, ?, ?, ?)", parts)
    _many(connection, _insert("execution_documents", ("data", "document", "digest")), documents)
    _many(connection, "INSERT INTO unsealed_runs VALUES (?)", unsealed)


def _steps(connection: sqlite3.Connection, rows: Sequence[Values], packing: Packing) -> None:
    sql = """INSERT INTO execution_data (execution, number, data, size, digest)
        VALUES ((SELECT data FROM executions WHERE id = ?), ?, ?, ?, ?)"""
    packed = ((ident, number, *packing.packed(content)) for ident, number, content in rows)
    _many(connection, sql, [(*row, of_packed(row[2], row[3])) for row in packed])


def _next(connection: sqlite3.Connection, table: str) -> int:
    found = connection.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()  # noqa: S608 - our own names
    return int(found[0])


_ADD_EXECUTION = f"""INSERT INTO executions (id, data, workflow_id, workflow_version, mode, status, created_at,
    started_at, finished_at, resume_at, error, retry_of, call_id, webhook_id, digest, epoch, owner)
    VALUES ({", ".join("?" * 16)}, (SELECT number FROM incarnations WHERE id = ?))"""  # noqa: S608 - question marks
_DIGESTS: Mapping[str, tuple[str, Callable[[Row], int]]] = {
    "users": ("row_digest", lambda row: of_columns([*row[:-1], int(row[-1] or 0)])),
    "api_keys": ("row_digest", lambda row: of_columns(row[:-2])),
    "variables": ("row_digest", of_columns),
    "static_data": ("row_digest", lambda row: of_static_data(str(row[0]), bytes(row[1]))),  # type: ignore[arg-type]  # of the form
    "credentials": ("digest", of_credential),
}
_WRITE: Mapping[str, Write] = {
    "folders": _folders, "workflow_versions": _versions, "registrations": _registrations,
    "incarnations": _incarnations,
}  # fmt: skip
_WRITE_PACKED: Mapping[str, Callable[[sqlite3.Connection, Sequence[Values], Packing], None]] = {
    "calls": _calls, "executions": _executions, "execution_steps": _steps,
}  # fmt: skip
