"""Which executions refer to which kept files: the part of the store port for files that several daemons share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class FileStore(Protocol):
    """References, each of an execution to a file, and the files that lost their last one.

    The daemon writes a reference before the file, so that it always finds the leftovers of a crash. `now`, `before`:
    Unix milliseconds, by the daemon's clock.
    """

    async def refer_to_files(self, execution_id: str, file_ids: Sequence[str], now: int) -> Sequence[str]:
        """The execution refers to these files; repeated, it changes nothing. The execution may not be stored yet, and
        a file that was released is not any more. Gives those to which it does not refer, because somebody has claimed
        them and deletes them now."""

    async def release_files(self, execution_ids: Sequence[str], now: int) -> None:
        """These executions refer to no files any more. A file that no other one refers to counts as released from
        now on."""

    async def executions_without_row(self, before: int, after: str, limit: int) -> list[str]:
        """Ids, in their order, of executions that have references, are not kept, and referred to nothing new since
        `before`. Behind the id `after`, which is empty at first."""

    async def released_files(self, before: int, limit: int) -> list[str]:
        """Ids of files that were released before then, and that nobody has referred to since, claimed ones too; the
        oldest first."""

    async def claim_files(self, before: int, now: int, limit: int) -> list[str]:
        """The same files, for whoever deletes them: from now on nobody refers to them, until they are forgotten. Those
        that were claimed before `before` come again, because whoever did so has died over it."""

    async def forget_files(self, file_ids: Sequence[str]) -> None:
        """These files are deleted, and may be made anew. One that an execution refers to again keeps its references."""
