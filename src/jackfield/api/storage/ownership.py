"""The owners of executions: the part of the store port for daemons that share a store.

A daemon has one incarnation per life, and one lease for all that it runs. An open execution has an owner, the
incarnation that runs it or keeps it in memory, or none: then any daemon claims it. The rules, for every store:

- An incarnation is alive from its registration until it leaves or its daemon registers another one. It also ends when a
  claim of another daemon finds that its lease has run out. Once it is not alive, it never is again. A lease that has
  run out ends nothing by itself: until somebody claims, its owner writes and renews as before.

- A write with an `owner` raises `Fenced` and changes nothing when this incarnation is not alive. It does so too when
  the execution is open and has another owner or none. A write without an owner (None) raises it when the execution is
  open and has an owner. Writes to executions that are over or unknown do nothing, but raise `Fenced` for an incarnation
  that is not alive.

- Node runs come in numbered chunks, and a store keeps one per (execution, number). A write whose chunk is there already
  counts as a repetition: it changes nothing and succeeds, whoever owns the execution now. So a daemon may repeat any
  write whose outcome it does not know. Numbers may have gaps; a store reads chunks in their order. An empty chunk is
  none, and keeps no number.

- The store's own clock alone measures leases, never a daemon's. Due times are those of that clock: each renewal gives
  it, and a daemon makes the `due` of a claim from it.

- A store that restarts takes nobody for dead before it has been up for the longest lease and a second more. Its outage
  kept everybody from renewing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from ..records import record

if TYPE_CHECKING:
    import asyncio

OpenStatus = Literal["queued", "running", "waiting"]


@record
class Incarnation:
    """One life of a daemon.

    `id`: a fresh UUIDv7, made by the daemon. `daemon`: its name, the same in all of its lives and another one's never.
    `lease_ms`: so long others wait for a renewal before they take over what it has; more than 0. `earlier`: lives that
    the daemon knows for its own, which end with this one's registration; None: all of its name.
    """

    id: str
    daemon: str
    lease_ms: int
    earlier: Sequence[str] | None = None


@record
class Claimed:
    """An execution that a claim has given to its claimer.

    `status`: as before, so that a running one is still `running`. `epoch`: 1, and one more for each time that it was
    taken over. `taken_over`: this claim took it from an incarnation that died, with its node in flight if it ran. Else
    its owner handed it over in order, or nobody owned it.
    """

    id: str
    status: OpenStatus
    epoch: int
    taken_over: bool


@record
class Standing:
    """How an execution stands: what those ask for again and again who wait for its end. owner: as `StoredExecution` has
    it."""

    is_open: bool
    owner: str | None


@record
class Renewed:
    """`cancelled`: ids of open executions of this incarnation that somebody wants to end (`ask_cancel`), in any order.

    The store repeats them until they are over. At most 1000 at a time. `now_ms`: the store's clock, in Unix ms; None:
    the store has no clock.
    """

    cancelled: Sequence[str] = ()
    now_ms: int | None = None


class Renewals(Protocol):
    """Renews one incarnation.

    It belongs to one event loop, which may run in another thread than the store's. There it opens its resources (a
    connection) at the first renewal, and again when they break.
    """

    async def renew(self) -> Renewed:
        """The lease counts from now on. Raises `Fenced` when the incarnation is not alive, `StoreUnavailable`."""

    async def close(self) -> None:
        """On the same event loop. The incarnation stays as it is."""


class OwnershipStore(Protocol):
    """Part of the store port. `Fenced` and `StoreUnavailable` are raised as the module says."""

    @property
    def exclusive(self) -> bool:
        """Whether one daemon has the store for itself: then registering ends every other incarnation, leases never run
        out, and nobody need renew."""

    def register(self, incarnation: Incarnation) -> asyncio.Future[None]:
        """Queued in the order of the calls.

        The store takes writes of this owner that are queued behind it; claims and renewals wait for the future first.
        Every earlier incarnation of the same daemon is not alive from then on, and what it owns can be claimed. But the
        future fails with `Conflict`, and nothing changes, as long as the lease of one runs that is not among `earlier`.
        An exclusive store has no such check. Registering the same incarnation again while it is alive renews it; the
        future fails with `Fenced` when it is alive no more.
        """

    def renewals(self, owner: str) -> Renewals:
        """owner: an incarnation's id. Does not look whether it is alive."""

    async def claim_executions(
        self,
        owner: str,
        *,
        statuses: Sequence[OpenStatus],
        limit: int,
        due: int | None = None,
        only: Sequence[str] | None = None,
    ) -> list[Claimed]:
        """Own open executions that nobody alive owns, the oldest first (by id), at most `limit`. They have these
        statuses, and an id in `only` when it is given. Of the waiting, it takes those with a `resume_at` by `due` (Unix
        ms; None: none of them, unless `only` names it). No execution is given to two, and none that the claimer owns
        already. First, every other incarnation whose lease has run out is dead. One whose status is damaged counts as
        running.

        A claim whose outcome is not known is not repeated: `owned_executions` tells what came of it.
        Raises `Fenced`.
        """

    async def standing(self, execution_id: str) -> Standing | None:
        """Read without input and steps; None for one that is unknown."""

    async def owned_executions(self, owner: str) -> list[str]:
        """Ids of the open executions that this incarnation owns, in their order; also of one that is not alive."""

    def release_executions(self, owner: str, execution_ids: Sequence[str]) -> asyncio.Future[None]:
        """Hand over in order, behind all writes that were queued before: these executions have no owner any more, and
        those that ran are `queued`. Executions that this incarnation does not own stay as they are, without an error.
        Raises `Fenced`: then others take it over.
        """

    async def leave(self, owner: str) -> None:
        """An orderly end: release all that the incarnation owns, behind all writes that were queued before, and it is
        not alive any more. Does nothing for one that is not alive or unknown."""

    async def ask_cancel(self, execution_id: str) -> bool:
        """Store the wish that an execution ends; its owner, now or later, finds it with its next renewal.

        False, and nothing is stored, when it is over, unknown, or has no owner. Then the caller ends it, by finishing
        it without an owner.
        """
