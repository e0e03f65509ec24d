"""Sessions of agents whose runs are going on, in `runs/`.

A run that a crash or a stop of the daemon interrupts goes on with its agent's session. A note is on the disk before the
agent starts, or as soon as its output names the session.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from jackfield.api.agents import Headless
from jackfield.api.errors import JackfieldError
from jackfield.api.files import private_directory, read_private, write_private
from jackfield.api.profiles import HeadlessRequest, Profile
from jackfield.api.records import record
from jackfield_profiles.launching.headless import SESSION, parsed_line, value_at

DIRECTORY = "runs"
_LINE = 1 << 20
"""Bytes of a line of output that are looked at for a session."""


@record
class RunNote:
    """work: what was asked for, as a digest. alias, agent: whose session it is."""

    work: str
    alias: str
    agent: str
    session: str


class InterruptedRuns:
    """The notes of one configuration directory. All of it blocks."""

    def __init__(self, config_dir: Path, within: float) -> None:
        """within: seconds that a note counts."""
        self._directory = config_dir / DIRECTORY
        self._within = within

    def note(self, profile: Profile, request: HeadlessRequest, session: str) -> None:
        """Its run has this session. Raises `JackfieldError`, `OSError`."""
        if request.key is None:
            return
        private_directory(self._directory)
        made = RunNote(_work(request), profile.alias, profile.agent_id, session)
        write_private(self._path(request.key), msgspec.json.encode(made))

    def forget(self, request: HeadlessRequest) -> None:
        """Its run is over."""
        if request.key is not None:
            with suppress(OSError):
                self._path(request.key).unlink()

    def session(self, profile: Profile, request: HeadlessRequest, headless: Headless | None) -> str | None:
        """The session that its run was interrupted in and can go on with; None: it begins anew."""
        resume = None if headless is None or request.prompt is None else headless.resume
        if resume is None or request.key is None:
            return None
        note = self._read(self._path(request.key))
        if note is None or (note.work, note.alias, note.agent) != (_work(request), profile.alias, profile.agent_id):
            return None
        if resume.exists is None:
            return note.session
        pattern = resume.exists.replace(SESSION, note.session).replace("{home}/", "")
        return note.session if any(profile.home.glob(pattern)) else None

    def sweep(self) -> None:
        """Remove what counts no more."""
        with suppress(OSError):
            for path in list(self._directory.iterdir()):
                if path.suffix == ".json":
                    self._read(path)

    def _read(self, path: Path) -> RunNote | None:
        with suppress(OSError, JackfieldError, msgspec.MsgspecError, UnicodeDecodeError):
            if time.time() - path.stat().st_mtime <= self._within:
                return msgspec.json.decode(read_private(path) or b"", type=RunNote)
        with suppress(OSError):
            path.unlink()
        return None

    def _path(self, key: str) -> Path:
        return self._directory / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.json"


def _work(request: HeadlessRequest) -> str:
    content = msgspec.json.encode([request.prompt, list(request.args), request.working_dir])
    return hashlib.sha256(content).hexdigest()


class SessionListener:
    """Finds the session's name in lines of JSON as they come."""

    def __init__(self, headless: Headless, found: Callable[[str], None]) -> None:
        self._path = (headless.session or "").split(".")
        self._found: Callable[[str], None] | None = found
        self._rest = b""

    def __call__(self, data: bytes) -> None:
        if self._found is None:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LINE:
            self._rest = b""
        for line in lines:
            value = value_at(parsed_line(line.decode("utf-8", "replace")), self._path)
            if isinstance(value, str) and value:
                self._found(value)
                self._found = None
                return
