"""How a store of files (`jackfield.api.binary.BinaryStore`) lets its files be copied to another one, under the ids that
they have: `jackfield store copy --files-to`. No daemon uses either of them meanwhile.

Some stores know by themselves who refers to a file, such as directories with links; for others the store has rows.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from typing import Protocol, runtime_checkable

from .binary_drivers import Incoming
from .records import record


@record
class HeldFile:
    """A file of an execution. made_at: when it became the execution's, Unix ms."""

    execution_id: str
    file_id: str
    made_at: int


class FileMover(Protocol):
    """Reading and filling.

    Asynchronous methods raise `BinaryError`, and `BinaryUnavailable` when the whole store does not answer.
    """

    @property
    def place(self) -> str:
        """Where it is, for people, without a secret. Two stores of one place are one."""

    @property
    def by_rows(self) -> bool:
        """Whether the rows of the store (`FileStore`) say who refers to what."""

    def held(self) -> Iterator[HeldFile]:
        """All of them, by execution and file; none where rows say it. Blocks."""

    async def size(self, execution_id: str, file_id: str) -> int | None:
        """Bytes of the execution's file; None: there is none."""

    def content(self, execution_id: str, file_id: str) -> AsyncGenerator[bytes, None]:
        """From its beginning."""

    def digest(self, file_id: str) -> str:
        """The SHA-256 that its content must have; empty: that is not known. Blocks."""

    def incoming(self, execution_id: str, file_id: str) -> Incoming:
        """It, in place of what there may be. It is the execution's then, where no rows say it."""

    async def share(self, execution_id: str, file_id: str) -> None:
        """A file that has come belongs to one more execution, where no rows say it."""


@runtime_checkable
class MovableFiles(Protocol):
    """Asked with `isinstance(store, MovableFiles)`."""

    def mover(self) -> FileMover:
        """No I/O."""
