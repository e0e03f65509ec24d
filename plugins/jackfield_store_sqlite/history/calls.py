"""Webhooks, their calls, counters and deliveries."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from jackfield.api.errors import StoreUnavailable
from jackfield.api.sql.conditions import where
from jackfield.api.sql.queries import Query
from jackfield.api.storage import (
    CallStatus,
    CallUpdate,
    Delivery,
    NewCall,
    Page,
    StoredAnswer,
    StoredCall,
    StoredDelivery,
    Webhook,
    WebhookStats,
    Within,
)
from jackfield_store_sqlite.contents.call_texts import JOINED, TEXTS, texts_of
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.history.ownership import Lives
from jackfield_store_sqlite.rows import Value, execute
from jackfield_store_sqlite.within import limited
from jackfield_store_sqlite.writing.batch import SqliteBatch

_AT_ONCE = 200
"""Calls that one transaction deletes, so that it is short."""
_OVERHEAD = 500
"""Bytes that a small queued change is taken to hold."""


def _webhook(
    id: str, workflow_id: str, workflow_name: str, node_id: str, node_name: str, method: str, path: str, pattern: str,
    authentication: str, active: int, created_at: int, kind: str,
) -> Webhook:  # fmt: skip
    return Webhook(
        id,
        workflow_id,
        workflow_name,
        node_id,
        node_name,
        method,
        path,
        pattern,
        authentication,
        bool(active),
        created_at,
        kind,
    )


def _call(
    id: str, webhook_id: str, execution_id: str | None, time: int, method: str, headers: bytes, truncated: int,
    status: CallStatus, response_status: int | None, response_truncated: int, duration_ms: int | None, query: str,
    event: str, *texts: Any,  # Any: of `TEXTS`
) -> StoredCall:  # fmt: skip
    masked: Mapping[str, str] = orjson.loads(headers or b"{}")
    body, answer = texts_of(*texts)
    return StoredCall(
        id, webhook_id, execution_id, time, method, masked, body, bool(truncated), status, response_status,
        answer, bool(response_truncated), duration_ms, query, event,
    )  # fmt: skip


def _stats_by_id(
    webhook_id: str, total: int, success: int, failed: int, rejected: int, last_call: int | None
) -> tuple[str, WebhookStats]:
    return webhook_id, WebhookStats(total, success, failed, rejected, last_call)


def _delivery(
    execution_id: str, status: int | None, headers: bytes | None, body: bytes | None, fingerprint: str
) -> StoredDelivery:
    if status is None:
        return StoredDelivery(execution_id, None, fingerprint)
    pairs = [(name, value) for name, value in orjson.loads(headers or b"[]")]
    return StoredDelivery(execution_id, StoredAnswer(status, pairs, body or b""), fingerprint)


_WEBHOOKS = Query(
    SQL,
    """r.id, r.workflow_id, w.name, r.node_id, r.node_name, r.method, r.path, r.pattern, r.authentication, r.active,
    r.created_at, r.kind""",
    "registrations r JOIN workflows w ON w.id = r.workflow_id",
    "r.created_at DESC, r.id DESC",
    _webhook,
    "registrations r",
)
_CALLS = Query(
    SQL,
    f"""c.id, c.webhook_id, c.execution_id, c.time, c.method, d.headers, c.truncated, c.status, c.response_status,
    c.response_truncated, c.duration_ms, d.query, d.event, {TEXTS}""",
    f"calls c {JOINED}",
    "c.time DESC, c.id DESC",
    _call,
    "calls c",
)
_STATS = Query(SQL, "total, success, failed, rejected, last_call", "webhook_stats", "webhook_id", WebhookStats)
_STATS_BY_ID = Query(
    SQL, "webhook_id, total, success, failed, rejected, last_call", "webhook_stats", "webhook_id", _stats_by_id
)
_DELIVERIES = Query(SQL, "execution_id, status, headers, body, fingerprint", "deliveries", "key", _delivery)


class SqliteWebhooks:
    """Part of the store port."""

    _db: SqliteDatabase
    _lives: Lives

    async def webhooks(
        self,
        *,
        offset: int,
        limit: int,
        active: bool | None,
        workflow_id: str | None,
        kind: str | Sequence[str] = "webhook",
        within: Within | None = None,
    ) -> Page[Webhook]:
        kinds = [kind] if isinstance(kind, str) else list(kind)
        one = kinds[0] if len(kinds) == 1 else None
        several = None if one is not None else orjson.dumps(kinds).decode()
        clause, values = where(
            [("r.kind = ?", one), ("r.kind IN (SELECT value FROM json_each(?))", several),
             ("r.active = ?", active if active is None else int(active)), ("r.workflow_id = ?", workflow_id)]
        )  # fmt: skip
        clause, values = limited(clause, values, "workflow", "r.workflow_id", within)
        return await self._db.read(lambda connection: _WEBHOOKS.page(connection, clause, values, offset, limit))

    async def webhook(self, webhook_id: str) -> Webhook | None:
        return await self._db.read(lambda connection: _WEBHOOKS.one(connection, "r.id = ?", webhook_id))

    async def webhooks_by_path(self, path: str, kind: str = "webhook") -> list[Webhook]:
        clause = " WHERE r.kind = ? AND r.path = ?"
        return await self._db.read(lambda connection: _WEBHOOKS.every(connection, clause, kind, path))

    async def webhook_stats(self, webhook_id: str) -> WebhookStats:
        found = await self._db.read(lambda connection: _STATS.one(connection, "webhook_id = ?", webhook_id))
        return found or WebhookStats()

    async def webhooks_stats(self, webhook_ids: Sequence[str]) -> dict[str, WebhookStats]:
        clause = " WHERE webhook_id IN (SELECT value FROM json_each(?))"
        ids = orjson.dumps(list(webhook_ids)).decode()
        return dict(await self._db.read(lambda connection: _STATS_BY_ID.every(connection, clause, ids)))

    def add_call(self, call: NewCall) -> asyncio.Future[None]:
        return self._db.post(
            lambda batch: batch.add_call(call), len(call.body) + len(call.headers) + len(call.query) + _OVERHEAD
        )

    def count_calls(
        self, webhook_id: str, count: int, time: int, status: CallStatus = "pending"
    ) -> asyncio.Future[None]:
        return self._db.post(lambda batch: batch.count_calls(webhook_id, count, time, status), _OVERHEAD)

    def update_call(
        self, update: CallUpdate, delivery: tuple[Delivery, StoredAnswer] | None = None, owner: str | None = None
    ) -> asyncio.Future[None]:
        def run(batch: SqliteBatch) -> None:
            if owner is not None:
                self._lives.number_of(owner)
            if delivery is not None:
                batch.answer_delivery(*delivery)
            batch.update_call(update)

        size = len(update.response_body or "") + (len(delivery[1].body) if delivery else 0)
        return self._db.post(run, size + _OVERHEAD)

    async def calls(self, webhook_id: str, *, status: str | None, offset: int, limit: int) -> Page[StoredCall]:
        clause, values = where([("c.webhook_id = ?", webhook_id), ("c.status = ?", status)])
        return await self._db.read(lambda connection: _CALLS.page(connection, clause, values, offset, limit))

    async def delivery(self, webhook_id: str, key: str, now: int) -> StoredDelivery | None:
        condition = "webhook_id = ? AND key = ? AND expires_at > ?"
        return await self._db.read(lambda connection: _DELIVERIES.one(connection, condition, webhook_id, key, now))


async def forget_histories(database: SqliteDatabase, webhook_ids: Sequence[str]) -> None:
    """Delete what webhooks that are gone have left, step by step.

    A row that cannot be deleted now ends with its age.
    """
    with contextlib.suppress(StoreUnavailable):
        for webhook_id in webhook_ids:
            while await database.write(functools.partial(_forget_some, database=database, webhook_id=webhook_id)):
                pass


def _forget_some(connection: sqlite3.Connection, *, database: SqliteDatabase, webhook_id: str) -> bool:
    """False when there was nothing left."""
    values: list[Value] = [webhook_id, _AT_ONCE]
    rows = execute(connection, "SELECT webhook_id, id, data FROM calls WHERE webhook_id = ? LIMIT ?", values).fetchall()
    gone = database.remove_calls(connection, rows)
    sql = "DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE webhook_id = ? LIMIT ?)"
    gone += execute(connection, sql, values).rowcount
    return gone + execute(connection, "DELETE FROM webhook_stats WHERE webhook_id = ?", [webhook_id]).rowcount > 0
