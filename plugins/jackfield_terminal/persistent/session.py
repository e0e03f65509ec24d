"""A session whose terminal a supervisor keeps: it goes on when the daemon goes.

Output comes from the supervisor's memory; typing, sizes and signals go to the terminal directly, as in any session.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield_terminal.output.log import PIECE
from jackfield_terminal.pty.processes import alive, signal_session, watch_exit
from jackfield_terminal.pty.terminal import Spawned
from jackfield_terminal.session.session import RESTING, UNWATCHED, Session
from jackfield_terminal.supervisor.frames import (
    ACCOUNTED,
    DONE,
    ENDED,
    KEEP,
    OUTPUT,
    TAKEN,
    FrameError,
    ended_of,
    frame,
    number_frame,
    number_of,
)
from jackfield_terminal.supervisor.handover import SessionMemo, kept_text
from jackfield_terminal.supervisor.ring import RingReader

if TYPE_CHECKING:
    from jackfield.api.clock import Clock
    from jackfield_terminal.output.reading_budget import ReadingBudget
    from jackfield_terminal.settings import TerminalSettings
    from jackfield_terminal.supervisor.client import Supervised

READ = 65536
UNKNOWN = 255
"""Exit code when nobody can know it."""
TIMES = 4
"""Its output is in memory: that many times as much as of a terminal costs the event loop as little."""
LOOK = 0.05
"""Seconds between two looks at what is left of a session without its supervisor."""


class PersistentSession(Session):
    """One whose agent is a child of a supervisor, started by this daemon or by an earlier one."""

    persistent = True

    def __init__(
        self, memo: SessionMemo, supervised: Supervised, settings: TerminalSettings, clock: Clock, budget: ReadingBudget
    ) -> None:
        """Takes over what is handed over. Raises `OSError`; then the descriptors are closed."""
        found = supervised.handover
        self.holder = found.holder
        self._held: Supervised | None = supervised
        self._settings = settings
        self._frames = supervised.frames
        self._connection = supervised.connection
        self._end = found.end
        self._ends_with: int | None = None
        self._taking: asyncio.Handle | None = None
        self._losing: asyncio.Task[None] | None = None
        self._accounted = found.accounted
        self.stays = True
        master = supervised.descriptors[1] if found.terminal else None
        try:
            self._ring = RingReader(supervised.descriptors[0], found.ring)
        except OSError:
            supervised.connection.close()
            if master is not None:
                os.close(master)
            raise
        super().__init__(
            memo.id, memo.launch, Spawned(found.pid, master), (found.cols, found.rows), settings, clock, budget
        )
        self.created_ms = memo.created_ms

    def _watch(self, spawned: Spawned) -> None:
        supervised, self._held = self._held, None
        if supervised is None:
            return
        self.log.go_on_from(supervised.handover.start, supervised.handover.before)
        while self.log.end < self._end:
            self._printed(self._ring.read(self.log.end, min(self._end, self.log.end + PIECE)))
        self._loop.add_reader(self._connection, self._heard)
        try:
            if supervised.child is not None:
                watch_exit(supervised.child, lambda _code: None)  # so that it is no zombie
        except OSError:
            self._part()
            self._close_terminal()
            raise
        self._say(number_frame(TAKEN, self._end))
        # Later: who wants to know of the end is not told who that is yet.
        self._loop.call_soon(self._obey_all, supervised.first_messages)

    # -- output

    def _heard(self) -> None:
        try:
            data = self._connection.recv(READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lost("its supervisor has ended")
            return
        try:
            frames = self._frames.feed(data)
        except FrameError as exc:
            self._dismiss(f"its supervisor does not speak our language: {exc}")
        else:
            self._obey_all(frames)

    def _obey_all(self, frames: Sequence[tuple[int, bytes]]) -> None:
        try:
            for kind, content in frames:
                if kind == OUTPUT:
                    self._end = max(self._end, number_of(content))
                elif kind == ENDED:
                    self._end, self._ends_with = ended_of(content)
            if self._end - self.log.end > self._ring.size:
                raise FrameError("it is ahead of its memory")
        except FrameError as exc:
            self._dismiss(f"its supervisor does not speak our language: {exc}")
            return
        if self._ends_with is not None:
            self._finish_with(self._ends_with)
        elif self._taking is None:
            self._take()

    def _take(self) -> None:
        """The bytes that are there, up to this turn's share."""
        self._taking = None
        if self._flow.paused or self.log.end == self._end or self._connection.fileno() < 0:
            return
        if self._budget.holds(self.id, self._listen_again):
            return
        watched = any(not attachment.slow for attachment in self.attachments)
        upto = min(self._end, self.log.end + (TIMES * self._budget.share(self.id) if watched else UNWATCHED))
        self._printed(self._ring.read(self.log.end, upto))
        self._say(number_frame(TAKEN, self.log.end))
        if not self._flow.paused:
            self._flow.consider(self.attachments, self.log.end)
        if not watched:
            self._taking = self._loop.call_later(RESTING, self._take)
        elif self.log.end < self._end:
            self._listen()

    def _listen(self) -> None:
        if self._taking is None:
            self._taking = self._loop.call_soon(self._take)

    def _ignore(self) -> None:
        """The supervisor lets the agent wait when nothing is taken."""

    def _say(self, data: bytes) -> None:
        """A connection that has gone is seen where it is read."""
        if self._connection.fileno() < 0:
            return
        try:
            sent = self._connection.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            return
        if sent < len(data):  # hundreds of frames wait: it is stopped
            self._dismiss("its supervisor does not answer")

    # -- the end

    def _finish_with(self, code: int) -> None:
        if self.ended.is_set() or self.left.is_set() or self._losing is not None:
            return
        self._printed(self._ring.read(self.log.end, self._end))
        self._left_with = code
        if self._master is None:
            self._finish()
        else:
            self._close_terminal()

    def account(self) -> bool:
        """Whether the run's end is still to be recorded; from now on no other daemon does."""
        first, self._accounted = not self._accounted, True
        if first:
            self._say(frame(ACCOUNTED))
        return first

    def release(self) -> None:
        """The session has ended and its end is recorded: the supervisor may go."""
        self._say(frame(DONE))
        self._part()

    def keep(self) -> None:
        """Keep the facts that the next daemon has to know."""
        recording = self.recorder is not None and self.recorder.state == "recording"
        self._say(frame(KEEP, kept_text(recording=recording)))

    def leave(self) -> None:
        """The daemon goes, and the session stays."""
        self.left.set()
        self._part()
        self._tell()
        self._close_terminal()

    def _part(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
        if self._connection.fileno() >= 0:
            self._loop.remove_reader(self._connection)
            self._connection.close()
            self._ring.close()

    def end_unless_answered(self) -> None:
        """The agent has been killed: a supervisor that has not said so is stopped or broken."""
        if not self.ended.is_set():
            self._dismiss("its supervisor does not answer")

    def _dismiss(self, why: str) -> None:
        """The supervisor is there, and of no use. Its number is its own as long as the connection is open."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.holder, signal.SIGKILL)
        self._lost(why)

    def _lost(self, why: str) -> None:
        """Without its supervisor nobody reads the terminal, and nobody can say how the agent ends."""
        if self._losing is not None or self.ended.is_set():
            self._part()
            return
        self.stays = False
        self.reason = f"The session cannot go on: {why}."
        self._losing = asyncio.ensure_future(self._end_lost())

    async def _end_lost(self) -> None:
        self._part()
        if self._master is not None:
            self._close_terminal()
        await self._clear_away()
        self._left_with = UNKNOWN
        self._finish()

    async def _clear_away(self) -> None:
        """Hang up, terminate, kill."""
        begun = self._clock.monotonic()
        settings = self._settings
        for number, until in (
            (signal.SIGHUP, settings.hang_up_grace),
            (signal.SIGTERM, max(settings.hang_up_grace, settings.kill_grace)),
            (signal.SIGKILL, settings.kill_grace + settings.hang_up_grace),
        ):
            for one in (number, signal.SIGCONT):
                await asyncio.to_thread(signal_session, self.pid, one)
            while await asyncio.to_thread(alive, self.pid):
                if self._clock.monotonic() >= begun + until:
                    break
                await self._clock.sleep(LOOK)
            else:
                return
