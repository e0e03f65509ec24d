"""Random sequences of verbs: SQLite and the dictionaries of `MemoryStore` agree after every one."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

from jackfield.api.storage import Store
from jackfield.testing.contracts.stores.machine import StoresAgree
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

IN_MEMORY = Path("/dev/shm")


class Stores(StoresAgree):
    """SQLite on a file in memory."""

    def made(self) -> Store:
        self.directory = tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None)
        return SqliteStore(Path(self.directory.name), SqliteSettings(), logging.getLogger("jackfield.test"))

    def teardown(self) -> None:
        super().teardown()
        self.directory.cleanup()


TestStores = Stores.TestCase
TestStores.settings = settings(
    max_examples=30, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
