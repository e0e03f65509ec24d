"""Counts that daemons add up. They are in no batch of the writer: what strangers do must not hold up what is durable.

Each call of `add_counts` is one transaction on a connection of the readers. Its keys are sorted, so that daemons wait
for each other for a moment, and never in a circle. The table is not logged, so that nobody waits for a disk either.
"""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.shared_counts import Counted, SpanCounts
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.server.connections import Connection

_NOW = """SELECT div(extract(epoch FROM clock_timestamp())::numeric, %s::numeric)::bigint,
    mod(extract(epoch FROM clock_timestamp())::numeric, %s::numeric)::double precision"""
_ADD = """WITH added AS (
        INSERT INTO shared_counts AS c (kind, key, span, total, ends_at)
        SELECT %s, t.key, %s, t.count, clock_timestamp() + make_interval(secs => %s)
        FROM unnest(%s::text[], %s::bigint[]) AS t (key, count) ORDER BY t.key
        ON CONFLICT (kind, key, span) DO UPDATE SET total = c.total + excluded.total, ends_at = excluded.ends_at
        RETURNING key, total)
    SELECT a.key, a.total, coalesce(p.total, 0) FROM added a
    LEFT JOIN shared_counts p ON p.kind = %s AND p.key = a.key AND p.span = %s"""
_EXCESS = """DELETE FROM shared_counts WHERE (kind, key, span) IN (
    SELECT kind, key, span FROM shared_counts WHERE kind = %s AND ends_at <= (
        SELECT ends_at FROM shared_counts WHERE kind = %s ORDER BY ends_at DESC OFFSET %s LIMIT 1)
    FOR UPDATE SKIP LOCKED)"""
ENDED_COUNTS = """DELETE FROM shared_counts WHERE (kind, key, span) IN (
    SELECT kind, key, span FROM shared_counts WHERE ends_at <= clock_timestamp() LIMIT %s FOR UPDATE SKIP LOCKED)"""
_AT_ONCE = 10_000
"""Rows that are over and deleted at once."""


class PostgresCounts:
    """`jackfield.api.shared_counts.SharedCounts`"""

    _db: PostgresDatabase
    _added: int
    """Counts since too many were deleted last. So the table has what is wanted, and as much from each daemon."""

    async def add_counts(self, kind: str, added: Mapping[str, int], window: float, most: int) -> SpanCounts:
        self._added += len(added)
        trims = self._added >= most
        if trims:
            self._added = 0

        def work(connection: Connection) -> SpanCounts:
            found = add(connection, kind, added, window)
            if trims:
                execute(connection, ENDED_COUNTS, [_AT_ONCE])
                execute(connection, _EXCESS, [kind, kind, most])
            return found

        return await self._db.write_apart(work)


def add(connection: Connection, kind: str, added: Mapping[str, int], window: float) -> SpanCounts:
    span, age = execute(connection, _NOW, [window, window]).fetchone() or (0, 0.0)
    keys = sorted(added)
    values = [kind, span, 2 * window, keys, [added[key] for key in keys], kind, span - 1]
    rows = execute(connection, _ADD, values).fetchall()
    return SpanCounts(span, age, {key: Counted(now, before) for key, now, before in rows})
