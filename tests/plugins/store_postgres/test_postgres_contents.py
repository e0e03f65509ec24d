"""What PostgreSQL cannot hold by itself, and what is large."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jackfield.api.records import replace
from jackfield.api.storage import (
    Credential,
    Folder,
    ImportedId,
    NewCall,
    NewExecution,
    StoredWorkflow,
    Tag,
    User,
    Variable,
    WorkflowFilter,
)
from jackfield.api.storage.tables import Condition, DataColumn, DataTable, NewDataRow, RowFilter, RowOrder
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore
from jackfield_store_postgres.texts import kept_text, plain_text

NewStore = Callable[..., PostgresStore]
ODD = "a\x00b\x01c\x02\x03'\"\\{},%_é\U0001f600"


@pytest.mark.parametrize("text", ["", "a", "\x00", "\x01", "\x00\x01", "\x01\x02", "\x01\x01\x03", ODD])
def test_texts_come_back_and_hold_no_nul(text: str) -> None:
    assert plain_text(kept_text(text)) == text
    assert "\x00" not in kept_text(text)


def test_the_order_of_texts_stays() -> None:
    texts = [a + b for a in ("", "\x00", "\x01", "\x02", "a") for b in ("", "\x00", "\x01", "\x02", "a")]
    assert sorted(texts) == sorted(texts, key=kept_text)


async def test_odd_texts_are_kept_everywhere(store: PostgresStore) -> None:
    await store.add_workflow(StoredWorkflow(ODD, ODD, False, 1, {"n": ODD}, 1, 1), [], ODD, tags=[ODD])
    found = await store.workflow(ODD)
    assert found is not None
    assert (found.id, found.name, found.document, found.tags[0].name) == (ODD, ODD, {"n": ODD}, ODD)
    assert [row.name for row in (await store.workflows(WorkflowFilter(tags=[ODD]), offset=0, limit=9)).rows] == [ODD]
    await store.label_version(ODD, 1, ODD)
    assert (await store.versions(ODD, 0, 9)).rows[0].label == ODD
    await store.put_tag(Tag("t", f"{ODD}2", 1, 1))
    await store.add_user(User(ODD, ODD, "admin", ODD, 1, 1, ODD, ODD, ODD))
    assert (await store.user_by_identity(ODD, ODD)) == await store.user_by_name(ODD)
    await store.put_variable(Variable("v", ODD, ODD, 1, 1))
    assert [each.value for each in await store.variables()] == [ODD]
    await store.put_credential(Credential("c", ODD, ODD, b"\x00\xff", 1, 1))
    assert (await store.credential("c")) == Credential("c", ODD, ODD, b"\x00\xff", 1, 1)
    await store.put_folder(Folder("f", ODD, None, 1, 1))
    assert (await store.folders())[0].name == ODD
    await store.put_imported_ids([ImportedId(ODD, ODD, ODD, ODD, ODD, 1)])
    assert await store.imported_ids(ODD, ODD) == [ImportedId(ODD, ODD, ODD, ODD, ODD, 1)]
    call = NewCall("call", "h", 1, ODD, b"{}", ODD, query=ODD, event=ODD)
    await store.add_execution(NewExecution(ODD, ODD, 1, ODD, "running", 1, b"\x00", document={ODD: ODD}, call=call))
    (kept,) = (await store.calls("h", status=None, offset=0, limit=9)).rows
    assert (kept.method, kept.body, kept.query, kept.event, kept.execution_id) == (ODD,) * 5
    run = await store.execution(ODD)
    assert run is not None
    assert (run.document, run.row.mode) == ({ODD: ODD}, ODD)


async def test_odd_texts_in_data_tables(store: PostgresStore) -> None:
    await store.add_data_table(DataTable("t", ODD, [DataColumn("c", ODD, "string", 1, 1)], 1, 1))
    await store.add_data_rows("t", [NewDataRow({ODD: ODD}), NewDataRow({ODD: "b"})], now=1)
    for operator, value in (("eq", ODD), ("like", "a\x00%"), ("ilike", "A\x00B%"), ("lt", "b")):
        where = RowFilter([Condition(ODD, operator, value)])  # type: ignore[arg-type]
        page = await store.data_rows("t", where, order=RowOrder(ODD), offset=0, limit=9)
        assert [row.cells[ODD] for row in page.rows] == [ODD], operator


async def test_large_inputs_and_chunks(new_store: NewStore) -> None:
    store = new_store(timeout=60)
    await store.open()
    large = bytes(range(256)) * (200 * 1024)
    assert len(large) == 50 * 1024 * 1024
    await store.add_execution(NewExecution("e", None, 1, "manual", "running", 1, large))
    await store.append_steps("e", large, 0)
    found = await store.execution("e")
    assert found is not None
    assert (found.input == large, found.steps[0] == large) == (True, True)


async def test_numbers_that_do_not_fit_are_cut(store: PostgresStore) -> None:
    new = NewExecution("e", None, 1, "manual", "running", 2**70, b"")
    await store.add_execution(new)
    await store.add_execution(replace(new, id="f", created_at=1))
    found = await store.execution("e")
    assert found is not None
    assert found.row.created_at == 2**63 - 1


def test_the_address_is_a_secret() -> None:
    extra = PostgresSettings.model_fields["dsn"].json_schema_extra
    assert isinstance(extra, dict)
    assert extra["secret"] is True
