"""One daemon per configuration directory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from jackfield.api.errors import ConfigurationError


class DirectoryLock:
    """An advisory lock on `daemon.lock`, which holds the pid. The kernel drops it with the process, so that a stale
    file never prevents a start."""

    def __init__(self, config_dir: Path) -> None:
        self._path = config_dir / "daemon.lock"
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Raises `ConfigurationError` that names the holder's pid."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise ConfigurationError(f"{self._path} cannot be written: {exc.strerror}.") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(descriptor)
            raise ConfigurationError(
                f"Another daemon (pid {holder}) already uses {self._path.parent}; "
                "stop it or choose another --config-dir."
            ) from None
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as exc:
            os.close(descriptor)
            raise ConfigurationError(f"{self._path} cannot be written: {exc.strerror}.") from None
        self._descriptor = descriptor

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
