"""What a reader has to know for `jackfield_native` to read its files: what the lines say that this leaves to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from jackfield.api.telemetry import LogFile, UsageEntry

Counts = tuple[int, int, int, int]
Memory = tuple[str | None, str | None, str | None, str | None, tuple[Counts | None, str] | None, int | None, str | None]
"""What earlier lines have told: session, model, directory, service tier, total counts (or, where a number has more than
64 bits, their text), time up to which they repeat another session's, the provider's id of the answer
whose counts come next."""
LineResult = tuple[Memory, Sequence[UsageEntry]]


class SingleLineReader(Protocol):
    """A `UsageReader` of a form that `jackfield_native` knows."""

    def recalled(self, bookmark: bytes) -> Memory | None:
        """What a bookmark's memory holds; None: nothing."""

    def kept(self, memory: Memory) -> bytes:
        """The memory of a bookmark."""

    def read_line(self, file: LogFile, offset: int, line: bytes, memory: Memory) -> LineResult:
        """What one line says, and what is to be remembered after it."""
