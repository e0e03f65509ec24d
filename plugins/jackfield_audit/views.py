"""A record as the API, the command and exports show it."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.errors import InvalidInput
from jackfield.api.json_values import Json
from jackfield.api.n8n_events import n8n_name
from jackfield.api.storage.audit import AuditFilter, AuditRow, AuditStore

COLUMNS = (
    "number", "time", "act", "outcome", "actor", "actorName", "method", "credential", "address", "agent", "run", "kind",
    "subject", "name", "project", "fields", "code", "request", "n8nEvent", "hash",
)  # fmt: skip
"""Of a CSV file."""
_AT_ONCE = 500
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def shown(row: AuditRow) -> dict[str, Json]:
    """The record's members, with empty texts for those that it lacks."""
    told = _content(row)
    actor = told.get("actor")
    who: Mapping[str, Json] = actor if isinstance(actor, dict) else {}
    return {
        "number": row.number,
        "time": iso(row.at),
        "act": row.act,
        "outcome": row.outcome,
        "actor": {
            name: who.get(name, "") for name in ("id", "name", "method", "credential", "address", "agent", "run")
        },
        **{name: told.get(name, "") for name in ("kind", "subject", "name", "project", "code", "request")},
        "fields": told.get("fields", []),
        "n8nEvent": n8n_name(row.act, row.outcome),
        "hash": row.hash.hex(),
    }


def _content(row: AuditRow) -> Mapping[str, Json]:
    """Nothing of one that was damaged: the check of the chain says so."""
    try:
        found = jsontext.loads(row.data)
    except InvalidInput:
        return {}
    return found if isinstance(found, dict) else {}


async def rows_of(
    store: AuditStore, where: AuditFilter, limit: int, *, newest_first: bool = False
) -> AsyncGenerator[Sequence[AuditRow]]:
    """Page by page, at most `limit` records. Raises `StoreUnavailable`."""
    after: int | None = None
    while limit > 0:
        rows = await store.audit_rows(where, after=after, limit=min(limit, _AT_ONCE), newest_first=newest_first)
        if not rows:
            return
        yield rows
        after, limit = rows[-1].number, limit - len(rows)


async def as_jsonl(store: AuditStore, where: AuditFilter, limit: int) -> AsyncIterator[bytes]:
    """One line for each record, the oldest first."""
    async with aclosing(rows_of(store, where, limit)) as pages:
        async for rows in pages:
            yield b"".join(jsontext.dumps(shown(row)) + b"\n" for row in rows)


async def as_csv(store: AuditStore, where: AuditFilter, limit: int) -> AsyncIterator[bytes]:
    """The same as CSV (RFC 4180), for spreadsheets: a text that they would take for a formula begins with `'`."""
    yield _lines([COLUMNS])
    async with aclosing(rows_of(store, where, limit)) as pages:
        async for rows in pages:
            yield _lines([_cells(shown(row)) for row in rows])


def _cells(row: Mapping[str, Json]) -> list[str]:
    actor, fields = row["actor"], row["fields"]
    who: Mapping[str, Json] = actor if isinstance(actor, dict) else {}
    flat = {**who, **row, "actor": who.get("id", ""), "actorName": who.get("name", "")}
    flat["fields"] = " ".join(map(str, fields)) if isinstance(fields, list) else ""
    return [_cell(str(flat[name])) for name in COLUMNS]


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _lines(rows: Sequence[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()
