"""The contract of engines: over Temporal, and over three daemons that share a PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.testing.contracts.engine import EngineContract, Restart
from jackfield.testing.contracts.engine_bench import Control, opened_bench
from jackfield.testing.contracts.engine_fleet import opened_fleet
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.temporal import NAMESPACE, TemporalServer


def temporal_settings(temporal: TemporalServer, queue: str) -> dict[str, str]:
    return {
        "engine.name": "temporal",
        "engine.temporal.address": temporal.address,
        "engine.temporal.namespace": NAMESPACE,
        "engine.temporal.task_queue": queue,
        "engine.temporal.heartbeat_timeout": "2",
        "engine.temporal.host_patience": "1",
    }


@pytest.fixture
def shared(jackfield_postgres: PostgresServer) -> dict[str, str]:
    """Settings of daemons that share a store."""
    jackfield_postgres.empty("engines")
    return {
        "store.name": "postgres",
        "store.postgres.dsn": jackfield_postgres.dsn(),
        "store.postgres.schema_name": "engines",
        "store.postgres.readers": "2",
        "bus.name": "pg",
        "executions.claim_interval": "0.2",
        "executions.renewal_interval": "0.2",
    }


class TestThreeDaemons(EngineContract):
    """The engine that comes with Jackfield, in three daemons."""

    @pytest.fixture
    def restart(self, tmp_path: Path, control: Control, shared: dict[str, str]) -> Restart:
        return lambda: opened_fleet(tmp_path, shared, control)


class TestTemporal(EngineContract):
    """One daemon on SQLite, with the real server."""

    engine_name = "temporal"

    @pytest.fixture
    def restart(self, tmp_path: Path, control: Control, temporal: TemporalServer) -> Restart:
        settings = temporal_settings(temporal, tmp_path.name)
        return lambda: opened_bench(tmp_path, settings, control)


class TestTemporalWithThreeDaemons(EngineContract):
    """Three daemons on PostgreSQL, with the real server."""

    engine_name = "temporal"

    @pytest.fixture
    def restart(self, tmp_path: Path, control: Control, temporal: TemporalServer, shared: dict[str, str]) -> Restart:
        settings = {**temporal_settings(temporal, tmp_path.name), **shared}
        return lambda: opened_fleet(tmp_path, settings, control)
