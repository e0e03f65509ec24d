"""Workflows that daemons share: what a store tells of the changes of others, and who makes a daemon serve them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from .records import record


@record
class ChangedWorkflows:
    """ids: of workflows that were saved, switched on or off, or deleted, each once. revision: how far this goes."""

    revision: int
    ids: Sequence[str]


@runtime_checkable
class SharedWorkflows(Protocol):
    """A store that is not exclusive (`OwnershipStore.exclusive`) and tells what others change in it. Without it daemons
    hear of each other's changes at their restart."""

    async def changed_workflows(self, since: int | None) -> ChangedWorkflows:
        """The changes that were committed after this revision; None: since this store was opened.

        A change is there as soon as it is committed, in whichever order changes began. While there is none, a look
        costs one row. The answer may leave out successful writes of this very object. Raises `StoreUnavailable`.
        """


class PeerChanges(Protocol):
    """Makes this daemon serve what other daemons have changed, as a port. It looks by itself every
    `workflows.peer_interval`, and whenever the bus tells of a change."""

    @property
    def shared(self) -> bool:
        """Whether other daemons may change workflows. If not, there is nothing to catch up with."""

    async def catch_up(self) -> None:
        """Returns when everything is served that was committed before the call, or after two seconds. Many calls at
        once share one look, and there are at most 20 looks a second. Raises `StoreUnavailable`."""
