"""The results of detections, kept in `cache/agent-detections.json`: a program is asked once, not at every start."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

from jackfield.api.errors import JackfieldError
from jackfield.api.files import private_directory, read_private, write_private
from jackfield.api.records import record

MOST = 1000
"""Commands."""
FORMAT = 1


@record
class ProgramAnswer:
    """The answer of a program. `path`, `mtime_ns`, `size`: of the program then. `failure`: None when it counts as
    installed. `took_ms`, `checked_ms`: how long it took, and when (Unix ms). `timed_out`: it did not end; that is not
    kept."""

    path: str
    mtime_ns: int
    size: int
    failure: str | None
    version: str | None
    took_ms: int
    checked_ms: int
    timed_out: bool = False


@record
class _Stored:
    format: int
    commands: dict[str, ProgramAnswer]


class ProgramAnswerCache:
    """Command -> answer. Methods that touch the file block; they may be called on several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: str | None = None
        """The fault of the file when it was read; it is then made anew."""
        self._answers: dict[str, ProgramAnswer] = {}
        self._stamp: tuple[int, int, int] | None = None
        self._busy = threading.Lock()

    def refresh(self) -> None:
        """Read the file if it is another than last time: another process may have written it."""
        with self._busy:
            stamp = self._look()
            if stamp is not None and stamp != self._stamp:
                self._stamp = stamp
                self._answers = self._read()

    def get(self, command: str) -> ProgramAnswer | None:
        return self._answers.get(command)

    def all(self) -> Mapping[str, ProgramAnswer]:
        return self._answers

    def put(self, command: str, answer: ProgramAnswer) -> None:
        """Until `save` in memory only. The oldest of more than `MOST` are forgotten."""
        self._answers.pop(command, None)
        self._answers[command] = answer
        while len(self._answers) > MOST:
            del self._answers[next(iter(self._answers))]

    def clear(self) -> None:
        """Until `save` in memory only."""
        self._answers = {}

    def save(self) -> None:
        """Raises `ConfigurationError` when the directory cannot be written."""
        with self._busy:
            private_directory(self.path.parent)
            lasting = {command: answer for command, answer in self._answers.copy().items() if not answer.timed_out}
            write_private(self.path, msgspec.json.encode(_Stored(FORMAT, lasting)))
            self._stamp = self._look()

    def _look(self) -> tuple[int, int, int] | None:
        with contextlib.suppress(OSError):
            found = self.path.stat()
            return found.st_mtime_ns, found.st_ino, found.st_size
        return None

    def _read(self) -> dict[str, ProgramAnswer]:
        self.damage = None
        try:
            stored = msgspec.json.decode(read_private(self.path) or b"", type=_Stored)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, JackfieldError) as exc:
            self.damage = f"{self.path} is no cache of detections ({exc}); it is made anew"
            return {}
        return stored.commands if stored.format == FORMAT else {}
