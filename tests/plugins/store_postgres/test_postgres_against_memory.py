"""Random sequences of verbs: PostgreSQL and the dictionaries of `MemoryStore` agree after every one."""

from __future__ import annotations

import logging

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from jackfield.api.storage import Store
from jackfield.testing.contracts.stores.machine import StoresAgree
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore


def test_stores(jackfield_postgres: PostgresServer) -> None:
    class Stores(StoresAgree):
        """One schema, emptied before each sequence."""

        def made(self) -> Store:
            jackfield_postgres.empty("random")
            given = PostgresSettings(dsn=jackfield_postgres.dsn(), schema_name="random", readers=1, timeout=20)
            return PostgresStore(given, logging.getLogger("jackfield.test"))

    wanted = settings(max_examples=30, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Stores, settings=wanted)
