"""One session: an agent in a pseudo-terminal, the log of its output, and those who are attached."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from collections.abc import Callable
from typing import Literal, Protocol

from jackfield.api.clock import Clock
from jackfield.api.errors import Conflict
from jackfield.api.process_containers import ProcessContainer
from jackfield.api.profiles import Launch
from jackfield.api.storage import SHARED
from jackfield_terminal.output.flow import Follower, OutputFlow
from jackfield_terminal.output.log import OutputLog
from jackfield_terminal.output.reading_budget import ReadingBudget
from jackfield_terminal.pty.processes import signal_group, watch_exit
from jackfield_terminal.pty.terminal import Spawned, resize
from jackfield_terminal.session.keystrokes import Keystrokes
from jackfield_terminal.session.recorder import Recorder
from jackfield_terminal.settings import TerminalSettings

READ = 4096
"""Bytes asked for at once: what a Linux terminal gives. A larger buffer would be allocated each time for nothing."""
SLOW_CHECK_INTERVAL = 0.05
"""Seconds between two looks at clients that hold output back."""
DRAINING = 0.1
"""Seconds without output after which an ended agent's output is over, although another process keeps the terminal."""
DRAINED_BY = 2.0
"""Seconds after which it is so in any case."""
LAST = 1024 * 1024
"""Bytes that are still read then."""
UNWATCHED = 32 * 1024
"""Bytes that are read of a session that no client follows, until it rests."""
RESTING = 0.005
"""Seconds of rest: so there are some 6 MB/s of it, and most of the time is for others."""


class SessionClient(Follower, Protocol):
    """One that is attached to a session."""

    size: tuple[int, int] | None
    """Columns and rows that it can show; None: any."""

    def wake(self) -> None:
        """There is output, or news of the session."""


