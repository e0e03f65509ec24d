"""Entries: values that a plugin keeps in the store when it has no tables there, such as evaluations and their runs.

An entry has a kind, which belongs to one plugin, and an id that is unique in its kind. Its revision tells whether
somebody else has changed it since it was read, so that daemons that share a store never overwrite each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..records import record

MOST_ENTRY_BYTES = 16 * 2**20
"""Of one entry."""


@record
class Entry:
    """`kind`, `id`, `parent`: at most 200 characters without a NUL.

    `parent`: what it belongs to, empty: nothing. `place`: where it stands among the entries of its parent. `revision`:
    above 0. `data`: at most `MOST_ENTRY_BYTES`.
    """

    kind: str
    id: str
    parent: str
    place: int
    revision: int
    data: bytes


class EntryStore(Protocol):
    """Part of the store port. All verbs raise `StoreUnavailable`."""

    async def entry(self, kind: str, entry_id: str) -> Entry | None: ...

    async def put_entry(self, entry: Entry, before: int | None) -> bool:
        """Store it if its revision there is still `before`; None: if there is none yet. Of many at once, from several
        daemons too, one gets True; False: it was another, and nothing changed."""

    async def entries(
        self, kind: str, parent: str, *, after: tuple[int, str] | None, limit: int, newest_first: bool
    ) -> Sequence[Entry]:
        """Those of a parent by place, then by id (UTF-8 bytes), upwards or downwards, at most `limit`.

        `after`: only what follows this place and id in that order; None: from the beginning.
        """

    async def entry_count(self, kind: str, parent: str) -> int:
        """How many the parent has."""

    async def delete_entry(self, kind: str, entry_id: str) -> bool:
        """Whether it was there."""

    async def delete_entries(self, kind: str, parent: str) -> int:
        """All of a parent; how many there were."""
