"""Operations of one batch that meet each other and what is there: each fares as it would alone."""

from __future__ import annotations

import asyncio

from jackfield.api.errors import Conflict
from jackfield.api.storage import FinishedExecution, NewCall, NewExecution
from jackfield_store_postgres.store import PostgresStore


def call(ident: str) -> NewCall:
    return NewCall(ident, "h", 1, "POST", b"{}", "")


def execution(ident: str, call_id: str | None = None, at: int = 1) -> NewExecution:
    return NewExecution(ident, None, 1, "manual", "queued", at, b"", call=call(call_id) if call_id else None)


async def outcomes(*verbs: asyncio.Future[None]) -> list[str]:
    return [type(each).__name__ for each in await asyncio.gather(*verbs, return_exceptions=True)]


async def test_of_two_calls_with_one_id_the_first_is_kept(store: PostgresStore) -> None:
    """The unknown execution makes the batch look at the tables in between."""
    assert await outcomes(
        store.add_call(call("c")), store.append_steps("e", b"[]", 0), store.add_execution(execution("e", "c"))
    ) == ["NoneType", "NoneType", "Conflict"]
    assert (await store.webhook_stats("h")).total_calls == 1
    assert await outcomes(store.add_call(call("c")), store.add_call(call("d"))) == ["Conflict", "NoneType"]


async def test_of_two_executions_with_one_id_the_first_is_kept(store: PostgresStore) -> None:
    assert await outcomes(
        store.add_execution(execution("e")),
        store.append_steps("unknown", b"[]", 0),
        store.set_waiting("e", 5, b"[0]", 0),
        store.add_execution(execution("e", at=2)),
        store.add_execution(execution("e")),
        store.finish_execution(FinishedExecution("e", "success", 9, 1, b"[other]", number=0)),
    ) == ["NoneType", "NoneType", "NoneType", "Conflict", "NoneType", "NoneType"]
    found = await store.execution("e")
    assert found is not None
    assert (found.row.status, list(found.steps)) == ("success", [b"[0]"])


async def test_what_fails_in_a_batch_fails_alone(store: PostgresStore) -> None:
    await store.add_execution(execution("taken"))
    results = await outcomes(
        *(store.add_execution(execution(f"e{n}")) for n in range(20)),
        store.add_execution(execution("taken", at=2)),
        *(store.append_steps(f"e{n}", b"[]", 0) for n in range(0, 40, 2)),
    )
    assert results.count(Conflict.__name__) == 1
    assert len(await store.known_executions([f"e{n}" for n in range(20)])) == 20
