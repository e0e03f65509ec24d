"""Recording one session in asciicast v2: what the agent prints and when, and the terminal's sizes; never what is typed.

The reader of the terminal only leaves its output here; a thread writes it. When more than `WAITING` bytes wait to be
written, or the file has reached its limit, the recording ends and says so. Neither the agent nor a client ever waits
for a disk.

Source: asciicast v2 (asciinema).
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from jackfield.api import jsontext
from jackfield.api.clock import Clock
from jackfield.api.errors import InvalidInput

DIRECTORY = "recordings"
"""In the configuration directory."""
WAITING = 8 * 1024 * 1024
"""Bytes that may wait to be written."""
EVENTS = 50_000
"""Events that may: very small ones would need more memory than their bytes."""
SLICE = 256 * 1024
"""Bytes of one event: what is printed at once and is longer becomes several."""

LAST_LINES = 4 * 1024 * 1024
"""Bytes at the end of a file in which a whole line is found: an event of control characters grows sixfold."""

State: TypeAlias = Literal["recording", "complete", "stopped"]
_Event: TypeAlias = "tuple[float, str, bytes]"
"""Seconds since the beginning; `o`, `r` or `m`; its data, of `o` perhaps with half a character at its end."""


class CastFile:
    """The file. Everything blocks and raises `OSError`."""

    def __init__(self, path: Path, header: dict[str, jsontext.Json], limit: int) -> None:
        """Raises `FileExistsError`."""
        self.written = 0
        """Bytes of whole lines."""
        self._limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            self._line(header)
        except BaseException:  # or the next attempt would find a recording
            os.close(self._descriptor)
            path.unlink(missing_ok=True)
            raise

    @classmethod
    def reopened(cls, path: Path) -> tuple[CastFile, float]:
        """One that ends in the middle of a line, perhaps, to get a note; and the time of its last event, in seconds."""
        made = cls.__new__(cls)
        made._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        made._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        try:
            size = os.fstat(made._descriptor).st_size
            start = max(0, size - LAST_LINES)
            lines = os.pread(made._descriptor, LAST_LINES, start)
            whole = lines[: lines.rfind(b"\n") + 1]
            made.written = made._limit = start + len(whole)
            os.ftruncate(made._descriptor, made.written)
        except BaseException:
            os.close(made._descriptor)
            raise
        return made, _time_of(whole.splitlines()[-1:])

    def write(self, events: Sequence[_Event]) -> bool:
        """False when the limit is reached: what follows is left out."""
        for at, kind, data in events:
            text = self._decoder.decode(data) if kind == "o" else data.decode()
            if text and not self._line([round(at, 6), kind, text]):
                return False
        return True

    def note(self, at: float, text: str) -> None:
        """A marker as the last event, beyond the limit."""
        self._limit += len(text) + 100
        self._line([round(at, 6), "m", text])

    def close(self) -> None:
        os.close(self._descriptor)

    def _line(self, value: jsontext.Json) -> bool:
        line = jsontext.dumps(value) + b"\n"
        if self.written + len(line) > self._limit:
            return False
        view = memoryview(line)
        while view:
            view = view[os.write(self._descriptor, view) :]
        self.written += len(line)
        return True


class Recorder:
    """state: `recording`, then `complete` when the session has ended or somebody has stopped it, or `stopped` for the
    `reason`."""

    def __init__(self, file: CastFile, clock: Clock) -> None:
        self.state: State = "recording"
        self.reason: str | None = None
        self._file = file
        self._clock = clock
        self._begun = clock.monotonic()
        self._events: deque[_Event] = deque()
        self._held = 0
        self._more = asyncio.Event()
        self._done = asyncio.ensure_future(self._run())

    @classmethod
    def interrupted(cls, file: CastFile, clock: Clock, at: float) -> Recorder:
        """One that is over: the daemon went while it was made, whose last event was `at` that many seconds."""
        made = cls(file, clock)
        made._begun -= at
        made._stop("the daemon was restarted")
        return made

    @property
    def size(self) -> int:
        """Bytes that can be downloaded."""
        return self._file.written

    # -- called by the session; they must be quick

    def output(self, data: bytes) -> None:
        for start in range(0, len(data), SLICE):
            self._add("o", data[start : start + SLICE])

    def resized(self, cols: int, rows: int) -> None:
        self._add("r", b"%dx%d" % (cols, rows))

    def over(self) -> None:
        """Nothing follows."""
        if self.state == "recording":
            self.state = "complete"
        self._more.set()

    async def finished(self) -> None:
        """Returns once the file is complete and closed."""
        await asyncio.shield(self._done)

    def _add(self, kind: str, data: bytes) -> None:
        if self.state != "recording":
            return
        if self._held + len(data) > WAITING or len(self._events) >= EVENTS:
            self._stop("there was more output than could be written")
            return
        self._events.append((self._clock.monotonic() - self._begun, kind, data))
        self._held += len(data)
        self._more.set()

    def _stop(self, why: str) -> None:
        self.state, self.reason = "stopped", why
        self._more.set()

    # -- the writing

    async def _run(self) -> None:
        try:
            while self.state == "recording" or self._events:
                await self._more.wait()
                self._more.clear()
                await self._write()
            if self.reason is not None:
                at = self._clock.monotonic() - self._begun
                await asyncio.to_thread(self._file.note, at, f"The recording ends here: {self.reason}.")
        except OSError as exc:
            self._stop(f"it cannot be written: {exc.strerror}")
        finally:
            self._events.clear()
            with contextlib.suppress(OSError):
                self._file.close()

    async def _write(self) -> None:
        events, self._events = list(self._events), deque()
        self._held = 0
        if events and not await asyncio.to_thread(self._file.write, events):
            self._events.clear()
            self._stop("it has reached terminal.recording_limit")


def _time_of(lines: Sequence[bytes]) -> float:
    """Seconds, of the last event; 0 where there is none."""
    try:
        found = jsontext.loads(lines[0])
    except (IndexError, InvalidInput):
        return 0.0
    at = found[0] if isinstance(found, list) and found else None
    return float(at) if isinstance(at, (int, float)) else 0.0
