"""The chain: one order for many writers, and nothing that was changed goes unnoticed."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from jackfield.api.audit import AuditActor, AuditedAct, chained
from jackfield.api.errors import DataDamaged, RateLimited, StoreUnavailable
from jackfield.api.records import replace
from jackfield.api.storage.audit import AuditFilter, AuditHead, AuditRow
from jackfield.testing.clock import FakeClock
from jackfield.testing.context import FakeContext
from jackfield.testing.store import MemoryStore
from jackfield_audit.anchor import Anchor
from jackfield_audit.chain import AuditChain
from jackfield_audit.findings import findings
from jackfield_audit.keeping import drop_old, has
from jackfield_audit.routes import AuditRoutes
from jackfield_audit.settings import AuditSettings
from jackfield_audit.verifying import Verdict, verify
from jackfield_audit.views import as_csv, as_jsonl

ADA = AuditActor("u1", "ada", "api_key", "k1", "192.0.2.1")


class Lab:
    """One store and one daemon, or several."""

    def __init__(self, directory: Path, **settings: int) -> None:
        self.store = MemoryStore()
        self.clock = FakeClock()
        self._directory, self._settings = directory, settings
        self.context = self.daemon("one")

    def daemon(self, name: str) -> FakeContext:
        place = self._directory / name
        place.mkdir()
        tables = [AuditSettings.model_validate(self._settings)]
        return FakeContext(place, clock=self.clock, tables=tables, ports={"Store": self.store})

    async def record(self, *acts: str, context: FakeContext | None = None) -> None:
        chain = (context or self.context).port(AuditChain)
        await chain.record(*(AuditedAct(act, ADA, kind=act.partition(".")[0], subject="w1") for act in acts))

    def rows(self) -> list[AuditRow]:
        return self.store._audit

    async def verdict(self) -> Verdict:
        return await verify(self.context)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, keep_days=30, segment=10)


async def test_many_at_once_make_few_writes_and_a_whole_chain(lab: Lab) -> None:
    await asyncio.gather(*(lab.record(f"workflow.act{n}") for n in range(500)))
    found = await lab.verdict()
    assert (found.good, found.records, found.first, found.last) == (True, 500, 1, 500)


async def test_daemons_of_one_store_write_one_chain(lab: Lab) -> None:
    other = lab.daemon("two")
    await asyncio.gather(
        *(lab.record(f"a.x{n}") for n in range(40)), *(lab.record(f"b.x{n}", context=other) for n in range(40))
    )
    for n in range(5):
        await lab.record(f"a.y{n}")
        await lab.record(f"b.y{n}", context=other)
    found = await lab.verdict()
    assert (found.good, found.records) == (True, 90)
    assert lab.context.port(AuditChain).overtaken + other.port(AuditChain).overtaken >= 5


async def test_a_record_is_canonical_and_has_no_values(lab: Lab) -> None:
    act = AuditedAct("user.update", ADA, "success", "user", "u2", "gr\0ace", fields=["role", "x" * 300])
    await lab.context.port(AuditChain).record(act)
    (row,) = lab.rows()
    told = json.loads(row.data)
    assert row.data == json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    assert told["actor"] == {
        "id": "u1", "name": "ada", "method": "api_key", "credential": "k1", "address": "192.0.2.1"
    }  # fmt: skip
    assert told["fields"] == ["role", "x" * 200]
    assert told["name"] == r"gr\x00ace"


def changed(rows: list[AuditRow]) -> None:
    rows[4] = replace(rows[4], data=rows[4].data.replace(b"ada", b"eve"))


def column(rows: list[AuditRow]) -> None:
    rows[4] = replace(rows[4], actor="u9")


def removed(rows: list[AuditRow]) -> None:
    del rows[4]


def put_in(rows: list[AuditRow]) -> None:
    rows.insert(4, replace(rows[4], act="workflow.other"))


def rebuilt(rows: list[AuditRow]) -> None:
    """By somebody who can write the database and has no key."""
    head = rows[3].head
    for place in range(4, len(rows)):
        rows[place] = chained(head, 1, AuditedAct("workflow.harmless", ADA, kind="workflow", subject="w1"), b"guess")
        head = rows[place].head


def truncated(rows: list[AuditRow]) -> None:
    del rows[4:]


@pytest.mark.parametrize(
    ("attack", "at", "words"),
    [
        (changed, 5, "does not follow"),
        (column, 5, "columns of record 5"),
        (removed, 5, "Record 5 is missing"),
        (put_in, 5, "does not follow|columns|missing"),
        (rebuilt, 8, "not the one that this daemon has written"),
        (truncated, 5, "records up to 8"),
    ],
)
async def test_the_check_says_where_the_chain_breaks(
    lab: Lab, attack: Callable[[list[AuditRow]], None], at: int, words: str
) -> None:
    await lab.record(*(f"workflow.x{n}" for n in range(8)))
    Anchor(lab.context).write(lab.rows()[-1].head)
    assert (await lab.verdict()).good
    attack(lab.rows())
    found = await lab.verdict()
    assert (found.good, found.broken) == (False, at), found.problem
    assert any(part in found.problem for part in words.split("|"))


async def test_without_the_directory_a_chain_made_anew_has_no_stamps(lab: Lab) -> None:
    await lab.record(*(f"workflow.x{n}" for n in range(8)))
    rebuilt(lab.rows())
    found = await lab.verdict()
    assert (found.good, found.broken, found.unvouched) == (False, None, 4)


async def test_a_later_stamp_vouches_for_those_of_a_key_that_is_forgotten(lab: Lab) -> None:
    await lab.record("workflow.x")
    lab.rows()[0] = replace(lab.rows()[0], mac=b"of a key that nobody has any more")
    await lab.record("workflow.y")
    assert (await lab.verdict()).good


async def test_retention_drops_whole_segments_and_leaves_a_checkpoint(lab: Lab) -> None:
    await lab.record(*(f"workflow.x{n}" for n in range(25)))
    assert await drop_old(lab.context) == 0
    await lab.clock.advance(31 * 86_400)
    await lab.record("workflow.new")
    assert await drop_old(lab.context) == 20
    assert [row.number for row in lab.rows()] == [*range(21, 29)]
    assert [row.act for row in lab.rows()[-2:]] == ["audit.drop", "audit.drop"]
    found = await lab.verdict()
    assert (found.good, found.first, found.last, found.dropped) == (True, 21, 28, 20)
    left = lab.store._audit_left
    assert left is not None
    lab.store._audit_left = replace(left, dropped=0)
    assert "no stamp" in (await lab.verdict()).problem
    lab.store._audit_left = left
    assert await has(lab.context, AuditHead(5, b""))
    assert not await has(lab.context, AuditHead(22, b"another"))


async def test_doctor_tells_of_records_that_are_gone(lab: Lab) -> None:
    await lab.record("workflow.x", "workflow.y")
    Anchor(lab.context).write(lab.rows()[-1].head)
    assert [found.good for found in await findings(lab.context)] == [True]
    truncated(lab.rows())
    del lab.rows()[1:]
    assert [found.good for found in await findings(lab.context)] == [False]


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", bytes(40), b"[" * 100_000, b'{"number": 1, "hash": "00", "mac": "00"}',
        b'{"number": Infinity, "hash": "00", "mac": "00"}', b'{"number": -1, "hash": "00", "mac": "00"}',
        b'{"number": 99999999999999999999, "hash": "00", "mac": "00"}',
    ],
)  # fmt: skip
async def test_a_damaged_end_in_the_directory_is_told_and_left_alone(lab: Lab, content: bytes) -> None:
    await lab.record("workflow.x", "workflow.y")
    file = lab.context.service.config_dir / "audit-head.json"
    file.write_bytes(content)
    (found,) = await findings(lab.context)
    assert (found.good, str(file) in found.message) == (False, True)
    verdict = await lab.verdict()
    assert (verdict.good, verdict.broken, str(file) in verdict.problem) == (False, 3, True)
    with pytest.raises(DataDamaged):
        Anchor(lab.context).write(lab.rows()[-1].head)
    assert file.read_bytes() == content
    file.unlink()
    Anchor(lab.context).write(lab.rows()[-1].head)
    assert (await lab.verdict()).good


async def test_an_act_that_the_store_does_not_take_is_told(lab: Lab) -> None:
    await lab.record("workflow.x")
    lab.store.fail_with = StoreUnavailable("no space")
    with pytest.raises(StoreUnavailable, match="no space"):
        await lab.record("workflow.y")
    lab.store.fail_with = None
    await lab.record("workflow.z")
    assert [row.act for row in lab.rows()] == ["workflow.x", "workflow.z"]
    assert lab.context.port(AuditChain).lost == 1
    assert (await lab.verdict()).good


async def test_the_queue_is_bounded(tmp_path: Path) -> None:
    lab = Lab(tmp_path, queue=10)
    with pytest.raises(StoreUnavailable, match=r"audit\.queue"):
        await lab.record(*(f"workflow.x{n}" for n in range(11)))
    assert not lab.rows()


async def test_exports_go_page_by_page_and_calm_spreadsheets(lab: Lab) -> None:
    await asyncio.gather(*(lab.record("workflow.execute") for _ in range(1100)))
    await lab.context.port(AuditChain).record(AuditedAct("user.create", ADA, name='=cmd|"x"'))
    lines = [json.loads(line) for line in await _whole(as_jsonl(lab.store, AuditFilter(), 1000), b"\n")]
    assert [line["number"] for line in lines] == [*range(1, 1001)]
    assert lines[0]["n8nEvent"] == "n8n.audit.workflow.executed"
    text = b"".join(await _whole(as_csv(lab.store, AuditFilter(act="user."), 10), b"")).decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["number"], row["actorName"], row["name"]) == ("1101", "ada", '\'=cmd|"x"')


async def _whole(parts: object, cut: bytes) -> list[bytes]:
    whole = b"".join([part async for part in parts])  # type: ignore[attr-defined]
    return whole.splitlines() if cut else [whole]


async def test_logins_of_strangers_are_bounded(tmp_path: Path) -> None:
    lab = Lab(tmp_path, strangers=3)
    await lab.clock.advance(60 - lab.clock.now_ms() / 1000 % 60)
    stranger = AuditActor(method="login", address="192.0.2.7")
    known = AuditedAct("user.login", stranger, "refused", "user", "u1", "ada")
    chain = lab.context.port(AuditChain)
    for _ in range(5):
        await chain.record(AuditedAct("user.login", stranger, "refused", "user"), known)
    assert [row.subject for row in lab.rows()] == ["", "u1", "", "u1", "", "u1", "u1", "u1"]
    assert (chain.strangers.withheld, chain.lost) == (2, 0)
    await lab.clock.advance(60)
    await chain.record(AuditedAct("user.login", stranger, "refused", "user"))
    assert len(lab.rows()) == 9


async def test_exports_that_nobody_fetches_take_no_room(lab: Lab) -> None:
    await lab.record("workflow.x")
    routes = AuditRoutes(lab.context)
    answers = [routes._counted(as_jsonl(lab.store, AuditFilter(), 5)) for _ in range(4)]
    routes._require_room()
    for answer in answers[:2]:
        await anext(answer)
    with pytest.raises(RateLimited):
        routes._require_room()
    await answers[0].aclose()
    routes._require_room()
    await answers[1].aclose()
