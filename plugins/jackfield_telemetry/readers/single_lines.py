"""The knowledge that `jackfield_native` needs of a reader to read its files: the meaning of the lines that it leaves to
the reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jackfield.api.telemetry import LogFile, UsageEntry

Counts = tuple[int, int, int, int]
Memory = tuple[str | None, str | None, str | None, str | None, tuple[Counts | None, str] | None, int | None, str | None]
"""The facts that earlier lines have told: session, model, directory, service tier, total counts (or, where a number has
more than 64 bits, their text). Then the time up to which they repeat another session's. Then the provider's id of the
answer whose counts come next.
"""
LineResult = tuple[Memory, Sequence[UsageEntry]]


class SingleLineReader(Protocol):
    """A `UsageReader` of a form that `jackfield_native` knows."""

    def recalled(self, bookmark: bytes) -> Memory | None:
        """The memory in a bookmark; None: nothing."""

    def kept(self, memory: Memory) -> bytes:
        """The memory of a bookmark."""

    def read_line(self, file: LogFile, offset: int, line: bytes, memory: Memory) -> LineResult:
        """The result of one line, and the memory after it."""