class Session:
    """state: `running`, then `terminated` with an exit code once the output has been read to its end."""

    def __init__(
        self,
        id: str,
        launch: Launch,
        spawned: Spawned,
        size: tuple[int, int],
        settings: TerminalSettings,
        clock: Clock,
        budget: ReadingBudget,
    ) -> None:
        self.id = id
        self.launch = launch
        self.alias = launch.profile.alias
        self.project_id = str(launch.profile.metadata.get("project") or SHARED)
        """Of a shell; an agent is where its profile is."""
        self.kind: Literal["agent", "shell"] = "shell" if launch.kind == "shell" else "agent"
        self.pid = spawned.pid
        self.created_ms = clock.now_ms()
        self.cols, self.rows = size
        self.state = "running"
        self.exit_code: int | None = None
        self.reason: str | None = None
        """Why the session ended, where it was not the agent's doing."""
        self.log = OutputLog(settings.scrollback)
        self.attachments: set[SessionClient] = set()
        self.ended = asyncio.Event()
        self.left = asyncio.Event()
        """Set when the daemon goes and the session stays: no client gets anything more here."""
        self.recorder: Recorder | None = None
        self.stopping: asyncio.Task[None] | None = None
        self.container: ProcessContainer | None = None
        """The container of its processes; None: no process of an earlier daemon's session is left."""
        self.input_lock = asyncio.Lock()
        self.keystrokes = Keystrokes()
        """Of people and scripts, without what the conversation types."""
        self.printed_at = clock.monotonic()
        """When there was output last, on the clock."""
        self.listeners: set[Callable[[], None]] = set()
        """Called after output and at the end, as attachments are; they must be quick."""
        self._on_end: list[Callable[[Session], None]] = []
        self._master: int | None = spawned.master
        self._clock = clock
        self._budget = budget
        self._input_timeout = settings.input_timeout
        self._loop = asyncio.get_running_loop()
        self._flow = OutputFlow(clock, settings.stall, self._hold, self._release)
        self._slow_timer: asyncio.TimerHandle | None = None
        self._unblock: asyncio.Future[None] | None = None
        self._typing = 0
        """Frames that are being typed, or wait for their turn."""
        self._deaf = False
        """The agent has not read for `terminal.input_timeout`, and not since."""
        self._resting: asyncio.TimerHandle | None = None
        self._unwatched = 0
        """Bytes read since a client followed, or since the last rest."""
        self._left_with: int | None = None
        self._left_at = 0.0
        self._watch(spawned)

    def _watch(self, spawned: Spawned) -> None:
        self._listen()
        try:
            watch_exit(spawned.pid, self._left)
        except OSError:
            self._close_terminal()
            raise

    # -- output

    def _readable(self) -> None:
        """Take what is ready, up to this turn's share, as one piece."""
        master, before = self._master, self.log.end
        if master is None:
            return
        if self._budget.holds(self.id, self._listen_again):
            self._loop.remove_reader(master)
            return
        watched = any(not attachment.slow for attachment in self.attachments)
        if self._read(master, self._budget.share(self.id) if watched else UNWATCHED):
            self._close_terminal()
            return
        if not self._flow.paused:
            self._flow.consider(self.attachments, self.log.end)
        self._unwatched = 0 if watched else self._unwatched + self.log.end - before
        if self._unwatched >= UNWATCHED and not self._flow.paused:
            self._rest(master)

    def _rest(self, master: int) -> None:
        """Nobody waits for this output: a flood of it leaves the event loop to the others for a while."""
        self._unwatched = 0
        self._loop.remove_reader(master)
        self._resting = self._loop.call_later(RESTING, self._go_on)

    def _go_on(self) -> None:
        self._resting = None
        self._listen_again()

    def _listen_again(self) -> None:
        if not self._flow.paused:
            self._listen()

    def _read(self, master: int, budget: int) -> bool:
        """Whether the output is over."""
        pieces: list[bytes] = []
        over = False
        while budget > 0 and not over:
            try:
                data = os.read(master, READ)
            except BlockingIOError:
                break
            except OSError as exc:  # Linux says EIO when nobody has the terminal any more
                if exc.errno != errno.EIO:
                    raise
                data = b""
            over = not data
            pieces.append(data)
            budget -= len(data)
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self._printed(data)
        return over

    def _printed(self, data: bytes) -> None:
        if data:
            self.log.append(data)
            self.printed_at = self._clock.monotonic()
            if self.recorder is not None:
                self.recorder.output(data)
            self._tell()
            self._budget.printed(self.id)

    def _tell(self) -> None:
        for attachment in self.attachments:
            attachment.wake()
        for listener in tuple(self.listeners):
            listener()

    def advanced(self, attachment: SessionClient, seconds: float) -> None:
        """A client has taken output."""
        self._flow.advanced(attachment, self.log.end, seconds)
        if self._flow.paused:
            self._flow.consider(self.attachments, self.log.end)

    def _listen(self) -> None:
        """Take output as it comes."""
        if self._master is not None:
            self._loop.add_reader(self._master, self._readable)

    def _ignore(self) -> None:
        """Leave output where it is, so that the agent has to wait."""
        if self._master is not None:
            self._loop.remove_reader(self._master)

    def _hold(self) -> None:
        self._ignore()
        self._slow_timer = self._loop.call_later(SLOW_CHECK_INTERVAL, self._drop_slow)

    def _drop_slow(self) -> None:
        self._flow.drop_slow(self.attachments, self.log.end)
        if self._flow.paused:
            self._slow_timer = self._loop.call_later(SLOW_CHECK_INTERVAL, self._drop_slow)

    def _release(self) -> None:
        if self._slow_timer is not None:
            self._slow_timer.cancel()
        self._listen()

    @property
    def bracketed_paste(self) -> bool:
        """Whether the agent has asked for marks around pasted text, as far as the log goes back."""
        kept, _ = self.log.scrollback()
        return kept.rfind(b"\x1b[?2004h") > kept.rfind(b"\x1b[?2004l")

    # -- clients

    def attach(self, attachment: SessionClient) -> None:
        self.attachments.add(attachment)

    def detach(self, attachment: SessionClient) -> None:
        self.attachments.discard(attachment)
        self.fit()
        if self._flow.paused:
            self._flow.consider(self.attachments, self.log.end)

    def fit(self) -> None:
        """The terminal takes the smallest size per dimension of those clients that gave one."""
        sizes = [attachment.size for attachment in self.attachments if attachment.size is not None]
        if not sizes:
            return
        cols, rows = min(size[0] for size in sizes), min(size[1] for size in sizes)
        if (cols, rows) != (self.cols, self.rows):
            self.cols, self.rows = cols, rows
            if self.recorder is not None:
                self.recorder.resized(cols, rows)
            if self._master is not None:
                resize(self._master, cols, rows)
            for attachment in self.attachments:
                attachment.wake()

    async def type(self, data: bytes) -> None:
        """As `write`, by a client."""
        self.keystrokes.add(data)
        await self.write(data)

    async def write(self, data: bytes) -> None:
        """Type.

        Waits while the agent does not read; frames of several clients are not mixed. Raises `Conflict` when it has
        taken nothing for `terminal.input_timeout`, and from then on at once until it reads again. A caller that waits
        would not notice that its client has gone.
        """
        self._typing += 1
        try:
            async with self.input_lock:
                await self._write(data)
        finally:
            self._typing -= 1

    async def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view and self._master is not None:
            try:
                view = view[os.write(self._master, view) :]
                self._deaf = False
                self._budget.typed(self.id, len(data))
            except BlockingIOError:
                if self._deaf:
                    raise Conflict("The agent does not read what is typed.", code="AGENT_BUSY") from None
                await self._writable(self._master)
            except OSError:
                return

    def write_now(self, data: bytes) -> bytes:
        """Type, by a client, what can be typed without waiting for the agent or for others who type; gives the rest."""
        if self._typing or self._master is None:
            return data
        try:
            count = os.write(self._master, data)
        except OSError:  # `write` finds the same
            return data
        self._deaf = False
        self._budget.typed(self.id, count)
        self.keystrokes.add(data[:count])
        return data[count:]

    async def _writable(self, master: int) -> None:
        ready = self._unblock = self._loop.create_future()
        self._loop.add_writer(master, _done, ready)
        try:
            await asyncio.wait_for(ready, self._input_timeout)
        except TimeoutError:
            self._deaf = True
            raise Conflict("The agent does not read what is typed.", code="AGENT_BUSY") from None
        finally:
            self._unblock = None
            if self._master == master:
                self._loop.remove_writer(master)

    def signal(self, number: int) -> None:
        """To the foreground process group."""
        if self._master is None:
            return
        with contextlib.suppress(OSError):
            group = os.tcgetpgrp(self._master)
            if group > 0:
                signal_group(group, number)

    # -- the end

    persistent = False
    """Whether a PTY supervisor keeps its terminal; see `PersistentSession`."""
    stays = False
    """Whether it goes on when the daemon goes; see `PersistentSession`."""
    is_taken_over = False
    """Whether an earlier daemon has begun it."""

    def leave(self) -> None:
        """The daemon goes, and a session that stays is left alone."""

    def keep(self) -> None:
        """Its recording has begun or is over."""

    def account(self) -> bool:
        """Whether the run's end is still to be recorded."""
        return True

    def release(self) -> None:
        """It has ended, and that is recorded."""

    def on_end(self, call: Callable[[Session], None]) -> None:
        self._on_end.append(call)

    def _left(self, exit_code: int) -> None:
        """The agent has ended; what it printed last is still to be read."""
        self._left_with = exit_code
        self._left_at = self._clock.monotonic()
        if self._master is None:
            self._finish()
        else:
            self._loop.call_later(DRAINING, self._drain, self.log.end)

    def _drain(self, seen: int) -> None:
        if self._master is None:
            return
        late = self._clock.monotonic() - self._left_at >= DRAINED_BY
        if (self._flow.paused or self.log.end != seen) and not late:
            self._loop.call_later(DRAINING, self._drain, self.log.end)
            return
        self._read(self._master, LAST)
        self._close_terminal()

    def _close_terminal(self) -> None:
        """No more output. A process that still has the terminal gets a hang-up."""
        master, self._master = self._master, None
        if master is None:
            return
        self._loop.remove_reader(master)
        self._loop.remove_writer(master)
        os.close(master)
        if self._unblock is not None:
            _done(self._unblock)
        for timer in (self._slow_timer, self._resting):
            if timer is not None:
                timer.cancel()
        if self._left_with is not None:
            self._finish()

    def _finish(self) -> None:
        self.state, self.exit_code = "terminated", self._left_with
        self.ended.set()
        if self.recorder is not None:
            self.recorder.over()
        self._tell()
        for call in self._on_end:
            call(self)


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
