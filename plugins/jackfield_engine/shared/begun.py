"""Notes of what this process has begun of executions that an earlier one left open.

A mark in the store says that a process was about to go on with an execution. A note says that a node of it began. The
note is written with one call to the kernel, right before the node. It survives a kill of the process at any moment, and
costs no commit. A power cut may take it along, which is no execution's doing.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from pathlib import Path

from jackfield.api.errors import ConfigurationError
from jackfield.api.files import append_private, read_private, write_private
from jackfield.api.ids import new_id

FILE = "executions-begun"
MOST = 100_000
"""Notes that are kept; beyond, a crash counts against no execution."""


class BegunNotes:
    """Lives of the daemon, each with the executions of which it began a node."""

    def __init__(self, directory: Path, log: logging.Logger) -> None:
        self.life = new_id()
        self._path = directory / FILE
        self._log = log
        self._notes: set[str] = set()
        self._descriptor: int | None = None
        self._failed = False

    def read(self) -> set[str]:
        """Take over the notes of earlier lives; the ids of their executions."""
        try:
            found = read_private(self._path)
        except (OSError, ConfigurationError) as exc:
            self._warn(exc)
            found = None
        lines = (found or b"").decode("ascii", "replace").splitlines()
        self._notes = {line for line in lines[:MOST] if len(line.split(" ")) == 2}
        return {note.split(" ")[1] for note in self._notes}

    def keep(self, executions: Collection[str]) -> None:
        """Forget the notes of all other executions."""
        kept = {note for note in self._notes if note.split(" ")[1] in executions}
        if len(kept) == len(self._notes):
            return
        self._notes = kept
        self.close()
        try:
            write_private(self._path, "".join(f"{note}\n" for note in sorted(kept)).encode())
        except (OSError, ConfigurationError) as exc:
            self._warn(exc)

    def note(self, execution_id: str) -> None:
        """A node of the execution begins in this life."""
        note = f"{self.life} {execution_id}"
        if note in self._notes or len(self._notes) >= MOST:
            return
        self._notes.add(note)
        try:
            if self._descriptor is None:
                self._descriptor = append_private(self._path)
            os.write(self._descriptor, f"{note}\n".encode())
        except (OSError, ConfigurationError) as exc:
            self._warn(exc)

    def has(self, life: str, execution_id: str) -> bool:
        """Whether that life began a node of the execution."""
        return f"{life} {execution_id}" in self._notes

    def close(self) -> None:
        """The next note opens the file again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _warn(self, error: Exception) -> None:
        if not self._failed:
            self._log.warning("%s cannot be used; crashes are counted for no execution: %s", self._path, error)
        self._failed = True
