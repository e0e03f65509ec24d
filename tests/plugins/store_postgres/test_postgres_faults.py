"""Databases that are missing, refuse, are full or of others: an error that names the setting and the remedy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.storage import NewExecution
from jackfield.testing.daemon import free_port
from jackfield.testing.postgres import PASSWORD, PostgresServer
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]


def new(ident: str, size: int = 1) -> NewExecution:
    return NewExecution(ident, None, 1, "manual", "running", 1, b"x" * size)


async def refusal(store: PostgresStore) -> str:
    with pytest.raises(ConfigurationError) as raised:
        await store.open()
    assert PASSWORD not in raised.value.message
    return raised.value.message


async def test_no_server(new_store: NewStore) -> None:
    store = new_store(dsn=f"postgresql://me:{PASSWORD}@127.0.0.1:{free_port()}/x")
    with pytest.raises(StoreUnavailable, match=r"does not answer .*store\.postgres\.dsn") as raised:
        await store.open()
    assert PASSWORD not in raised.value.message


async def test_a_server_that_starts_later_is_waited_for(own_server: PostgresServer, new_store: NewStore) -> None:
    own_server.stop()
    store = new_store(dsn=own_server.dsn(), start_timeout=60)
    opening = asyncio.create_task(store.open())
    await asyncio.to_thread(own_server.start)
    await opening
    await store.check()


async def test_a_wrong_password(jackfield_postgres: PostgresServer, new_store: NewStore) -> None:
    message = await refusal(new_store(dsn=jackfield_postgres.dsn(password="not-this-one")))
    assert "password authentication failed" in message
    assert "store.postgres.dsn" in message
    assert "not-this-one" not in message


async def test_a_missing_database(jackfield_postgres: PostgresServer, new_store: NewStore) -> None:
    assert '"nowhere" does not exist' in await refusal(new_store(dsn=jackfield_postgres.dsn("nowhere")))


@pytest.mark.parametrize("dsn", ["postgresql//me:secret-word@host", "secret-word", "postgresql://me:secret-word@[host"])
def test_an_address_that_cannot_be_read_is_not_shown(new_store: NewStore, dsn: str) -> None:
    with pytest.raises(ConfigurationError, match=r"store\.postgres\.dsn") as raised:
        new_store(dsn=dsn)
    assert "secret-word" not in f"{raised.value.message} {raised.value.__cause__}"


async def test_an_address_that_leads_nowhere_is_not_shown(new_store: NewStore) -> None:
    store = new_store(dsn="postgresql://me:secret-word@127.0.0.1:port/")
    with pytest.raises((ConfigurationError, StoreUnavailable)) as raised:
        await store.open()
    assert "secret-word" not in raised.value.message


async def test_tables_of_another_program(jackfield_postgres: PostgresServer, new_store: NewStore, schema: str) -> None:
    jackfield_postgres.run(f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.users (id int)")
    assert "another program; set store.postgres.schema_name" in await refusal(new_store())


async def test_a_newer_schema(
    jackfield_postgres: PostgresServer, new_store: NewStore, store: PostgresStore, schema: str
) -> None:
    await store.close()
    jackfield_postgres.run(f"UPDATE {schema}.jackfield_schema SET version = 999")
    assert "written by a newer version (schema 999" in await refusal(new_store())


async def test_a_user_who_may_make_no_schema(
    jackfield_postgres: PostgresServer, new_store: NewStore, schema: str
) -> None:
    jackfield_postgres.run(f"CREATE ROLE {schema} LOGIN PASSWORD '{PASSWORD}'")
    dsn = jackfield_postgres.dsn().replace("tester", schema)
    assert "let this user make or own the schema" in await refusal(new_store(dsn=dsn))


async def test_another_encoding(jackfield_postgres: PostgresServer, new_store: NewStore, schema: str) -> None:
    jackfield_postgres.run(f"CREATE DATABASE {schema} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    assert "encoded in LATIN1" in await refusal(new_store(dsn=jackfield_postgres.dsn(schema)))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("53100", "disk of the PostgreSQL server is full"),
        ("53200", "not enough memory"),
        ("58030", "error of its disk"),
        ("25006", "read-only"),
        ("XX001", "damaged data"),
    ],
)
async def test_what_the_server_reports_fails_the_write_and_no_later_one(
    jackfield_postgres: PostgresServer, store: PostgresStore, schema: str, code: str, said: str
) -> None:
    jackfield_postgres.run(
        f"""CREATE FUNCTION {schema}.fail() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$;
        CREATE TRIGGER fail BEFORE INSERT ON {schema}.executions EXECUTE FUNCTION {schema}.fail()"""
    )
    with pytest.raises(StoreUnavailable, match=f"{said}.*; nothing was changed"):
        await store.add_execution(new("e"))
    jackfield_postgres.run(f"DROP TRIGGER fail ON {schema}.executions")
    await store.add_execution(new("e"))


async def test_a_lock_that_is_held_too_long(
    jackfield_postgres: PostgresServer, new_store: NewStore, schema: str
) -> None:
    import psycopg

    store = new_store(timeout=0.4)
    await store.open()
    with psycopg.connect(jackfield_postgres.dsn()) as other:
        other.execute(f"LOCK TABLE {schema}.executions IN ACCESS EXCLUSIVE MODE".encode())
        with pytest.raises(StoreUnavailable):
            await store.add_execution(new("e"))
        with pytest.raises(StoreUnavailable):
            await store.execution("e")
    await store.add_execution(new("f"))
    assert await store.execution("f")


async def test_more_writes_than_may_wait_fail_at_once(own_server: PostgresServer, new_store: NewStore) -> None:
    store = new_store(dsn=own_server.dsn(), queue_size=10, queue_bytes=1_048_576, timeout=1)
    await store.open()
    own_server.freeze()
    try:
        held = [store.append_steps("e", b"x", n) for n in range(10)]
        with pytest.raises(StoreUnavailable, match="Too many writes"):
            await store.append_steps("e", b"x", 10)
        results = await asyncio.gather(*held, return_exceptions=True)
        assert {type(each) for each in results} == {StoreUnavailable}
    finally:
        own_server.thaw()


async def test_an_outage_shorter_than_the_limit_is_not_noticed(own_server: PostgresServer, new_store: NewStore) -> None:
    store = new_store(dsn=own_server.dsn(), timeout=30)
    await store.open()
    await store.add_execution(new("before"))
    own_server.kill()
    waiting = [store.add_execution(new(f"e{n}")) for n in range(5)]
    reading = asyncio.create_task(store.execution("before"))
    await asyncio.to_thread(own_server.start)
    await asyncio.gather(*waiting)
    assert await reading
    assert len(await store.known_executions([f"e{n}" for n in range(5)])) == 5


async def test_an_outage_is_logged_once_without_the_address(
    own_server: PostgresServer, new_store: NewStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    store = new_store(dsn=own_server.dsn(), timeout=0.6)
    await store.open()
    own_server.stop()
    for n in range(2):
        with pytest.raises(StoreUnavailable):
            await store.add_execution(new(f"e{n}"))
    await asyncio.to_thread(own_server.start)
    await asyncio.sleep(0)
    while True:
        try:
            await store.add_execution(new("after"))
            break
        except StoreUnavailable:
            continue
    told = [record.getMessage() for record in caplog.records if "store" in record.getMessage().lower()]
    assert [each[:30] for each in told] == ["The store does not answer: The", "The store answers again."]
    assert PASSWORD not in caplog.text
