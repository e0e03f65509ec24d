"""Is the chain whole? From the checkpoint, or the first record, to the last: hashes, stamps, texts to filter by."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Sequence

from jackfield.api import jsontext
from jackfield.api.audit import link, stamp
from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged, InvalidInput
from jackfield.api.json_values import Json
from jackfield.api.projects import whole_store
from jackfield.api.records import record
from jackfield.api.storage.audit import AuditCheckpoint, AuditFilter, AuditHead, AuditRow
from jackfield_audit.anchor import Anchor
from jackfield_audit.chain import KEY

_AT_ONCE = 1000
"""Records that are read at a time."""


@record
class Verdict:
    """`records`: looked at. `first`, `last`: their numbers. `dropped`: by retention before. `broken`: number of the
    first record that is wrong, None: the chain is whole. `problem`: a sentence. `unvouched`: how many at the end have
    no stamp of a key that this daemon has."""

    records: int
    first: int
    last: int
    dropped: int
    broken: int | None = None
    problem: str = ""
    unvouched: int = 0

    @property
    def good(self) -> bool:
        return self.broken is None and not self.unvouched

    def shown(self) -> dict[str, Json]:
        return {
            "whole": self.good, "records": self.records, "first": self.first, "last": self.last,
            "dropped": self.dropped, "brokenAt": self.broken, "problem": self.problem, "unvouched": self.unvouched,
        }  # fmt: skip


class _Walk:
    """Record by record. `keys`: the current one and earlier ones."""

    def __init__(self, start: AuditHead, keys: Sequence[bytes], anchor: AuditHead | None) -> None:
        self._keys = keys
        self._anchor = anchor
        self.head = start
        self.records = 0
        self.vouched = start.number
        """The last record with a stamp of a key that is here: it vouches for all before."""

    def past(self, rows: Sequence[AuditRow]) -> tuple[int, str] | None:
        """The number of the first wrong one, and a sentence."""
        for row in rows:
            if problem := self._wrong(row):
                return min(row.number, self.head.number + 1), problem
            self.head = row.head
            self.records += 1
            if any(hmac.compare_digest(stamp(key, row.number, row.hash), row.mac) for key in self._keys):
                self.vouched = row.number
        return None

    def _wrong(self, row: AuditRow) -> str:
        expected = self.head.number + 1
        if row.number != expected:
            return f"Record {expected} is missing; the next one is {row.number}."
        if link(self.head.hash, row.data) != row.hash:
            return f"Record {row.number} does not follow from the one before: one of them was changed."
        if not _same(row):
            return f"The columns of record {row.number} say something else than the record."
        if self._anchor is not None and self._anchor.number == row.number and self._anchor.hash != row.hash:
            return f"Record {row.number} is not the one that this daemon has written."
        return ""


def _same(row: AuditRow) -> bool:
    """Whether what lists filter by is what the record says."""
    try:
        told = jsontext.loads(row.data)
    except InvalidInput:
        return False
    if not isinstance(told, dict):
        return False
    actor = told.get("actor")
    found = (
        told.get("number"), told.get("at"), told.get("act"), actor.get("id", "") if isinstance(actor, dict) else "",
        told.get("kind", ""), told.get("subject", ""), told.get("project", ""), told.get("outcome"),
    )  # fmt: skip
    return found == (
        row.number, row.at, row.act, row.actor, row.kind, row.subject, row.project, row.outcome
    )  # fmt: skip


def checkpoint_stamp(key: bytes, number: int, digest: bytes, dropped: int, at: int) -> bytes:
    """Of `AuditCheckpoint.mac`."""
    return stamp(key, number, digest, dropped, at)


def _vouches(keys: Sequence[bytes], left: AuditCheckpoint) -> bool:
    return any(
        hmac.compare_digest(checkpoint_stamp(key, left.number, left.hash, left.dropped, left.at), left.mac)
        for key in keys
    )


async def _anchor(context: PluginContext) -> tuple[AuditHead | None, str]:
    """The chain's end as the directory has it; a sentence where its file is damaged."""
    try:
        return await asyncio.to_thread(Anchor(context).read), ""
    except DataDamaged as exc:
        return None, exc.message


async def verify(context: PluginContext) -> Verdict:
    """Read the whole chain. Raises `StoreUnavailable`."""
    store = whole_store(context.store)
    keys = [context.secrets.key(KEY), *context.secrets.earlier_keys(KEY)]
    anchor, damage = await _anchor(context)
    left = await store.audit_checkpoint()
    start = AuditHead() if left is None else AuditHead(left.number, left.hash)
    walk, dropped = _Walk(start, keys, anchor), left.dropped if left else 0
    first = start.number + 1
    wrong: tuple[int, str] | None = None
    if left is not None and not _vouches(keys, left):
        wrong = left.number, f"The checkpoint behind record {left.number} has no stamp of a key of this daemon."
    while wrong is None:
        rows = await store.audit_rows(AuditFilter(), after=walk.head.number, limit=_AT_ONCE, newest_first=False)
        if not rows:
            break
        wrong = await asyncio.to_thread(walk.past, rows)
        if wrong is not None and (moved := await store.audit_checkpoint()) != left and moved is not None:
            return await verify(context)  # retention has dropped a segment meanwhile
    if wrong is None and anchor is not None and anchor.number > walk.head.number:
        wrong = walk.head.number + 1, f"The records up to {anchor.number}, which this daemon has seen, are missing."
    if wrong is None and damage:
        wrong = walk.head.number + 1, damage
    unvouched = 0 if wrong else walk.head.number - max(walk.vouched, start.number)
    problem = wrong[1] if wrong else ""
    if unvouched:
        problem = f"The last {unvouched} records have no stamp of a key of this daemon."
    return Verdict(
        walk.records, first if walk.records else 0, walk.head.number, dropped, wrong[0] if wrong else None, problem,
        unvouched,
    )  # fmt: skip
