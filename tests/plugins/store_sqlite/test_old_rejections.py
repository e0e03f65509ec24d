"""Counters of webhooks from before rejected calls had one of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from jackfield.api.storage import WebhookStats
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

_CALL = "INSERT INTO calls VALUES (?, ?, ?, NULL, 1, 'POST', ?, 0, NULL, NULL, 0, '')"


async def test_what_is_left_of_the_total_was_rejected(
    new_store: Callable[..., SqliteStore], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for calls that are open. Where no rejected call is known nothing is guessed."""
    before = next(number for number, step in enumerate(MIGRATIONS) if "ADD COLUMN rejected" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, database)
        connection.execute("INSERT INTO webhook_stats VALUES ('h', 9, 3, 1, 7), ('quiet', 4, 1, 0, 7)")
        for number, (hook, status) in enumerate([("h", "rejected"), ("h", "pending"), ("quiet", "pending")]):
            connection.execute(_CALL, (hook, f"c{number}", number, status))
    store = new_store()
    await store.open()
    assert await store.webhook_stats("h") == WebhookStats(9, 3, 1, 4, 7)
    assert await store.webhook_stats("quiet") == WebhookStats(4, 1, 0, 0, 7)
