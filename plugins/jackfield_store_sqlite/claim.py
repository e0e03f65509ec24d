"""One daemon per database file, whatever became of the lock file beside it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield_store_sqlite.connections import create_file


class FileClaim:
    """A lock on the database file itself, beside SQLite's own, which are of another kind (flock and fcntl). The kernel
    drops it with the process. Commands beside a running daemon open the file without it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None

    def take(self) -> None:
        """Raises `ConfigurationError` when another daemon has it."""
        try:
            create_file(self._file)
            descriptor = os.open(self._file, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return  # opening the store says what is wrong
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise ConfigurationError(
                f"Another daemon already uses the database {self._file}; stop it, or choose another --config-dir or "
                "store.sqlite.file."
            ) from None
        except OSError:
            os.close(descriptor)  # a file system that knows no such locks
            return
        self._descriptor = descriptor

    def release(self) -> None:
        """After the last connection: closing a descriptor of the file drops SQLite's own locks of this process."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None
