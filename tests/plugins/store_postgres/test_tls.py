"""The connection to the server under TLS, checked in full: its authority and its name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.storage import NewExecution
from jackfield.testing.certificates import self_signed
from jackfield.testing.daemon import HOST
from jackfield.testing.postgres import PASSWORD, USER, PostgresServer
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]
NAME = "db.example"
_IN_USE = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"


@dataclass
class TlsServer:
    server: PostgresServer
    directory: Path

    def __post_init__(self) -> None:
        self.authority, self._key = self_signed(self.directory, NAME)

    def dsn(self, authority: Path, name: str = NAME) -> str:
        """Nothing looks the name up: it counts for the certificate alone."""
        asked = {"hostaddr": HOST, "sslmode": "verify-full", "sslrootcert": authority}
        return f"postgresql://{USER}:{PASSWORD}@{name}:{self.server.port}/postgres?{urlencode(asked)}"

    def begin(self) -> None:
        self.server.present(self.authority, self._key)
        self.server.switch_tls("on")


@pytest.fixture
def tls(jackfield_postgres: PostgresServer, tmp_path: Path) -> Iterator[TlsServer]:
    made = TlsServer(jackfield_postgres, tmp_path)
    made.begin()
    yield made
    made.server.switch_tls("off")


async def refusal(store: PostgresStore) -> str:
    with pytest.raises(ConfigurationError) as raised:
        await store.open()
    assert PASSWORD not in raised.value.message
    return raised.value.message


def in_use(connection: Connection) -> bool:
    row = connection.execute(_IN_USE).fetchone()
    return row is not None and row[0] is True


async def test_a_store_under_tls(tls: TlsServer, new_store: NewStore) -> None:
    store = new_store(dsn=tls.dsn(tls.authority))
    await store.open()
    await store.add_execution(NewExecution("e", None, 1, "manual", "running", 1, b"x"))
    assert await store.execution("e")
    assert await store.database.read(in_use)
    assert await store.database.write(in_use)


async def test_a_server_that_is_not_the_right_one_is_refused_at_once(
    tls: TlsServer, new_store: NewStore, tmp_path: Path
) -> None:
    """Waiting for a server that does not answer, as `start_timeout` has it, would not help."""
    stranger, _ = self_signed(tmp_path, "other.example")
    refused = {
        "certificate verify failed": tls.dsn(stranger),
        'does not match host name "other.example"': tls.dsn(tls.authority, "other.example"),
        "does not exist": tls.dsn(tmp_path / "nowhere.pem"),
    }
    for said, dsn in refused.items():
        message = await refusal(new_store(dsn=dsn, start_timeout=60))
        assert said in message
        assert "sslrootcert" in message


async def test_a_server_without_tls_is_refused(
    jackfield_postgres: PostgresServer, new_store: NewStore, tmp_path: Path
) -> None:
    there = TlsServer(jackfield_postgres, tmp_path)
    message = await refusal(new_store(dsn=there.dsn(there.authority), start_timeout=60))
    assert "does not support SSL" in message


async def test_a_certificate_that_changes_is_named(
    tls: TlsServer, new_store: NewStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = new_store(dsn=tls.dsn(tls.authority), timeout=0.6)
    await store.open()
    tls.server.present(*self_signed(tmp_path, "other.example"))
    tls.server.switch_tls("on")
    tls.server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'jackfield'")
    with pytest.raises(StoreUnavailable, match="certificate of the PostgreSQL server is not accepted"):
        await store.add_execution(NewExecution("e", None, 1, "manual", "running", 1, b"x"))
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert any("certificate" in each for each in told)
    assert PASSWORD not in caplog.text
