from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))

import servers
from integration_fakes import Bench

from jackfield.testing.certificates import self_signed


@pytest.fixture
def make_bench(tmp_path: Path) -> Callable[..., Bench]:
    """Makes a bench with these settings."""

    def make(**settings: Any) -> Bench:
        return Bench(tmp_path, {"allowed_hosts": ["127.0.0.1", "localhost"]} | settings)

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for `localhost`, and its key."""
    return self_signed(tmp_path_factory.mktemp("certificate"), "localhost")


@pytest.fixture(scope="session")
def postgres(certificate: tuple[Path, Path]) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("psycopg")
    try:
        with servers.postgres_server(*certificate) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"PostgreSQL: {exc}")


@pytest.fixture(scope="session")
def mariadb(certificate: tuple[Path, Path]) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("aiomysql")
    try:
        with servers.mariadb_server(*certificate) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"MariaDB: {exc}")


@pytest.fixture(scope="session")
def redis(certificate: tuple[Path, Path]) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("redis")
    try:
        with servers.redis_server(*certificate) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"Redis: {exc}")


@pytest.fixture(scope="session")
def imap(certificate: tuple[Path, Path]) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("imapclient")
    try:
        with servers.imap_server(*certificate) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"IMAP: {exc}")


@pytest.fixture(scope="session")
def mqtt() -> Iterator[Mapping[str, str]]:
    pytest.importorskip("aiomqtt")
    try:
        with servers.mqtt_server() as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"MQTT: {exc}")


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[Mapping[str, str]]:
    pytest.importorskip("aio_pika")
    try:
        with servers.rabbit_server() as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"RabbitMQ: {exc}")


@pytest.fixture(scope="session")
def kafka(certificate: tuple[Path, Path]) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("aiokafka")
    try:
        with servers.kafka_server(*certificate) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"Kafka: {exc}")


@pytest.fixture(scope="session")
def mongo() -> Iterator[Mapping[str, str]]:
    pytest.importorskip("pymongo")
    try:
        with servers.mongo_server() as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"MongoDB: {exc}")


@pytest.fixture(scope="session")
def ldap(certificate: tuple[Path, Path]) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("ldap3")
    try:
        with servers.ldap_server(*certificate) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"OpenLDAP: {exc}")
