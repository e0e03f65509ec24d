"""Which bus the settings give, and what happens without its server."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from jackfield.api.errors import ConfigurationError
from jackfield.testing.context import FakeContext
from jackfield.testing.contracts.bus import until
from jackfield.testing.daemon import HOST, free_port
from jackfield.testing.nats import NatsServer, NoNats, program
from jackfield.testing.store import MemoryStore

SECRET = "correct-horse-battery"


class PostgresLike(MemoryStore):
    """A store that tells the bus where its server is."""

    dsn = f"postgresql://tester:{SECRET}@{HOST}:1/postgres"


def test_the_bus_over_postgresql_takes_the_address_of_the_store(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    from jackfield_bus_pg.making import postgres_bus

    context = FakeContext(tmp_path, ports={"Store": PostgresLike()})
    assert postgres_bus(context).password == SECRET
    assert SECRET in context.secrets.redacted


def test_an_address_of_its_own_comes_first(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    from jackfield_bus_pg.making import postgres_bus
    from jackfield_bus_pg.settings import PostgresBusSettings

    settings = PostgresBusSettings(dsn=f"postgresql://other:of-its-own@{HOST}/postgres")
    context = FakeContext(tmp_path, tables=[settings], ports={"Store": PostgresLike()})
    assert postgres_bus(context).password == "of-its-own"


@pytest.mark.parametrize(
    ("dsn", "said"), [("", r"bus\.pg\.dsn"), ("postgresql://[half", "libpq"), ("no address", "libpq")]
)
def test_without_an_address_there_is_no_bus_over_postgresql(tmp_path: Path, dsn: str, said: str) -> None:
    pytest.importorskip("psycopg")
    from jackfield_bus_pg.making import postgres_bus
    from jackfield_bus_pg.settings import PostgresBusSettings

    context = FakeContext(tmp_path, tables=[PostgresBusSettings(dsn=dsn)], ports={"Store": MemoryStore()})
    with pytest.raises(ConfigurationError, match=said):
        postgres_bus(context)


@pytest.mark.parametrize("server", ["", "hidden:4222", "http://hidden", "nats://", "nats://hidden:port"])
def test_what_is_no_address_of_nats_is_refused_unquoted(tmp_path: Path, server: str) -> None:
    pytest.importorskip("nats")
    from jackfield_bus_nats.making import nats_bus
    from jackfield_bus_nats.settings import NatsBusSettings

    context = FakeContext(tmp_path, tables=[NatsBusSettings(servers=[server])])
    with pytest.raises(ConfigurationError, match=r"bus\.nats\.servers") as refused:
        nats_bus(context)
    assert "hidden" not in str(refused.value)


async def test_a_daemon_begins_without_its_server_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("nats")
    from jackfield_bus_nats.making import nats_bus
    from jackfield_bus_nats.settings import NatsBusSettings

    try:
        program()
    except NoNats as exc:
        pytest.skip(str(exc))
    server = NatsServer()
    address = f"nats://tester:{SECRET}@{HOST}:{server.port}"
    bus = nats_bus(FakeContext(tmp_path, tables=[NatsBusSettings(servers=[address])]))
    with caplog.at_level(logging.INFO):
        await bus.open()
        bus.publish("t", {})
        await until(lambda: "does not work" in caplog.text)
        assert not bus.connected
        server.start()
        try:
            await until(lambda: bus.connected)
            await bus.close()
        finally:
            server.kill()
    assert caplog.text.count("The bus does not work") == 1
    assert "The bus works again" in caplog.text
    assert SECRET not in caplog.text


async def test_a_server_that_is_not_there_is_no_error_of_the_daemon(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("psycopg")
    from jackfield_bus_pg.making import postgres_bus
    from jackfield_bus_pg.settings import PostgresBusSettings

    address = f"postgresql://tester:{SECRET}@{HOST}:{free_port()}/postgres"
    bus = postgres_bus(FakeContext(tmp_path, tables=[PostgresBusSettings(dsn=address)], ports={"Store": MemoryStore()}))
    await bus.open()
    bus.publish("t", {})
    await until(lambda: "The bus does not work" in caplog.text)
    await bus.close()
    assert SECRET not in caplog.text
