"""An ability that a store may have beside `jackfield.api.storage.Store`.

It gives documents from before secrets were sealed, or from before the key was replaced that sealed them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from .records import record
from .workflows import Document


@record
class OldDocument:
    """key: where the store has it, in the store's own words."""

    key: tuple[str, int]
    document: Document


@runtime_checkable
class OldDocuments(Protocol):
    """Asked with `isinstance(context.store, OldDocuments)`."""

    async def old_documents(self, limit: int) -> list[OldDocument]:
        """Some of the documents, of versions and of executions, whose secrets may be in clear. Raises
        `StoreUnavailable`."""

    async def all_are_old(self) -> None:
        """From now on every document counts as old, because the key that sealed it was replaced. Raises
        `StoreUnavailable`."""

    async def put_old_documents(self, documents: Sequence[OldDocument]) -> None:
        """Replace these; they are not old any more.

        Documents that are gone meanwhile stay gone. Raises `StoreUnavailable`.
        """

    async def wipe(self) -> None:
        """Leave nothing of the replaced values in the store's files, as far as the store can see.

        Raises `StoreUnavailable`.
        """
