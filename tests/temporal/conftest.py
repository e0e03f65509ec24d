"""One server of Temporal for all tests here, and daemons in processes of their own that use it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.temporal import NAMESPACE, NoTemporalServer, TemporalServer, temporal_server

from .gates import Gates, gates

KEY = "an-encryption-key-that-all-daemons-have"
SECRET = "correct-horse-battery-staple"
StartDaemon = Callable[..., Daemon]


@pytest.fixture(scope="session")
def temporal() -> Iterator[TemporalServer]:
    try:
        with temporal_server() as server:
            yield server
    except NoTemporalServer as exc:
        pytest.skip(str(exc))


@pytest.fixture
def outside() -> Iterator[Gates]:
    """What the nodes of a workflow ask, and what answers them when the test says so."""
    with gates() as found:
        yield found


@pytest.fixture
def new_daemon(tmp_path: Path, temporal: TemporalServer, jackfield_postgres: PostgresServer) -> Iterator[StartDaemon]:
    """`new_daemon("more settings")`: over one PostgreSQL and one Temporal, with a lease of 2 seconds."""
    made: list[Daemon] = []
    schema = f"engine{os.getpid()}"
    jackfield_postgres.empty(schema)

    def make(more: str = "", server: TemporalServer = temporal) -> Daemon:
        settings = (
            f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n[bus]\nname = "pg"\n'
            f'[engine]\nname = "temporal"\n[engine.temporal]\naddress = "{server.address}"\n'
            f'namespace = "{NAMESPACE}"\ntask_queue = "{tmp_path.name}"\nheartbeat_timeout = 2\nhost_patience = 1\n'
            f"look_interval = 1\n{more}"
            '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n[executions]\nlease = 2\nrenewal_interval = 0.4\n'
            "claim_interval = 0.3\nresume_backoff = 0.1\n"
        )
        env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": KEY}
        daemon = Daemon(tmp_path / f"daemon{len(made)}", settings=settings, env=env)
        made.append(daemon)
        return daemon.start()

    yield make
    for daemon in made:
        daemon.close()
