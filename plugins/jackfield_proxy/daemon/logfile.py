"""A proxy's log: `logs/proxy/<alias>.log` below the configuration directory, rotated once."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path

from jackfield.api.files import append_private, private_directory

LONGEST_LINE = 4096
"""Bytes of a line that are kept."""


class ProxyLogFile:
    """The log of one proxy's process, rotated once when it is large. All of it blocks."""

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit

    def append(self, lines: list[str]) -> None:
        private_directory(self._path.parent)
        text = b"".join(line.encode("utf-8", "replace")[:LONGEST_LINE] + b"\n" for line in lines)
        descriptor = append_private(self._path)
        try:
            os.write(descriptor, text)
            full = os.fstat(descriptor).st_size > self._limit
        finally:
            os.close(descriptor)
        if full:
            self._path.replace(self._path.with_suffix(".log.1"))

    def tail(self, count: int) -> list[str]:
        """The last lines, the oldest first; also of the rotated file while the current one is short."""
        found: deque[str] = deque(maxlen=count)
        for path in (self._path.with_suffix(".log.1"), self._path):
            if path.is_file() and not path.is_symlink():
                found.extend(path.read_text("utf-8", "replace").splitlines())
        return list(found)
