from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

from integration_fakes import Bench
from server_fixtures import certificate, imap, kafka, ldap, mariadb, mongo, mqtt, postgres, rabbitmq, redis

__all__ = ["certificate", "imap", "kafka", "ldap", "mariadb", "mongo", "mqtt", "postgres", "rabbitmq", "redis"]


@pytest.fixture
def make_bench(tmp_path: Path) -> Callable[..., Bench]:
    """Makes a bench with these settings."""

    def make(**settings: Any) -> Bench:
        return Bench(tmp_path, {"allowed_hosts": ["127.0.0.1", "localhost"]} | settings)

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
