"""The store behind PgBouncer in transaction mode, where each transaction may get another connection to the server."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from jackfield.api.ids import new_id
from jackfield.api.storage import Delivery, FinishedExecution, Incarnation, NewExecution, StoredWorkflow
from jackfield.testing.daemon import HOST, free_port, poll
from jackfield.testing.postgres import PASSWORD, USER, PostgresServer
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]


def account() -> str | None:
    """PgBouncer refuses to run as root."""
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name if os.geteuid() == 0 else None
    return None


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), 1):
        return True
    return False


@pytest.fixture
def pooler(jackfield_postgres: PostgresServer) -> Iterator[int]:
    """Its port. Two connections to the server serve everybody."""
    program = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="jackfield-pooler-") as name:
        home, user = Path(name), account()
        (home / "users").write_text(f'"{USER}" "{PASSWORD}"\n')
        (home / "settings").write_text(
            f"[databases]\n* = host={HOST} port={jackfield_postgres.port}\n[pgbouncer]\nlisten_addr = {HOST}\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {home}/users\n"
            "pool_mode = transaction\ndefault_pool_size = 2\n"
        )
        for file in (home, *home.iterdir()):
            if user:
                shutil.chown(file, user)
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([program, str(home / "settings")], user=user, stdout=quiet, stderr=quiet, cwd="/")
        try:
            poll(lambda: listens(port), "PgBouncer listens")
            yield port
        finally:
            process.terminate()
            process.wait(10)


async def test_everything_works_behind_a_pooler(
    jackfield_postgres: PostgresServer, pooler: int, new_store: NewStore
) -> None:
    stores = [new_store(dsn=jackfield_postgres.dsn(port=pooler), timeout=20) for _ in range(3)]
    await asyncio.gather(*(store.open() for store in stores))
    owners = [new_id() for _ in stores]
    for n, (store, owner) in enumerate(zip(stores, owners, strict=True)):
        await store.register(Incarnation(owner, f"d{n}", 60_000))
        await store.add_workflow(StoredWorkflow(f"w{n}", f"W{n}", False, 1, {"a": "b\x00"}, 1, 1), [], None, tags=["t"])

    async def life(store: PostgresStore, owner: str, n: int) -> None:
        ident = f"{owner}-{n}"
        key = Delivery("h", ident, 9)
        await store.add_execution(NewExecution(ident, None, 1, "webhook", "running", 1, b"", delivery=key, owner=owner))
        await store.append_steps(ident, b"[0]", 0, owner)
        assert (await store.delivery("h", ident, 1)) is not None
        await store.finish_execution(FinishedExecution(ident, "success", 9, 1, b"[1]", number=1, owner=owner))

    pairs = list(zip(stores, owners, strict=True))
    await asyncio.gather(*(life(store, owner, n) for store, owner in pairs for n in range(30)))
    for store, owner in pairs:
        renewals = store.renewals(owner)
        await renewals.renew()
        await renewals.close()
        found = await stores[0].execution(f"{owner}-29")
        assert found is not None
        assert (found.row.status, list(found.steps)) == ("success", [b"[0]", b"[1]"])
        assert await store.claim_executions(owner, statuses=("queued", "running"), limit=9) == []
    assert (await stores[0].tags(offset=0, limit=9)).total == 1
    ours = jackfield_postgres.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'jackfield'")
    assert ours[0][0] <= 2


async def test_two_stores_of_one_database_do_not_meet(
    jackfield_postgres: PostgresServer, pooler: int, new_store: NewStore
) -> None:
    """They even share connections to the server, and one schema's name is a word of SQL in upper case."""
    names = [jackfield_postgres.new_name(), "Select"]
    dsn = jackfield_postgres.dsn(port=pooler)
    first, second = (new_store(dsn=dsn, schema_name=name, timeout=20) for name in names)
    await asyncio.gather(first.open(), second.open())
    for n in range(10):
        await asyncio.gather(
            first.add_workflow(StoredWorkflow(f"w{n}", "First", False, 1, {}, 1, 1), [], None),
            second.add_workflow(StoredWorkflow(f"w{n}", "Second", False, 1, {}, 1, 1), [], None),
        )
        one, other = await asyncio.gather(first.workflow(f"w{n}"), second.workflow(f"w{n}"))
        assert one is not None
        assert other is not None
        assert (one.name, other.name) == ("First", "Second")
    found = "SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relname = 'workflows'"
    assert {name for (name,) in jackfield_postgres.run(found)} >= set(names)
    assert jackfield_postgres.run('SELECT DISTINCT name FROM "Select".workflows') == [("Second",)]
