"""Where daemons that share a store register, so that each knows the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ..records import record

FORGET_AFTER_DAYS = 7
"""A host that has not renewed for so long is forgotten."""


@record
class HostEntry:
    """A host's description of itself.

    `id`: of its configuration directory, which tells a restart from a second daemon with the same name. `about`: JSON
    of at most 16,000 characters. `lease_ms`: so long it counts as alive.
    """

    name: str
    id: str
    lease_ms: int
    about: str


@record
class StoredHost:
    """age_ms: since its last renewal, by the store's clock; left: it has ended in order."""

    entry: HostEntry
    draining: bool
    age_ms: int
    left: bool = False

    @property
    def alive(self) -> bool:
        return not self.left and self.age_ms <= self.entry.lease_ms


@runtime_checkable
class HostStore(Protocol):
    """Part of a store that is not exclusive (`OwnershipStore.exclusive`). Times are those of the store's own clock. All
    verbs raise `StoreUnavailable`."""

    async def renew_host(self, entry: HostEntry) -> bool:
        """It is alive from now on for its lease; whether it is to be drained. Raises `Conflict` as long as the lease of
        another id with this name runs. Those that are forgotten are deleted."""

    async def stored_hosts(self) -> Sequence[StoredHost]:
        """By name, whether they are alive or not."""

    async def drain_host(self, name: str, draining: bool) -> bool:
        """False: there is no such host."""

    async def leave_host(self, name: str, id: str) -> None:
        """An orderly end. Does nothing when another id has the name."""
