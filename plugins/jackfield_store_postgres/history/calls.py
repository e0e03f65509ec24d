"""Webhooks, their calls, counters and deliveries."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Mapping, Sequence

import orjson

from jackfield.api.call_places import body_in, read
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
from jackfield_store_postgres.caps import PostgresCaps
from jackfield_store_postgres.contents.places import OWN_BODY, PLACED, PLACES
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.dialect import SQL
from jackfield_store_postgres.rows import Value, execute
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.within import limited
from jackfield_store_postgres.writing.batch import PostgresBatch

_AT_ONCE = 200
"""Calls that one transaction deletes, so that it is short."""
_OVERHEAD = 500
"""Bytes that a small queued change is taken to hold."""


def _webhook(
    id: str, workflow_id: str, workflow_name: str, node_id: str, node_name: str, method: str, path: str, pattern: str,
    authentication: str, active: bool, created_at: int, kind: str,
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
        active,
        created_at,
        kind,
    )


def _call(
    id: str, webhook_id: str, execution_id: str | None, time: int, method: str, headers: bytes, body: str,
    truncated: bool, status: CallStatus, response_status: int | None, response_body: str, response_truncated: bool,
    duration_ms: int | None, query: str, event: str, places: str, given: bytes | None,
) -> StoredCall:  # fmt: skip
    masked: Mapping[str, str] = orjson.loads(headers or b"{}")
    if given is not None:
        body = body_in(given, read(places))
    return StoredCall(
        id, webhook_id, execution_id, time, method, masked, body, truncated, status, response_status,
        response_body, response_truncated, duration_ms, query, event,
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
    f"""c.id, c.webhook_id, c.execution_id, c.time, c.method, c.headers, {OWN_BODY}, c.truncated, c.status,
    c.response_status, c.response_body, c.response_truncated, c.duration_ms, c.query, c.event,
    {PLACES}, e.input""",
    f"calls c LEFT JOIN executions e ON {PLACED} AND e.id = c.execution_id",
    "c.time DESC, c.id DESC",
    _call,
    "calls c",
)
_STATS = Query(
    SQL,
    "webhook_id, sum(total)::bigint, sum(success)::bigint, sum(failed)::bigint, sum(rejected)::bigint, max(last_call)",
    "webhook_stats",
    "webhook_id",
    _stats_by_id,
)
_DELIVERIES = Query(SQL, "execution_id, status, headers, body, fingerprint", "deliveries", "key", _delivery)


_FORGET = (
    """DELETE FROM calls WHERE webhook_id = %s AND id IN (
        SELECT id FROM calls WHERE webhook_id = %s LIMIT %s FOR UPDATE SKIP LOCKED)""",
    """DELETE FROM deliveries WHERE webhook_id = %s AND key IN (
        SELECT key FROM deliveries WHERE webhook_id = %s LIMIT %s FOR UPDATE SKIP LOCKED)""",
)


class PostgresWebhooks:
    """Part of the store port."""

    _db: PostgresDatabase
    _caps: PostgresCaps

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
        clause, values = where(
            [("r.kind = ANY(%s)", kinds), ("r.active = %s", active), ("r.workflow_id = %s", workflow_id)]
        )
        clause, values = limited(clause, values, "workflow", "r.workflow_id", within)
        return await self._db.read(lambda connection: _WEBHOOKS.page(connection, clause, values, offset, limit))

    async def webhook(self, webhook_id: str) -> Webhook | None:
        return await self._db.read(lambda connection: _WEBHOOKS.one(connection, "r.id = %s", webhook_id))

    async def webhooks_by_path(self, path: str, kind: str = "webhook") -> list[Webhook]:
        clause = " WHERE r.kind = %s AND r.path = %s"
        return await self._db.read(lambda connection: _WEBHOOKS.every(connection, clause, kind, path))

    async def webhook_stats(self, webhook_id: str) -> WebhookStats:
        return (await self.webhooks_stats([webhook_id])).get(webhook_id, WebhookStats())

    async def webhooks_stats(self, webhook_ids: Sequence[str]) -> dict[str, WebhookStats]:
        clause = " WHERE webhook_id = ANY(%s) GROUP BY webhook_id"
        ids = list(webhook_ids)
        return dict(await self._db.read(lambda connection: _STATS.every(connection, clause, ids)))

    def add_call(self, call: NewCall) -> asyncio.Future[None]:
        size = len(call.body) + len(call.headers) + len(call.query) + _OVERHEAD
        return self._caps.call(call.webhook_id, self._db.post(lambda batch: batch.add_call(call), size))

    def count_calls(
        self, webhook_id: str, count: int, time: int, status: CallStatus = "pending"
    ) -> asyncio.Future[None]:
        return self._db.post(lambda batch: batch.count_calls(webhook_id, count, time, status), _OVERHEAD)

    def update_call(
        self, update: CallUpdate, delivery: tuple[Delivery, StoredAnswer] | None = None, owner: str | None = None
    ) -> asyncio.Future[None]:
        def run(batch: PostgresBatch) -> None:
            if delivery is not None:
                batch.answer_delivery(*delivery)
            batch.update_call(update)

        size = len(update.response_body or "") + (len(delivery[1].body) if delivery else 0)
        return self._db.post(run, size + _OVERHEAD, [owner])

    async def calls(self, webhook_id: str, *, status: str | None, offset: int, limit: int) -> Page[StoredCall]:
        clause, values = where([("c.webhook_id = %s", webhook_id), ("c.status = %s", status)])
        return await self._db.read(lambda connection: _CALLS.page(connection, clause, values, offset, limit))

    async def delivery(self, webhook_id: str, key: str, now: int) -> StoredDelivery | None:
        condition = "webhook_id = %s AND key = %s AND expires_at > %s"
        return await self._db.read(lambda connection: _DELIVERIES.one(connection, condition, webhook_id, key, now))


async def forget_histories(database: PostgresDatabase, webhook_ids: Sequence[str]) -> None:
    """Delete what webhooks that are gone have left, step by step.

    A row that cannot be deleted now ends with its age.
    """
    with contextlib.suppress(StoreUnavailable):
        for webhook_id in webhook_ids:
            while await database.write(functools.partial(_forget_some, webhook_id=webhook_id)):
                pass


def _forget_some(connection: Connection, webhook_id: str) -> bool:
    """False when there was nothing left."""
    values: list[Value] = [webhook_id, webhook_id, _AT_ONCE]
    gone = sum(execute(connection, sql, values).rowcount for sql in _FORGET)
    return gone + execute(connection, "DELETE FROM webhook_stats WHERE webhook_id = %s", [webhook_id]).rowcount > 0
