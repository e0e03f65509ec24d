"""Which incarnations in a shared store were this daemon's own, so that it ends these alone. Another daemon may have the
same name by mistake, such as that of a copied configuration."""

from __future__ import annotations

import logging
import os
from collections import deque
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import append_private, read_private, write_private

FILE = "executions-lives"
MOST = 32
"""Lives that are remembered, the last ones."""


class KnownLives:
    """Kept in a file, which outlives the process. Without it, an earlier life is waited for, a lease at most."""

    def __init__(self, directory: Path, log: logging.Logger, worker: int = 0) -> None:
        """worker: its number, of one of several processes."""
        self._path = directory / (f"{FILE}-{worker}" if worker else FILE)
        self._log = log
        self._known: deque[str] | None = None

    def begin(self, life: str) -> list[str]:
        """Note a life before the store hears of it; those before it."""
        if self._known is None:
            self._known = self._read()
        earlier = list(self._known)
        self._known.append(life)
        try:
            descriptor = append_private(self._path)
            try:
                os.write(descriptor, f"{life}\n".encode())
            finally:
                os.close(descriptor)
        except (OSError, ConfigurationError) as exc:
            self._warn(exc)
        return earlier

    def _read(self) -> deque[str]:
        """The notes of earlier processes. A file that has become long is made short."""
        try:
            lines = (read_private(self._path) or b"").decode("ascii", "replace").split()
            if len(lines) > MOST:
                write_private(self._path, "".join(f"{line}\n" for line in lines[-MOST:]).encode())
        except (OSError, ConfigurationError) as exc:
            self._warn(exc)
            return deque(maxlen=MOST)
        return deque(lines, MOST)

    def _warn(self, error: Exception) -> None:
        self._log.warning("%s cannot be used; a start after a crash waits for a lease: %s", self._path, error)
