"""The recordings of sessions: `{config_dir}/recordings/<session>.cast`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from jackfield.api.binary import CHUNK, Streamed
from jackfield.api.clock import Clock
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.files import private_directory
from jackfield_terminal.session.recorder import DIRECTORY, WAITING, CastFile, Recorder
from jackfield_terminal.session.session import Session
from jackfield_terminal.settings import TerminalSettings

_ID = re.compile(r"[0-9a-f-]{36}")


class Recordings:
    """Those of one configuration directory; of earlier daemons too."""

    def __init__(self, config_dir: Path, settings: TerminalSettings, clock: Clock) -> None:
        self._directory = config_dir / DIRECTORY
        self._settings = settings
        self._clock = clock
        self._running: dict[str, Recorder] = {}

    async def start(self, session: Session) -> Recorder:
        """From now on; what the session has printed before and still keeps becomes the first event. Raises `Conflict`
        when it has ended or has a recording, `JackfieldError` when there can be no file."""
        if session.ended.is_set():
            raise Conflict("The session has ended.", code="SESSION_ENDED")
        if session.recorder is not None:
            raise _twice()
        header = {
            "version": 2,
            "width": session.cols,
            "height": session.rows,
            "timestamp": self._clock.now_ms() // 1000,
            "title": session.alias or session.kind,
            "env": {"TERM": session.launch.env.get("TERM", "xterm-256color")},
        }
        try:
            file = await asyncio.to_thread(self._make, session.id, header)
        except FileExistsError:
            raise _twice() from None
        except OSError as exc:
            raise JackfieldError(f"The recording cannot be begun: {exc.strerror}.", code="RECORDING_FAILED") from exc
        # Not a single await from here: nothing is missed or repeated.
        recorder = session.recorder = self._running[session.id] = Recorder(file, self._clock)
        recorder.output(session.log.tail(min(self._settings.scrollback, WAITING // 2))[0])
        if session.ended.is_set():
            recorder.over()
        session.keep()
        return recorder

    async def end_interrupted(self, session: Session) -> None:
        """A recording that another daemon was making when it went: its file gets an end that says so."""
        path = self._directory / f"{session.id}.cast"
        try:
            file, at = await asyncio.to_thread(CastFile.reopened, path)
        except OSError:  # it has been deleted meanwhile
            return
        session.recorder = self._running[session.id] = Recorder.interrupted(file, self._clock, at)
        session.keep()

    def _make(self, id: str, header: dict[str, object]) -> CastFile:
        private_directory(self._directory)
        kept = sorted(self._directory.glob("*.cast"), key=_changed)
        spare = max(0, len(kept) - self._settings.keep_recordings + 1)
        for path in [path for path in kept if not self._is_written(path.stem)][:spare]:
            path.unlink(missing_ok=True)
        return CastFile(self._directory / f"{id}.cast", header, self._settings.recording_limit)  # type: ignore[arg-type]

    def _is_written(self, id: str) -> bool:
        recorder = self._running.get(id)
        return recorder is not None and recorder.state == "recording"

    async def open(self, id: str) -> Streamed:
        """The part of it that is there by now. Raises `NotFound`."""
        path = self._directory / f"{id}.cast"
        size = await asyncio.to_thread(_size, path) if _ID.fullmatch(id) else None
        if size is None:
            raise NotFound(f"There is no recording of a session {id[:100]}.", code="RECORDING_NOT_FOUND")
        recorder = self._running.get(id)
        if recorder is not None:
            size = recorder.size  # a line that is half written is not there yet
        return Streamed(size, lambda: _content(path, size))

    async def forget(self, ids: Sequence[str]) -> None:
        """Delete the recordings of these sessions."""
        for name in ids:
            recorder = self._running.pop(name, None)
            if recorder is not None:
                recorder.over()
                await recorder.finished()
        await asyncio.to_thread(self._remove, ids)

    def _remove(self, ids: Iterable[str]) -> None:
        for name in ids:
            with contextlib.suppress(OSError):
                (self._directory / f"{name}.cast").unlink(missing_ok=True)

    def release(self, ids: Iterable[str]) -> None:
        """These sessions are no longer known; their recordings stay."""
        for name in ids:
            self._running.pop(name, None)

    async def close(self) -> None:
        for recorder in list(self._running.values()):
            recorder.over()
            await recorder.finished()


def _twice() -> Conflict:
    return Conflict("The session has a recording already.", code="RECORDING_EXISTS")


def _changed(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _size(path: Path) -> int | None:
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return None


async def _content(path: Path, size: int) -> AsyncGenerator[bytes, None]:
    file = await asyncio.to_thread(_opened, path)
    try:
        while size > 0 and (chunk := await asyncio.to_thread(file.read, min(CHUNK, size))):
            size -= len(chunk)
            yield chunk
    finally:
        file.close()


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")
