"""Agents in terminals of persons, which no daemon has started: each command notes its process beside the profile.

The note is a file that the process locks, so that the end of the process, however it comes, is the end of the note.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import private_directory


class OwnTerminals:
    """Upper and lower case of a name make no difference. All of it blocks."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    @contextlib.contextmanager
    def noted(self, alias: str) -> Iterator[None]:
        """This process runs the agent. To be entered while nobody changes the profile. Raises `ConfigurationError`."""
        private_directory(self._directory)
        self.processes(alias)  # so that notes of killed processes do not pile up
        try:  # a file that nobody else has: containers that share the directory number their processes alike
            descriptor, name = tempfile.mkstemp(prefix=f"{_prefix(alias)}{os.getpid()}-", dir=self._directory)
        except OSError as exc:
            raise ConfigurationError(f"No file can be made in {self._directory}: {exc.strerror}.") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            Path(name).unlink(missing_ok=True)
            os.close(descriptor)

    def processes(self, alias: str) -> Sequence[int]:
        """Those that live, by number. Notes of others are removed; so nobody may begin meanwhile."""
        prefix = _prefix(alias)
        try:
            files = [file for file in self._directory.iterdir() if file.name.startswith(prefix)]
        except FileNotFoundError:
            return []
        numbers = {file: file.name.removeprefix(prefix).partition("-")[0] for file in files}
        return sorted(int(pid) for file, pid in numbers.items() if pid.isdecimal() and _is_held(file))


def _prefix(alias: str) -> str:
    return f".{alias.lower()}.process-"


def _is_held(path: Path) -> bool:
    """One that nobody holds is removed. One that cannot be opened, such as another account's, may be held."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
