"""One daemon per configuration directory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from jackfield.api.errors import ConfigurationError

_PID = 32
"""Characters that are read."""


class DirectoryLock:
    """An advisory lock on `daemon.lock`, which holds the pid, and one on the directory, which holds when somebody
    deletes that file. The kernel drops both with the process, so that a stale file never prevents a start."""

    def __init__(self, config_dir: Path) -> None:
        self._path = config_dir / "daemon.lock"
        self._descriptors: list[int] = []

    def claim(self) -> None:
        """Lock the directory, which takes no room on the disk. Raises `ConfigurationError`."""
        try:
            self._descriptors.append(os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            fcntl.flock(self._descriptors[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._taken() from None
        except OSError:
            return  # a file system that locks no directories; the file is locked

    def acquire(self) -> None:
        """Lock both. Raises `ConfigurationError` that names the holder's pid."""
        if not self._descriptors:
            self.claim()
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise ConfigurationError(f"{self._path} cannot be written: {exc.strerror}.") from None
        self._descriptors.append(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._taken() from None
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as exc:
            self.release()
            raise ConfigurationError(f"{self._path} cannot be written: {exc.strerror}.") from None

    def _taken(self) -> ConfigurationError:
        self.release()
        try:
            holder = f"pid {self._path.read_text(errors='replace').strip()[:_PID] or 'unknown'}"
        except OSError:
            holder = "whose daemon.lock was deleted"
        return ConfigurationError(
            f"Another daemon ({holder}) already uses {self._path.parent}; stop it or choose another --config-dir."
        )

    def release(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())
