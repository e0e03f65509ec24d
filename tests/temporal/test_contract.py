"""The contract of engines, over Temporal."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.testing.contracts.engine import EngineContract, Restart
from jackfield.testing.contracts.engine_bench import Control, opened_bench
from jackfield.testing.temporal import NAMESPACE, TemporalServer


class TestTemporal(EngineContract):
    """One daemon on SQLite, with the real server."""

    engine_name = "temporal"

    @pytest.fixture
    def restart(self, tmp_path: Path, control: Control, temporal: TemporalServer) -> Restart:
        settings = {
            "engine.name": self.engine_name,
            "engine.temporal.address": temporal.address,
            "engine.temporal.namespace": NAMESPACE,
            "engine.temporal.task_queue": tmp_path.name,
            "engine.temporal.heartbeat_timeout": "2",
            "engine.temporal.host_patience": "1",
        }
        return lambda: opened_bench(tmp_path, settings, control)
