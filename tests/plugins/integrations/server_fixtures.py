"""Fixtures of real servers on loopback. Each gives the values of a credential; where the server's programs or the
client's library are not installed, the tests that want it are skipped."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import servers

from jackfield.testing.certificates import self_signed

Values = Mapping[str, str]
Server = AbstractContextManager[Values]


@contextlib.contextmanager
def installed(name: str, server: Server) -> Iterator[Values]:
    """What the server gives. name: as people know it."""
    try:
        with server as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"{name}: {exc}")


def server_fixture(name: str, library: str, start: Callable[[tuple[Path, Path]], Server]) -> Any:
    """One server for all tests of a session. start: with a certificate for `localhost` and its key. A fixture's type is
    pytest's own, hence Any."""

    @pytest.fixture(scope="session")
    def values(certificate: tuple[Path, Path]) -> Iterator[Values]:
        pytest.importorskip(library)
        with installed(name, start(certificate)) as found:
            yield found

    return values


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for `localhost`, and its key."""
    return self_signed(tmp_path_factory.mktemp("certificate"), "localhost")


postgres = server_fixture("PostgreSQL", "psycopg", lambda signed: servers.postgres_server(*signed))
mariadb = server_fixture("MariaDB", "aiomysql", lambda signed: servers.mariadb_server(*signed))
redis = server_fixture("Redis", "redis", lambda signed: servers.redis_server(*signed))
imap = server_fixture("IMAP", "imapclient", lambda signed: servers.imap_server(*signed))
mqtt = server_fixture("MQTT", "aiomqtt", lambda signed: servers.mqtt_server())
rabbitmq = server_fixture("RabbitMQ", "aio_pika", lambda signed: servers.rabbit_server())
kafka = server_fixture("Kafka", "aiokafka", lambda signed: servers.kafka_server(*signed))
mongo = server_fixture("MongoDB", "pymongo", lambda signed: servers.mongo_server())
ldap = server_fixture("OpenLDAP", "ldap3", lambda signed: servers.ldap_server(*signed))
