"""The hosts' reports of their ledgers of usage, so that the reports are there when a host does not answer, or is gone.

A host reports its ledger day by day (UTC), each day as a whole. The contents are the matter of their writer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..records import record

MOST_DAY_BYTES = 16 * 2**20
"""Of one day."""


@record
class StoredLedger:
    """`id`: of the host's configuration directory, which stays when the host gets another name.

    `name`: the host's, as it was called last. `as_of`: the host has reported all that it counted until then (Unix ms,
    by the host's clock). `inside`: not for a caller who comes by one of `server.public_hosts`, because the host serves
    none.
    """

    id: str
    name: str
    as_of: int
    inside: bool = True


@record
class LedgerDay:
    """day: from 1970-01-01 on, UTC; version: later ones are greater; data: at most `MOST_DAY_BYTES`."""

    day: int
    version: int
    data: bytes


class LedgerStore(Protocol):
    """Part of the store port. All verbs raise `StoreUnavailable`."""

    async def put_ledger(self, ledger: StoredLedger, days: Sequence[LedgerDay]) -> None:
        """Its name and moment, and some days, each in place of what there was. A version that is not greater changes
        nothing, nor does an earlier moment, so that it may be repeated, and may come late."""

    async def ledgers(self) -> Sequence[StoredLedger]:
        """By name and id."""

    async def ledger_versions(self, ledger_id: str) -> Mapping[int, int]:
        """Day -> version, of all days that are there."""

    async def ledger_days(self, ledger_id: str, first: int, last: int, limit: int) -> Sequence[LedgerDay]:
        """From the day `first` to the day `last`, both included, at most `limit` of them, the earliest before the
        others."""

    async def forget_ledger_days(self, before: int) -> None:
        """Delete all earlier days of every ledger, and ledgers that have told nothing since then and have no day."""
