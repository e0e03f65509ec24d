"""Agents in terminals of persons, which no daemon has started: each command notes its process beside the profile.

The note is a file that the process locks, so that the end of the process, however it comes, is the end of the note.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
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
        path = self._directory / f"{_prefix(alias)}{os.getpid()}"
        private_directory(self._directory)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as exc:
            raise ConfigurationError(f"The note {path} cannot be used: {exc.strerror}; remove it.") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            path.unlink(missing_ok=True)
            os.close(descriptor)

    def processes(self, alias: str) -> Sequence[int]:
        """Those that live, by number. Notes of others are removed; so nobody may begin meanwhile."""
        prefix = _prefix(alias)
        try:
            files = [file for file in self._directory.iterdir() if file.name.startswith(prefix)]
        except FileNotFoundError:
            return []
        return sorted(
            int(pid) for file in files if (pid := file.name.removeprefix(prefix)).isdecimal() and _is_held(file)
        )


def _prefix(alias: str) -> str:
    return f".{alias.lower()}.process-"


def _is_held(path: Path) -> bool:
    """One that nobody holds is removed."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
