"""Incarnations and what they own, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from jackfield.api.records import replace

from ...api.clock import Clock
from ...api.errors import Conflict, Fenced
from ...api.storage import Claimed, Incarnation, OpenStatus, Renewed, Standing
from ...api.storage.hosts import StoredHost
from .tables import MemoryRun, MemoryTables

MOST_TOLD = 1000


@dataclass
class MemoryLease:
    """until: of the store's clock, in seconds; None: it does not run out."""

    incarnation: Incarnation
    until: float | None
    alive: bool = True


class MemoryRenewals:
    """`Renewals`"""

    def __init__(self, store: MemoryOwnership, owner: str) -> None:
        self._store = store
        self._owner = owner

    async def renew(self) -> Renewed:
        return self._store.renewed(self._owner)

    async def close(self) -> None:
        """Nothing was opened."""


class MemoryOwnership(MemoryTables):
    """Part of `MemoryStore`."""

    def __init__(self, clock: Clock | None = None) -> None:
        """clock: by which leases run out; None: the store is for one daemon alone, and they do not."""
        super().__init__()
        self._clock = clock
        self._leases: dict[str, MemoryLease] = {}
        self._cancelled: set[str] = set()
        self._hosts: dict[str, tuple[StoredHost, int]] = {}
        """By name, with the time of its last renewal, in ms."""

    @property
    def exclusive(self) -> bool:
        return self._clock is None

    def register(self, incarnation: Incarnation) -> asyncio.Future[None]:
        return self._queued(lambda: self._begin_life(incarnation))

    def renewals(self, owner: str) -> MemoryRenewals:
        return MemoryRenewals(self, owner)

    def renewed(self, owner: str) -> Renewed:
        """See `Renewals.renew`."""
        self._answer()
        self._expect_alive(owner)
        lease = self._leases[owner]
        lease.until = self._until(lease.incarnation)
        wanted = sorted(ident for ident in self._cancelled if self._is_open(ident))
        self._cancelled = {*wanted}
        told = [ident for ident in wanted if self._runs[ident].owner == owner][:MOST_TOLD]
        return Renewed(told, None if self._clock is None else self._clock.now_ms())

    async def claim_executions(
        self,
        owner: str,
        *,
        statuses: Sequence[OpenStatus],
        limit: int,
        due: int | None = None,
        only: Sequence[str] | None = None,
    ) -> list[Claimed]:
        self._answer()
        self._expect_alive(owner)
        self._end_expired(owner)
        found = [
            run
            for ident, run in sorted(self._runs.items())
            if self._is_open(ident)
            and run.row.status in statuses
            and (only is None or ident in only)
            and (run.row.status != "waiting" or (only is not None and due is None) or _due(run, due))
            and not self._is_alive(run.owner)
        ][:limit]
        return [self._given(run, owner) for run in found]

    async def standing(self, execution_id: str) -> Standing | None:
        self._answer()
        run = self._runs.get(execution_id)
        return None if run is None else Standing(run.row.finished_at is None, run.owner)

    async def owned_executions(self, owner: str) -> list[str]:
        self._answer()
        return sorted(ident for ident, run in self._runs.items() if run.owner == owner and self._is_open(ident))

    def release_executions(self, owner: str, execution_ids: Sequence[str]) -> asyncio.Future[None]:
        def change() -> None:
            self._expect_alive(owner)
            self._release(owner, execution_ids)

        return self._queued(change)

    async def leave(self, owner: str) -> None:
        self._answer()
        if self._is_alive(owner):
            self._release(owner, list(self._runs))
            self._leases[owner].alive = False

    async def ask_cancel(self, execution_id: str) -> bool:
        self._answer()
        if not self._is_open(execution_id) or self._runs[execution_id].owner is None:
            return False
        self._cancelled.add(execution_id)
        return True

    def _begin_life(self, incarnation: Incarnation) -> None:
        if incarnation.id in self._leases:
            self._expect_alive(incarnation.id)
        elif any(self._is_in_the_way(lease, incarnation) for lease in self._leases.values()):
            raise Conflict("Another daemon has this name.")
        for lease in self._leases.values():
            if lease.incarnation.id != incarnation.id:
                lease.alive &= not self.exclusive and lease.incarnation.daemon != incarnation.daemon
        self._leases[incarnation.id] = MemoryLease(incarnation, self._until(incarnation))

    def _is_in_the_way(self, lease: MemoryLease, fresh: Incarnation) -> bool:
        if fresh.earlier is None or self._clock is None or lease.until is None or not lease.alive:
            return False
        other, runs = lease.incarnation, lease.until > self._clock.monotonic()
        return runs and other.daemon == fresh.daemon and other.id not in fresh.earlier

    def _until(self, incarnation: Incarnation) -> float | None:
        return None if self._clock is None else self._clock.monotonic() + incarnation.lease_ms / 1000

    def _end_expired(self, claimer: str) -> None:
        for lease in self._leases.values():
            if lease.incarnation.id != claimer and lease.until is not None and self._clock is not None:
                lease.alive &= lease.until > self._clock.monotonic()

    def _is_open(self, execution_id: str) -> bool:
        run = self._runs.get(execution_id)
        return run is not None and run.row.finished_at is None

    def _is_alive(self, owner: str | None) -> bool:
        lease = None if owner is None else self._leases.get(owner)
        return lease is not None and lease.alive

    def _expect_alive(self, owner: str | None) -> None:
        if owner is not None and not self._is_alive(owner):
            raise Fenced

    def _expect_owner(self, execution_id: str, owner: str | None) -> None:
        """Raises `Fenced` unless this one may change the execution."""
        self._expect_alive(owner)
        if self._is_open(execution_id) and self._runs[execution_id].owner != owner:
            raise Fenced

    def _given(self, run: MemoryRun, owner: str) -> Claimed:
        taken_over = run.owner is not None
        run.owner = owner
        run.epoch += taken_over
        return Claimed(run.row.id, cast("OpenStatus", run.row.status), run.epoch, taken_over)

    def _release(self, owner: str, execution_ids: Sequence[str]) -> None:
        for run in (self._runs[ident] for ident in execution_ids if self._is_open(ident)):
            if run.owner == owner:
                run.owner = None
                if run.row.status == "running":
                    run.row = replace(run.row, status="queued")


def _due(run: MemoryRun, now: int | None) -> bool:
    return now is not None and run.row.resume_at is not None and run.row.resume_at <= now
