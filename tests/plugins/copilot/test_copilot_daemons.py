"""Drafts of two daemons over one PostgreSQL, and under another master key."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jackfield.api.auth import OWNER
from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext, FakeSecrets
from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.store import MemoryStore
from jackfield_copilot import CopilotPlugin
from jackfield_copilot.drafts.keeping import DraftKeeper
from jackfield_copilot.drafts.model import Draft, DraftOrigin
from jackfield_copilot.settings import CopilotSettings

KEY = "an-encryption-key-that-both-daemons-have"


@pytest.fixture
def two(tmp_path: Path, jackfield_postgres: PostgresServer) -> Iterator[tuple[Daemon, Daemon]]:
    schema = jackfield_postgres.new_name()
    settings = f'[store]\nname = "postgres"\n[store.postgres]\nschema_name = "{schema}"\n'
    env = {"JACKFIELD_STORE_POSTGRES_DSN": jackfield_postgres.dsn(), "JACKFIELD_ENCRYPTION_KEY": KEY}
    made = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        made.append(Daemon(tmp_path / name, settings=settings, env=env))
    first, second = made
    try:
        yield first.start(), second.start()
    finally:
        first.close()
        second.close()


def test_daemons_share_drafts_and_never_overwrite_each_other(two: tuple[Daemon, Daemon]) -> None:
    one, other = (daemon.admin(timeout=60) for daemon in two)
    workflow = one.post("/workflows", json=chain("W", webhook("w"), set_fields("A", x=1))).raise_for_status().json()
    draft = one.post("/drafts", json={"workflowId": workflow["id"]}).raise_for_status().json()
    document = draft["document"]
    document["nodes"][1]["parameters"] = set_fields("A", x=2)["parameters"]
    path = f"/drafts/{draft['id']}"
    draft = other.put(path, json={"document": document}).raise_for_status().json()

    asked = one.post(f"{path}/runs", json={"input": [{"json": {}}]}).raise_for_status().json()
    waiting = f"{path}/runs/{asked['id']}"
    with ThreadPoolExecutor() as pool:
        waits = pool.submit(lambda: one.get(waiting, params={"wait": 30}).raise_for_status().json())
        answers = list(pool.map(lambda api: api.post(waiting, json={"allow": True}).status_code, (one, other)))
        assert sorted(answers) == [200, 409], "one of them decides"
        assert waits.result()["state"] == "running"
    begun = one.get(waiting).json()["executionId"]
    poll(lambda: one.get(f"/executions/{begun}").json()["status"] == "success", "it ran once", timeout=30)
    assert one.get("/executions").json()["total"] == 1

    revision = one.get(path).json()["revision"]
    with ThreadPoolExecutor() as pool:
        body = {"revision": revision}
        done = list(pool.map(lambda api: api.post(f"{path}/accept", json=body).status_code, (one, other)))
    assert sorted(done) == [200, 409]
    assert other.get(f"/workflows/{workflow['id']}").json()["version"] == 2
    assert other.get(path).json()["changes"] == []
    for query in ({"workflowId": "\0"}, {"executionId": "\0x"}, {"workflowId": "' OR 1=1"}):
        assert other.get("/drafts", params=query).raise_for_status().json()["total"] == 0
    named = chain("N\0", webhook("nul"), set_fields("A\0", x="\0"))
    hostile = one.post("/drafts", json={"document": named, "title": "T\0"}).raise_for_status().json()
    assert other.get(f"/drafts/{hostile['id']}").json()["document"]["nodes"][1]["name"] == "A\0"


def _draft(name: str, context: FakeContext, **more: object) -> Draft:
    now = context.clock.now_ms()
    made = Draft(name, None, name, OWNER.username, DraftOrigin(), 1, now, now, {"nodes": []})
    return replace(made, **more)  # type: ignore[arg-type]  # of the test's own


async def test_a_full_store_gives_up_drafts_that_change_nothing(tmp_path: Path) -> None:
    settings, clock = CopilotSettings.model_validate({"drafts": 2}), FakeClock()
    context = FakeContext(tmp_path, tables=[settings], ports={"Store": MemoryStore()}, clock=clock)
    keeper = DraftKeeper(context)
    idle = await keeper.add(_draft("01a22d0e-3a65-7195-a430-000000000001", context))
    kept = await keeper.add(_draft("01a22d0e-3a65-7195-a430-000000000002", context, change_count=1))
    with pytest.raises(Conflict, match=r"copilot\.drafts"):
        await keeper.add(_draft("01a22d0e-3a65-7195-a430-000000000003", context))
    await clock.advance(2 * 3600)
    await keeper.add(_draft("01a22d0e-3a65-7195-a430-000000000003", context, change_count=1))
    left = {row.id for row in (await context.store.drafts(None, None, offset=0, limit=9)).rows}
    assert kept.id in left
    assert idle.id not in left


class OtherKey(FakeSecrets):
    """What is sealed with the key before begins with `older:`."""

    def open(self, sealed: bytes) -> bytes:
        return super().open(sealed.replace(b"older:", b"sealed:", 1))


async def test_drafts_are_sealed_with_a_new_key(tmp_path: Path) -> None:
    store = MemoryStore()
    context = FakeContext(tmp_path, tables=[CopilotSettings()], ports={"Store": store}, secrets=OtherKey())
    keeper = DraftKeeper(context)
    older, lost, kept = [
        await keeper.add(_draft(f"01a22d0e-3a65-7195-a430-00000000000{number}", context)) for number in range(3)
    ]
    for draft, sealed in ((older, b"older:"), (lost, b"lost:")):
        stored = await store.draft(draft.id)
        assert stored is not None
        await store.reseal_draft(draft.id, stored.sealed, stored.sealed.replace(b"sealed:", sealed, 1))
    (values,) = CopilotPlugin(context).jackfield_sealed_values()
    resealed = await values.reseal()
    assert (resealed.done, [lost.id in one for one in resealed.lost]) == (2, [True])
    again = await store.draft(older.id)
    assert again is not None
    assert again.sealed.startswith(b"sealed:")
    assert await keeper.find(older.id) == older
    assert await keeper.find(kept.id) == kept
