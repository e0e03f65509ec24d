"""Room that is kept in the configuration directory for a start on a full disk.

A start writes little (the lock, the log, SQLite's shared memory), and cannot do without it. So a file takes that room
while there is some, and a start that finds the disk full removes the file first.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

NAME = ".disk-reserve"


class DiskReserve:
    """size: bytes; 0 keeps none."""

    def __init__(self, config_dir: Path, size: int) -> None:
        self._path = config_dir / NAME
        self._size = size

    def prepare(self) -> bool:
        """Use the reserve if the disk is full, else make it where it is missing. True: the disk has less room than the
        reserve takes."""
        try:
            disk = os.statvfs(self._path.parent)
            is_full = disk.f_bavail * disk.f_frsize < self._size
            if is_full or not self._size:
                self._path.unlink(missing_ok=True)
            elif not self._path.exists():
                self._make()
        except OSError:
            return False  # what then fails says why
        return is_full

    def _make(self) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, self._size)
        except OSError:
            with contextlib.suppress(OSError):
                self._path.unlink()
        finally:
            os.close(descriptor)
