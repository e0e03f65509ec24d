"""Bits that flip inside of rows, where every page still fits: the row is refused by name, and all others serve."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import DataDamaged
from jackfield.api.storage import (
    ApiKey,
    CallUpdate,
    Claimed,
    Credential,
    ExecutionFilter,
    FinishedExecution,
    Incarnation,
    NewExecution,
    StoredWorkflow,
    User,
    Variable,
    WorkflowFilter,
)
from jackfield.testing.context import FakeContext
from jackfield.testing.contracts.stores.rows import call, ended, new
from jackfield_store_sqlite import telling
from jackfield_store_sqlite.damage import digests
from jackfield_store_sqlite.damage.checking import LookProgress, look
from jackfield_store_sqlite.schema import MIGRATIONS, migrate
from jackfield_store_sqlite.store import SqliteStore

NewStore = Callable[..., SqliteStore]
COUNT = 12
EXECUTIONS = [f"execution-{number}" for number in range(COUNT)]
FLIPS = 60
KEY = "(SELECT data FROM executions WHERE id = 'execution-3')"


async def fill(store: SqliteStore) -> None:
    document = {"nodes": [{"name": "n" * 200}]}
    await store.add_workflow(StoredWorkflow("w", "W", False, 1, document, 1, 1), [], None)
    await store.put_credential(Credential("c", "name", "kind", b"sealed" * 20, 1, 1))
    for name in EXECUTIONS:
        new = NewExecution(name, "w", 1, "manual", "queued", 1_700_000_000_000, name.encode() * 200, document=document)
        await store.add_execution(new)
        await store.set_running(name, 2)
        await store.append_steps(name, b"[1]" * 50, 0)
        await store.set_waiting(name, 9, b"[2]" * 50, 1)
        assert await store.end_wait(name, b"[3]" * 50, 2)
        if name != EXECUTIONS[0]:
            await store.finish_execution(
                FinishedExecution(name, "failed", 3, 2, b"[4]", b'{"message": "no"}', number=3)
            )


def change(database: Path, sql: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute(sql)


@pytest.fixture
async def filled(new_store: NewStore) -> SqliteStore:
    store = new_store(timeout=10)
    await store.open()
    await fill(store)
    return store


async def test_what_is_whole_is_read(filled: SqliteStore, database: Path) -> None:
    for name in EXECUTIONS:
        found = await filled.execution(name)
        assert found is not None
        assert found.input == name.encode() * 200
    assert look(database, filled.database.settings, LookProgress(threading.Event())) == []


@pytest.mark.parametrize(
    "sql",
    [  # each changes one row of the same execution
        "UPDATE executions SET status = 'success' WHERE id = 'execution-3'",
        "UPDATE executions SET error = NULL WHERE id = 'execution-3'",
        "UPDATE executions SET created_at = 77 WHERE id = 'execution-3'",
        "UPDATE executions SET workflow_id = CAST(x'ff41' AS TEXT) WHERE id = 'execution-3'",
        "UPDATE executions SET data = 99 WHERE id = 'execution-3'",
        f"UPDATE execution_data SET data = x'00' WHERE id = {KEY}",
        f"UPDATE execution_data SET data = x'00' WHERE execution = {KEY} AND id <> execution",
        f"UPDATE execution_documents SET document = x'7b7d' WHERE data = {KEY}",
    ],
)
async def test_one_damaged_execution(filled: SqliteStore, database: Path, sql: str) -> None:
    change(database, sql)
    with pytest.raises(DataDamaged, match="execution execution-3 is damaged"):
        await filled.execution("execution-3")
    for name in EXECUTIONS:
        assert name == "execution-3" or await filled.execution(name) is not None
    together = await filled.whole_executions(EXECUTIONS, 1_000_000)
    assert sorted(together) == sorted(name for name in EXECUTIONS if name != "execution-3")
    page = await filled.executions(ExecutionFilter(), offset=0, limit=100)
    assert sorted(row.id for row in page.rows) == sorted(EXECUTIONS)
    told = look(database, filled.database.settings, LookProgress(threading.Event()))
    assert told == ["The stored execution execution-3 is damaged; restore it from a backup."]
    assert list(filled.known_damage()) == told, "reading it has told it"


async def test_a_damaged_row_is_listed_as_failed(filled: SqliteStore, database: Path) -> None:
    change(database, "UPDATE executions SET error = x'ff', status = 'succers' WHERE id = 'execution-3'")
    page = await filled.executions(ExecutionFilter(), offset=0, limit=100)
    (row,) = [row for row in page.rows if row.id == "execution-3"]
    assert row.status == "failed"
    assert "is damaged" in orjson.loads(row.error or b"")["message"]


@pytest.mark.parametrize("column", ["call_id", "webhook_id", "status"])
async def test_the_call_of_a_damaged_open_execution_is_found(new_store: NewStore, database: Path, column: str) -> None:
    store = new_store(timeout=10)
    await store.open()
    for name in ("one", "two"):
        await store.add_execution(new(name, call=call(f"call-{name}")))
    change(database, f"UPDATE executions SET {column} = 'other' WHERE id = 'one'")
    with pytest.raises(DataDamaged):
        await store.execution("one")
    assert await store.open_executions(statuses=("running", "queued"), after=None, limit=9) == ["one", "two"]
    assert await store.pending_call("one") == ("call-one", "h")
    await store.finish_execution(ended("one", "failed", call=CallUpdate("call-one", "h", "failed")))
    assert await store.pending_call("one") is None
    assert await store.pending_call("two") == ("call-two", "h")


async def test_a_damaged_workflow_and_credential(filled: SqliteStore, database: Path) -> None:
    change(database, "UPDATE workflow_versions SET document = x'7b7d'")
    change(database, "UPDATE credentials SET kind = 'other'")
    with pytest.raises(DataDamaged, match="workflow w in version 1"):
        await filled.workflow("w")
    with pytest.raises(DataDamaged, match="workflow w in version 1"):
        await filled.workflow_version("w", 1)
    with pytest.raises(DataDamaged, match="credential c"):
        await filled.credential("c")
    assert (await filled.workflows(WorkflowFilter(), offset=0, limit=9)).total == 1
    row = await filled.workflow_row("w")
    assert row is not None
    written = await filled.change_workflow("w", {"nodes": []}, row.name, [], now=2, author=None, expected_version=1)
    assert written == await filled.workflow("w"), "what is damaged can be replaced"
    assert await filled.delete_workflow("w"), "what is damaged can be deleted"
    await filled.put_credential(Credential("c", "name", "kind", b"new", 1, 1))
    assert await filled.credential("c") is not None, "and written anew"


async def with_configuration(store: SqliteStore) -> None:
    await store.add_user(User("u", "ada", "viewer", "hash", 1, 1))
    await store.add_api_key(ApiKey("k", "u", "ci", "jf_1", "sha", ("workflows:read",), 1, None, None))
    await store.touch_api_keys({"k": 7})
    await store.put_variable(Variable("v", "key", "value", 1, 1))
    await store.set_static_data("w", b'{"seen":1}', None)
    await store.change_user("u", display_name="Ada")


async def test_a_damaged_user_and_api_key_let_nobody_in(filled: SqliteStore, database: Path) -> None:
    await with_configuration(filled)
    assert (await filled.user("u")) == (await filled.user_by_name("ada"))
    assert await filled.api_key("sha") is not None
    change(database, "UPDATE users SET role = 'wiewer', disabled = 0")
    change(database, "UPDATE api_keys SET scopes = 'workflows:reae'")
    for read in (filled.user("u"), filled.user_by_name("ada"), filled.change_user("u", role="admin")):
        with pytest.raises(DataDamaged, match="user u"):
            await read
    with pytest.raises(DataDamaged, match="API key k"):
        await filled.api_key("sha")
    assert [user.id for user in await filled.users()] == ["u"], "listed, so that it can be deleted"
    assert await filled.delete_api_key("k", "u")
    assert await filled.delete_user("u")


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("UPDATE users SET password_hash = 'hasi'", "user u"),
        ("UPDATE api_keys SET expires_at = 9", "API key k"),
        ("UPDATE variables SET value = 'valuf'", "variable v"),
        ("UPDATE static_data SET data = x'7b7d'", "static data of the workflow w"),
    ],
)
async def test_the_look_names_damaged_configuration(filled: SqliteStore, database: Path, sql: str, named: str) -> None:
    await with_configuration(filled)
    assert look(database, filled.database.settings, LookProgress(threading.Event())) == []
    change(database, sql)
    (told,) = look(database, filled.database.settings, LookProgress(threading.Event()))
    assert named in told


async def test_rows_of_an_earlier_schema_are_accepted(
    new_store: NewStore, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = next(number for number, step in enumerate(MIGRATIONS) if "ADD COLUMN digest" in step[0])
    with monkeypatch.context() as old, closing(sqlite3.connect(database, isolation_level=None)) as connection:
        old.setattr("jackfield_store_sqlite.schema.MIGRATIONS", MIGRATIONS[:before])
        migrate(connection, database)
        connection.execute(
            "INSERT INTO executions VALUES ('old', 1, NULL, 1, 'manual', 'queued', 1, NULL, NULL, NULL, NULL, NULL, "
            "NULL, NULL)"
        )
        connection.execute("INSERT INTO execution_data VALUES (1, 1, x'7b7d')")
    store = new_store()
    await store.open()
    await store.register(Incarnation("me", "daemon", 1000))
    assert await store.claim_executions("me", statuses=("queued",), limit=9) == [
        Claimed("old", "queued", 2, taken_over=True)
    ]
    await store.set_running("old", 5, "me")
    await store.append_steps("old", b"[1]", 0, "me")
    await store.finish_execution(FinishedExecution("old", "success", 9, 5, b"[2]", number=1, owner="me"))
    found = await store.execution("old")
    assert found is not None
    assert (found.row.status, found.input, list(found.steps)) == ("success", b"{}", [b"[1]", b"[2]"])
    assert look(database, store.database.settings, LookProgress(threading.Event())) == []


async def test_flips_anywhere_in_the_file_are_refused_or_change_nothing(
    filled: SqliteStore, new_store: NewStore, database: Path, tmp_path: Path
) -> None:
    whole = {name: await filled.execution(name) for name in EXECUTIONS}
    await filled.close()
    content = database.read_bytes()
    chance = random.Random(11)
    silent = 0
    for number in range(FLIPS):
        place = tmp_path / f"flip{number}"
        place.mkdir()
        flipped = bytearray(content)
        at = chance.randrange(100, len(content))
        flipped[at] ^= 1 << chance.randrange(8)
        (place / "jackfield.db").write_bytes(flipped)
        store = new_store(place)
        try:
            await store.open()
        except Exception:  # refused and named, which other tests look at
            continue
        changed = [name for name in EXECUTIONS if await read(store, name) not in (whole[name], "damaged")]
        told = look(store.database.file, store.database.settings, LookProgress(threading.Event()))
        silent += bool(changed) and not told
        assert not changed or told, f"byte {at}: {changed}"
        await store.close()
    assert silent == 0


async def read(store: SqliteStore, name: str) -> object:
    try:
        return await store.execution(name)
    except Exception:  # told to the caller, which is what counts here
        return "damaged"


async def test_what_was_accepted_is_not_told_again(filled: SqliteStore, database: Path) -> None:
    change(database, "UPDATE executions SET status = 'success' WHERE id = 'execution-3'")
    context = FakeContext(database.parent, ports={"Store": filled})
    assert not (await telling.findings(context))[0].good
    assert await read(filled, "execution-3") == "damaged"
    assert len(await filled.acknowledge_damage()) == 1
    assert await read(filled, "execution-3") == "damaged"
    assert filled.known_damage() == []
    assert (await telling.findings(context))[0].good
    assert len(await filled.damage()) == 1, "`jackfield verify` always says what is so"


async def test_the_look_after_an_unclean_stop(filled: SqliteStore, new_store: NewStore, database: Path) -> None:
    change(database, "UPDATE execution_data SET data = x'00' WHERE id = 1")
    store = new_store()
    store.claim()
    await store.open()
    store.database.watch.suspect = True
    telling.start(FakeContext(database.parent, ports={"Store": store}))
    async with asyncio.timeout(20):
        while store.database.watch.suspect:
            await asyncio.sleep(0.01)
    assert len(store.known_damage()) == 1


def test_a_look_that_is_stopped_says_nothing(database: Path, filled: SqliteStore) -> None:
    stopped = threading.Event()
    stopped.set()
    assert look(database, filled.database.settings, LookProgress(stopped)) is None


@given(st.binary(min_size=1, max_size=400_000), st.data())
def test_each_flipped_bit_changes_the_digest(data: bytes, choice: st.DataObject) -> None:
    place = choice.draw(st.integers(0, len(data) - 1))
    flipped = bytearray(data)
    flipped[place] ^= 1 << choice.draw(st.integers(0, 7))
    assert digests.of_bytes(bytes(flipped)) != digests.of_bytes(data)
