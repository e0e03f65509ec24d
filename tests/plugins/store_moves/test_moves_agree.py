"""Random stores answer the same after a move to PostgreSQL, and after another one back."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from moves import move

from jackfield.api.storage import Store
from jackfield.testing.contracts.stores.machine import StoresAgree
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

LOG = logging.getLogger("jackfield.test")


def test_answers_stay(jackfield_postgres: PostgresServer) -> None:
    class Stores(StoresAgree):
        """SQLite, whose content is moved at the end."""

        def made(self) -> Store:
            self.directory = tempfile.TemporaryDirectory()
            self.first = self.sqlite("first.db")
            return self.first

        def sqlite(self, name: str) -> SqliteStore:
            return SqliteStore(Path(self.directory.name), SqliteSettings(file=name), LOG)

        def teardown(self) -> None:
            self.loop.run_until_complete(self.store.close())
            jackfield_postgres.empty("moved")
            given = PostgresSettings(dsn=jackfield_postgres.dsn(), schema_name="moved", readers=1, timeout=20)
            middle, last = PostgresStore(given, LOG), self.sqlite("last.db")
            self.moved(self.first, middle)
            self.loop.run_until_complete(middle.close())
            self.moved(middle, last)
            super().teardown()
            self.directory.cleanup()

        def moved(self, source: SqliteStore | PostgresStore, target: SqliteStore | PostgresStore) -> None:
            move(source, target)
            self.store = target
            self.loop.run_until_complete(target.open())
            self.lists_agree()
            self.webhooks_agree()

    wanted = settings(max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Stores, settings=wanted)
