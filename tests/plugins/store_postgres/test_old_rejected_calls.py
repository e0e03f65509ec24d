"""Counters of webhooks from before rejected calls had one of their own."""

from __future__ import annotations

import psycopg

from jackfield.api.storage import NewCall, WebhookStats
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.schema import MIGRATIONS
from jackfield_store_postgres.store import PostgresStore


async def test_what_is_left_of_the_total_was_rejected(
    jackfield_postgres: PostgresServer, store: PostgresStore, schema: str
) -> None:
    """But for calls that are open. Where no rejected call is known nothing is guessed."""
    for hook, ident, status in (("h", "a", "rejected"), ("h", "b", "pending"), ("quiet", "c", "pending")):
        await store.add_call(NewCall(ident, hook, 7, "POST", b"{}", "", status=status))  # type: ignore[arg-type]
    await store.count_calls("h", 3, 7)
    step = next(step for step in MIGRATIONS if "ADD COLUMN rejected" in step[0])
    with psycopg.connect(jackfield_postgres.dsn(), options=f"-c search_path={schema}") as connection:
        connection.execute("ALTER TABLE webhook_stats DROP COLUMN rejected")
        for statement in step:
            connection.execute(statement.encode())
    assert await store.webhook_stats("h") == WebhookStats(5, 0, 0, 4, 7)
    assert await store.webhook_stats("quiet") == WebhookStats(1, 0, 0, 0, 7)
