"""The audit log: what holds for every store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.storage import Store
from jackfield.api.storage.audit import AuditCheckpoint, AuditFilter, AuditHead, AuditRow

_ODD = bytes(range(256))


def row(number: int, act: str = "workflow.update", *, at: int = 0, project: str = "", mark: bytes = b"") -> AuditRow:
    digest = mark + number.to_bytes(32 - len(mark))
    kind = act.partition(".")[0]
    return AuditRow(number, at, act, "ada", kind, "w1", project, "success", _ODD, digest, b"mac")


async def append(store: Store, rows: Sequence[AuditRow]) -> None:
    assert await store.append_audit(await store.audit_head(), rows) == rows[-1].head


async def numbers(store: Store, where: AuditFilter) -> list[int]:
    return [each.number for each in await store.audit_rows(where, after=None, limit=100, newest_first=False)]


class StoreAuditContract:
    """The audit log: subclass it and give the fixture `store`, an open and empty `Store`."""

    async def test_records_follow_the_end_of_the_chain_or_nothing_is_appended(self, store: Store) -> None:
        assert await store.audit_head() == AuditHead()
        await append(store, [row(1), row(2)])
        stale = await store.append_audit(AuditHead(), [row(1, mark=b"x")])
        forked = await store.append_audit(AuditHead(2, b"another"), [row(3)])
        ahead = await store.append_audit(row(3).head, [row(4)])
        assert stale == forked == ahead == row(2).head == await store.audit_head()
        await append(store, [row(3)])
        assert await store.audit_rows(AuditFilter(), after=None, limit=9, newest_first=False) == [
            row(1),
            row(2),
            row(3),
        ]

    async def test_of_many_at_once_one_is_appended(self, store: Store) -> None:
        rows = [[row(1, mark=bytes([65 + each])), row(2, mark=bytes([65 + each]))] for each in range(6)]
        heads = await asyncio.gather(*(store.append_audit(AuditHead(), each) for each in rows))
        kept = await store.audit_rows(AuditFilter(), after=None, limit=100, newest_first=False)
        assert [each.number for each in kept] == [1, 2]
        assert kept in rows
        assert sum(head == each[-1].head for head, each in zip(heads, rows, strict=True)) == 1
        assert await store.audit_head() == kept[-1].head

    async def test_records_are_found(self, store: Store) -> None:
        acts = ["workflow.update", "workflow.tag.create", "workflows.x", "user.create", "workflow"]
        await append(store, [row(n + 1, act, at=10 * n, project="p" * (n % 2)) for n, act in enumerate(acts)])
        assert await numbers(store, AuditFilter(act="workflow.")) == [1, 2]
        assert await numbers(store, AuditFilter(act="workflow")) == [5]
        assert await numbers(store, AuditFilter(kind="user", actor="ada", subject="w1", outcome="success")) == [4]
        assert await numbers(store, AuditFilter(actor="nobody")) == []
        assert await numbers(store, AuditFilter(projects=["p", "q"])) == [2, 4]
        assert await numbers(store, AuditFilter(projects=[])) == []
        assert await numbers(store, AuditFilter(since=10, until=30)) == [2, 3]

    async def test_pages_go_both_ways(self, store: Store) -> None:
        await append(store, [row(number) for number in range(1, 7)])
        down = await store.audit_rows(AuditFilter(), after=5, limit=2, newest_first=True)
        up = await store.audit_rows(AuditFilter(), after=2, limit=3, newest_first=False)
        assert [[each.number for each in page] for page in (down, up)] == [[4, 3], [3, 4, 5]]

    async def test_what_is_dropped_leaves_a_checkpoint(self, store: Store) -> None:
        assert await store.audit_checkpoint() is None
        await append(store, [row(number) for number in range(1, 6)])
        for wrong in (AuditCheckpoint(3, b"another", 3, 9, b"m"), AuditCheckpoint(5, row(5).hash, 5, 9, b"m")):
            assert await store.drop_audit(wrong) == 0
        assert await store.audit_checkpoint() is None
        left = AuditCheckpoint(3, row(3).hash, 3, 9, _ODD)
        assert [await store.drop_audit(left), await store.drop_audit(left)] == [3, 0]
        assert await store.audit_checkpoint() == left
        assert await numbers(store, AuditFilter()) == [4, 5]
        assert await store.audit_head() == row(5).head
        later = AuditCheckpoint(4, row(4).hash, 4, 10, b"m")
        assert await store.drop_audit(later) == 1
        assert await store.audit_checkpoint() == later
