"""Abilities that a store may have beside `jackfield.api.storage.Store`: copies of itself, and reports of damage.

A store without it works; it can only not be backed up by `jackfield backup`, and the daemon is never degraded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class StoreCopies(Protocol):
    """Asked with `isinstance(context.store, StoreCopies)`."""

    def files(self) -> Sequence[Path]:
        """The files that are the store's own, there or not. A copy takes the place of the first; no other is part of a
        backup."""

    async def copy_to(self, file: Path) -> Sequence[str]:
        """Write all that was acknowledged before the call into this file, which is there and empty: one moment's state,
        while others read and write. The copy was checked when this returns.

        Returns:
            A sentence for each record that is damaged, while all others are whole.

        Raises:
            StoreUnavailable: The store does not answer or cannot be read; the message names the remedy.
        """

    async def damage(self) -> Sequence[str]:
        """Everything that is wrong with the stored data, a sentence each, after a look at all of it. It may take
        minutes; nobody is held up by it."""


@runtime_checkable
class DamageRecords(Protocol):
    """A store that knows when acknowledged data is lost or damaged. While it knows of any, `/ready` says `degraded`."""

    def known_damage(self) -> Sequence[str]:
        """The damage that was found, until somebody acknowledges it, over restarts too; a sentence each.

        From memory, as of the last `check` of the store.
        """

    async def acknowledge_damage(self) -> Sequence[str]:
        """Forget it; what was forgotten. Raises `ConfigurationError`."""
