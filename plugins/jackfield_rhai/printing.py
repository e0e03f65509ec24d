"""The output of scripts, kept apart per evaluation: one engine serves several threads, and each runs one script."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ScriptOutput:
    """Collects the lines of the evaluation that runs in the current thread."""

    def __init__(self, lines: int, length: int) -> None:
        self._most = lines
        self._length = length
        self._local = threading.local()

    @contextmanager
    def collect(self) -> Iterator[list[str]]:
        """The lines printed inside, at most that many, each cut to its length."""
        found: list[str] = []
        self._local.lines = found
        try:
            yield found
        finally:
            self._local.lines = None

    def take(self, text: str) -> None:
        """One text that was printed."""
        lines: list[str] | None = getattr(self._local, "lines", None)
        if lines is not None and len(lines) < self._most:
            lines.append(text[: self._length])

    def debug(self, text: str, source: str | None, line: int | None, column: int | None) -> None:
        """One value that `debug` showed."""
        self.take(text if line is None else f"line {line}: {text}")
