"""The content of a session's screen, from a terminal emulator that is fed only when somebody asks."""

from __future__ import annotations

import asyncio

from jackfield_terminal.screen.emulator import Emulator
from jackfield_terminal.screen.snapshot import Snapshot
from jackfield_terminal.session.session import Session

BACKLOG = 128 * 1024
"""Bytes of output that are interpreted at once; of more the last count. An emulator in Python takes 0.3 MB/s."""


AHEAD = BACKLOG // 2
"""Bytes after which they are interpreted although nobody asks: a program that draws only what changes is not known from
its last output alone. More than `BACKLOG` at once, a flood, waits until somebody asks."""


class ScreenReader:
    """The emulator of one session. Interprets on a thread what has come since it was asked last, and keeps up from
    then on."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = asyncio.Lock()
        self._offset = 0
        self._emulator: Emulator | None = None
        self._last: Snapshot | None = None
        self._keeping_up: asyncio.Task[Snapshot] | None = None

    def _printed(self) -> None:
        pending = self._session.log.end - self._offset
        if AHEAD <= pending <= BACKLOG and (self._keeping_up is None or self._keeping_up.done()):
            self._keeping_up = asyncio.ensure_future(self.snapshot())
            self._keeping_up.add_done_callback(self._kept_up)

    def _kept_up(self, done: asyncio.Task[Snapshot]) -> None:
        if not done.cancelled() and done.exception() is None:
            self._printed()  # what has come meanwhile

    async def snapshot(self) -> Snapshot:
        self._session.listeners.add(self._printed)
        async with self._lock:
            session = self._session
            size = (session.cols, session.rows)
            known = self._last
            if known is not None and known.offset == session.log.end and (known.cols, known.rows) == size:
                return known
            data, anew = self._unseen()
            self._offset = session.log.end
            self._last = await asyncio.to_thread(self._interpret, data, size, self._offset, anew=anew)
            return self._last

    def _unseen(self) -> tuple[bytes, bool]:
        """Output since the last time; or, when that is too much or gone, the last of it for a new screen."""
        log = self._session.log
        pending = log.end - self._offset
        if self._emulator is not None and self._offset >= log.start and pending <= BACKLOG:
            return b"".join(log.pieces(self._offset)), False
        return log.tail(BACKLOG)[0], True

    def _interpret(self, data: bytes, size: tuple[int, int], offset: int, *, anew: bool) -> Snapshot:
        if anew or self._emulator is None:
            self._emulator = Emulator(*size)
        emulator: Emulator = self._emulator
        emulator.resize(*size)
        emulator.feed(data)
        return emulator.snapshot(offset)
