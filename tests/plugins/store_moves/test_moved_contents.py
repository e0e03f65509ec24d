"""What a copy has: one of everything, there and back; and attempts that do not end."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from moves import move

from conftest import NewPostgres, NewSqlite
from jackfield.api.errors import ConfigurationError, Conflict
from jackfield.api.ids import new_id
from jackfield.api.storage import (
    ApiKey,
    CallUpdate,
    Credential,
    Delivery,
    FinishedExecution,
    Folder,
    ImportedId,
    Incarnation,
    NewCall,
    NewExecution,
    Project,
    ProjectMember,
    Store,
    StoredAnswer,
    StoredExecution,
    StoredWorkflow,
    Tag,
    User,
    Variable,
    WorkflowFilter,
)
from jackfield.api.storage.audit import AuditCheckpoint, AuditFilter, AuditHead
from jackfield.api.storage.insights import EndedFilter
from jackfield.api.storage.ledgers import LedgerDay, StoredLedger
from jackfield.api.storage.tables import DataColumn, DataTable, DataTableFilter, NewDataRow, RowFilter, RowOrder
from jackfield.api.store_forms import FORMS, Row, StoreForm
from jackfield.api.store_moves import MovableStore, TableWriter
from jackfield.api.triggers import Registration
from jackfield.cli.moves import store_moving as moving
from jackfield.testing.contracts.stores.audit import row as audit_row
from jackfield_store_postgres import migrating

ODD = "a\x00b\x01c\x02\x03'\"\\{},%_é\U0001f600"
OWNER = new_id()


async def fill(store: Store) -> None:
    """One of everything, much of it odd; one execution is open and its daemon is dead."""
    await store.add_user(User("u", ODD, "admin", ODD, 3, 1, "oidc", ODD, ODD, True))
    await store.add_api_key(ApiKey("k", "u", ODD, "jf_", "d" * 64, ("workflows:read",), 1, None, 5))
    await store.revoke_token("t", 2**40)
    for folder in (Folder("z", "Top", None, 1, 2), Folder("a", "Below", "z", 1, 2), Folder("0", ODD, "a", 1, 2)):
        await store.put_folder(folder)
    routes = [Registration("n2", "B", "webhook", "POST", "/b", "b"), Registration("n1", "A", "form", "GET", "/a", "a")]
    await store.add_workflow(StoredWorkflow("w", ODD, True, 1, {"n": ODD}, 1, 1), routes, ODD, tags=[ODD, "two"])
    await store.change_workflow("w", {"n": [1.5, None]}, "New", routes, now=9, author=None, expected_version=1)
    await store.label_version("w", 1, ODD)
    await store.move_workflow("w", "0")
    assert await store.set_static_data("w", b'{"a":1}', None)
    await store.put_tag(Tag("lonely", "Lonely", 1, 1))
    await store.put_variable(Variable("v", ODD, ODD, 1, 1))
    await store.put_project(Project("p", ODD, 1, 2))
    await store.put_project_member(ProjectMember("p", "u", "project:admin"))
    await store.place_resources("credential", ["c"], "p")
    await store.share_resource("credential", "c", "q")
    await store.put_credential(Credential("c", ODD, ODD, b"\x00\xff", 1, 1))
    await store.put_imported_ids([ImportedId(ODD, ODD, ODD, ODD, ODD, 1)])
    await store.change_fact("master-key", None, "{}")
    columns = [
        DataColumn(f"c{place}", name, kind, 1, 1)  # type: ignore[arg-type]  # a kind each
        for place, (name, kind) in enumerate(
            (("text", "string"), ("number", "number"), ("flag", "boolean"), ("day", "date"))
        )
    ]
    await store.add_data_table(DataTable("gone", "Gone", [], 1, 1))
    await store.add_data_table(DataTable("d", ODD, columns, 1, 1))
    await store.add_data_table(DataTable("e", "Empty", columns[:2], 1, 1))
    await store.delete_data_table("gone")
    await store.delete_data_column("d", "c0", now=2)
    await store.add_data_column("d", DataColumn("c9", "text", "string", 2, 2), index=0, now=2)
    cells = [{"text": ODD, "number": -0.0, "flag": False, "day": -1}, {"number": 0.1}, {"flag": True, "number": 1e300}]
    await store.add_data_rows("d", [NewDataRow(each) for each in cells], now=3)
    await store.put_ledger(StoredLedger("1", ODD, 2**40, inside=False), [LedgerDay(20_000, 2**60, bytes(range(256)))])
    await store.register(Incarnation(OWNER, "lost", 1))
    delivery = Delivery("h", ODD, 2**40, ODD)
    await store.add_execution(NewExecution("e1", "w", 2, "webhook", "queued", 1, b"{}", delivery=delivery, owner=OWNER))
    await store.set_running("e1", 2, OWNER)
    await store.append_steps("e1", b"[1]", 0, OWNER)
    await store.append_steps("e1", bytes(range(256)) * 5000, 3, OWNER)
    await store.add_execution(NewExecution("e2", None, 0, "manual", "running", 2, b"\x00", document={"d": ODD}))
    await store.set_waiting("e2", 2**40, b"[2]", 0)
    assert await store.ask_cancel("e1")
    await store.refer_to_files("e1", ["f1", "f2"], 5)
    await store.refer_to_files("e9", ["f3"], 5)
    await store.release_files(["e9"], 6)
    call = NewCall("l", "h", 7, "POST", b'{"a":"b"}', ODD, True, query=ODD, event=ODD)
    end = FinishedExecution("e3", "failed", 4, 3, b"[3]", b"{}", forget_at=2**40)
    await store.add_execution(NewExecution("e3", None, 0, "webhook", "failed", 3, b"{}", call=call), end)
    placed = NewCall("p", "h", 8, "POST", b"{}", "", places=((5, 1), (2000, 3)), response_body="long" * 999)
    gone = FinishedExecution("e5", "success", 9_000_000, 8)
    await store.add_execution(NewExecution("e5", "w", 1, "webhook", "success", 8, b"{}"), gone)
    await store.delete_execution("e5")
    over = FinishedExecution("e4", "success", 9, 8)
    await store.add_execution(NewExecution("e4", None, 0, "webhook", "success", 8, b'{"a": ' * 1000, call=placed), over)
    first, second = audit_row(1), audit_row(2)
    await store.append_audit(AuditHead(), [first, second])
    await store.drop_audit(AuditCheckpoint(1, first.hash, 1, 5, b"mac"))
    answer = CallUpdate("l", "h", "timeout", 504, ODD, True, 12)
    await store.update_call(answer, (delivery, StoredAnswer(200, [("a", "b")], b"x")))


async def answers(store: Store) -> list[object]:
    """What the store says of all of it."""
    users = [await store.user("u"), await store.api_keys("u", 0, 9), await store.revoked_tokens(5)]
    workflow = await store.workflow("w")
    hooks = await store.webhooks(offset=0, limit=9, active=None, workflow_id="w", kind=["webhook", "form"])
    found = await store.workflows(WorkflowFilter(words="new", folder="0"), offset=0, limit=9)
    versions = await store.versions("w", 0, 9)
    tables = await store.data_tables(DataTableFilter(), order="name", descending=False, offset=0, limit=9)
    rows = [
        await store.data_rows(name, RowFilter(), order=RowOrder(), offset=0, limit=9) for name in ("d", "e")
    ]  # fmt: skip
    runs = [await store.execution(each) for each in ("e1", "e2", "e3", "e4")]
    return [
        users, workflow, hooks, found, versions, await store.workflow_version("w", 1), await store.static_data("w"),
        await store.tags(offset=0, limit=9), await store.folders(), await store.variables(),
        await store.credential("c"),
        await store.imported_ids(ODD, ODD), await store.fact("master-key"), tables, rows, runs,
        await store.delivery("h", ODD, 5), await store.webhook_stats("h"), await store.pending_call("e3"),
        await store.released_files(9, 9), await store.projects(), await store.project_members(),
        await store.placements("credential", ["c"]), await store.shares("credential", ["c"]),
        await store.audit_rows(AuditFilter(), after=None, limit=9, newest_first=False), await store.audit_checkpoint(),
        await store.calls("h", status=None, offset=0, limit=9), await store.versions("w", 0, 9),
        await store.ended_by_workflow(EndedFilter(0, 2**44)),
    ]  # fmt: skip


async def test_everything_is_there_and_back(sqlite: NewSqlite, postgres: NewPostgres, tmp_path: Path) -> None:
    first, middle, last = sqlite(), postgres(), sqlite("two.db")
    await first.open()
    await fill(first)
    expected = await answers(first)
    await first.close()
    there = await asyncio.to_thread(move, first, middle)
    empty = {name for name, one in there.items() if not one.source.rows}
    assert empty == {"data_rows_3", "entries", "drafts"}
    await middle.open()
    assert await answers(middle) == expected
    await middle.close()
    back = await asyncio.to_thread(move, middle, last)
    assert {name: one.source.text for name, one in back.items()} == {
        name: one.source.text for name, one in there.items()
    }
    await last.open()
    assert await answers(last) == expected
    assert [each for each in await last.damage() if each] == []
    # What is made next collides with nothing, and the dead daemon's run counts as taken over.
    await last.add_data_table(DataTable("f", "Next", [], 1, 1))
    await last.register(Incarnation("next", "next", 1))
    taken = await last.claim_executions("next", statuses=["running"], limit=9)
    assert [(each.id, each.taken_over) for each in taken] == [("e1", True)]
    await last.close()


async def test_postgres_goes_on_after_a_move(sqlite: NewSqlite, postgres: NewPostgres) -> None:
    first, second = sqlite(), postgres()
    await first.open()
    await fill(first)
    await first.close()
    await asyncio.to_thread(move, first, second)
    await second.open()
    await second.add_data_table(DataTable("f", "Next", [], 1, 1))
    await second.add_workflow(StoredWorkflow("x", "X", False, 1, {}, 1, 1), [], None)
    assert (await second.changed_workflows(0)).ids == []  # its own
    await second.register(Incarnation("next", "next", 60_000))
    taken = await second.claim_executions("next", statuses=["running"], limit=9)
    assert [(each.id, each.taken_over) for each in taken] == [("e1", True)]
    run = await second.execution("e1")
    assert run is not None
    assert (run.next_chunk, run.epoch) == (4, 2)
    await second.close()


class Ending:
    """A writer whose process ends after some batches; a batch is whole or not there."""

    def __init__(self, writer: TableWriter, left: int) -> None:
        self._writer = writer
        self._left = left
        self.notes, self.rows, self.finish = writer.notes, writer.rows, writer.finish

    def put(self, form: StoreForm, rows: Sequence[Row], name: str, note: str) -> None:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        self._writer.put(form, rows, name, note)


@pytest.mark.parametrize("way", ["there", "back"])
async def test_a_copy_goes_on_after_each_batch(
    sqlite: NewSqlite, postgres: NewPostgres, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "BATCH_ROWS", 1)
    source: MovableStore = sqlite()
    target: MovableStore = postgres()
    first = sqlite()
    await first.open()
    await fill(first)
    await first.close()
    if way == "back":
        await asyncio.to_thread(move, source, target)
        source, target = target, sqlite("two.db")
    attempts = 0
    while True:
        try:
            with source.reading() as reader, target.filling() as writer:
                tables = moving.copied_tables(reader, Ending(writer, 7), lambda _: None)  # type: ignore[arg-type]  # as it is used
            break
        except KeyboardInterrupt:
            attempts += 1
        with pytest.raises(ConfigurationError, match="has not ended"):
            await target.open()  # type: ignore[attr-defined]  # both are stores
    assert attempts > 5
    assert all(one.is_equal for one in tables)
    await target.open()  # type: ignore[attr-defined]
    assert (await target.execution("e1")).next_chunk == 4  # type: ignore[attr-defined]
    await target.close()  # type: ignore[attr-defined]


async def test_a_source_that_changes_between_attempts_is_noticed(sqlite: NewSqlite, postgres: NewPostgres) -> None:
    source, target = sqlite(), postgres()
    await source.open()
    await fill(source)
    await source.close()
    with pytest.raises(KeyboardInterrupt), source.reading() as reader, target.filling() as writer:
        moving.copied_tables(reader, Ending(writer, 8), lambda _: None)  # type: ignore[arg-type]
    source = sqlite()
    await source.open()
    await source.add_user(User("earlier", "e", "viewer", "", 1, 1))
    await source.close()
    with source.reading() as reader, target.filling() as writer:
        tables = moving.copied_tables(reader, writer, lambda _: None)
    assert [one.name for one in tables if not one.is_equal] == ["users"]
    with pytest.raises(ConfigurationError, match="has not ended"):
        await target.open()
    target.discard_unfinished()
    await asyncio.to_thread(move, source, target)


async def test_a_row_that_is_lost_or_changed_is_noticed(sqlite: NewSqlite, postgres: NewPostgres) -> None:
    source, target = sqlite(), postgres()
    await source.open()
    await fill(source)
    await source.close()

    class Lossy(Ending):
        def put(self, form: StoreForm, rows: Sequence[Row], name: str, note: str) -> None:
            if form.name == "imported_ids":
                rows = rows[:-1]
            if form.name == "variables":
                rows = [[*row[:2], "another", *row[3:]] for row in rows]
            self._writer.put(form, rows, name, note)

    with source.reading() as reader, target.filling() as writer:
        tables = moving.copied_tables(reader, Lossy(writer, 0), lambda _: None)  # type: ignore[arg-type]
    assert [one.name for one in tables if not one.is_equal] == ["variables", "imported_ids"]
    with pytest.raises(ConfigurationError, match="has not ended"):
        await target.open()


async def test_a_store_that_is_used_or_full_is_refused(
    sqlite: NewSqlite, postgres: NewPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "SHORTEST_WAIT", 0.1)
    source, target = sqlite(), postgres()
    source.claim()
    await source.open()
    await fill(source)
    with pytest.raises(ConfigurationError, match="Another daemon already uses"), sqlite().reading():
        pass
    await source.close()
    await asyncio.to_thread(move, source, target)
    with pytest.raises(Conflict, match="holds a store already"), target.filling():
        pass
    with pytest.raises(Conflict, match="holds a store already"):
        target.discard_unfinished()
    with pytest.raises(Conflict, match="holds a store already"), source.filling():
        pass
    await target.open()
    await target.register(Incarnation("alive", "one", 60_000))
    with pytest.raises(ConfigurationError, match="The daemon one uses the store"), target.reading():
        pass
    await target.leave("alive")
    await target.close()
    with target.reading(), pytest.raises(ConfigurationError, match="Another process"), target.reading():
        pass
    with target.reading(), pytest.raises(ConfigurationError, match="store copy"):
        await target.open()


async def test_a_batch_is_bounded(sqlite: NewSqlite, postgres: NewPostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "BATCH_BYTES", 100_000)
    source, target = sqlite(), postgres()
    await source.open()
    for number in range(9):
        await source.add_execution(NewExecution(f"e{number}", None, 0, "manual", "queued", 1, bytes(40_000)))
    await source.close()
    sizes: list[int] = []

    class Counting(Ending):
        def put(self, form: StoreForm, rows: Sequence[Row], name: str, note: str) -> None:
            sizes.append(len(rows) if form.name == "executions" else 0)
            self._writer.put(form, rows, name, note)

    with source.reading() as reader, target.filling() as writer:
        moving.copied_tables(reader, Counting(writer, 0), lambda _: None)  # type: ignore[arg-type]
    assert max(sizes) == 2
    assert sum(sizes) == 9


async def test_chunks_of_before_they_had_numbers_keep_their_order(
    sqlite: NewSqlite, postgres: NewPostgres, tmp_path: Path
) -> None:
    source, target = sqlite(), postgres()
    await source.open()
    await fill(source)
    await source.close()
    with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
        connection.execute("UPDATE execution_data SET number = NULL")
        connection.commit()
    await asyncio.to_thread(move, source, target)
    await target.open()
    run: StoredExecution | None = await target.execution("e1")
    assert run is not None
    assert [len(step) for step in run.steps] == [3, 256 * 5000]
    await target.close()


def test_forms_are_in_the_order_of_what_refers_to_what() -> None:
    places: dict[str, int] = {form.name: place for place, form in enumerate(FORMS)}
    for earlier, later in (("users", "api_keys"), ("folders", "workflows"), ("incarnations", "executions")):
        assert places[earlier] < places[later]
