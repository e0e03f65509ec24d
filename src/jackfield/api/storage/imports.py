"""The part of the store port that remembers what was taken over from other systems; see `jackfield.api.storage`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..records import record


@record
class ImportedId:
    """The local counterpart of an id of another system.

    `source`: the installation that it comes from. `kind`: such as `workflow` or `credential`. `digest`: of what was
    imported last under it, empty as long as it has only been referred to.
    """

    source: str
    kind: str
    foreign_id: str
    own_id: str
    digest: str
    updated_at: int


class ImportStore(Protocol):
    """Ids of documents elsewhere, and those of the documents that an import made of them."""

    async def imported_ids(self, source: str, kind: str) -> list[ImportedId]:
        """All of them, by foreign id."""

    async def put_imported_ids(self, ids: Sequence[ImportedId]) -> None:
        """Insert or replace each by source, kind and foreign id, in one transaction."""
