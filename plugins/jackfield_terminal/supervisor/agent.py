"""The agent of a supervisor: its terminal, its output, its end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import termios
import time

from jackfield_terminal.pty.members import alive, signal_session
from jackfield_terminal.pty.spawning import Spawner
from jackfield_terminal.supervisor.ring import LAST, WINDOW, Ring

BUDGET = 64 * 1024
"""Bytes that are read before anything else is looked at."""
DRAINING = 0.1
"""Seconds without output after which an ended agent's output is over, although another process keeps the terminal."""
DRAINED_BY = 2.0
"""Seconds after which it is so in any case."""
LOOK = 0.02
"""Seconds between two looks at what is left of the session."""


class SupervisedAgent:
    """exit_code: 128+n for a signal; None while it runs. over: nothing more is printed."""

    def __init__(
        self,
        argv: list[bytes],
        env: dict[bytes, bytes],
        cwd: bytes,
        size: tuple[int, int],
        capacity: int,
        spawner: Spawner,
    ) -> None:
        """Raises `OSError`, `ValueError`."""
        self.ring = Ring(capacity)
        self.pid, master = spawner(argv, env, cwd, *size)
        self.master: int | None = master
        self.watch = os.pidfd_open(self.pid)
        self.size = size
        self.exit_code: int | None = None
        self.over = False
        self._exited = 0.0
        self._printed = 0.0

    # -- output

    def wants(self, taken: int) -> bool:
        """Whether the terminal is to be read, when a daemon has taken the output up to there."""
        room = WINDOW if self.exit_code is None else WINDOW + LAST
        return self.master is not None and self.ring.end - taken < room

    def read(self) -> int:
        """Take what is there, up to `BUDGET` and a little more; the number of bytes."""
        begun = self.ring.end
        with contextlib.suppress(BlockingIOError):
            while self.master is not None and self.ring.end < begun + BUDGET:
                if not self.ring.read_from(self.master):
                    self._close()
        self._printed = time.monotonic()
        return self.ring.end - begun

    def _close(self) -> None:
        """No more output.

        A process that still has the terminal gets a hang-up, once the daemon has closed it as well.
        """
        if self.master is not None:
            with contextlib.suppress(OSError):
                rows, cols = termios.tcgetwinsize(self.master)
                self.size = (cols, rows)
            os.close(self.master)
        self.master = None
        self.over = True

    @property
    def current_size(self) -> tuple[int, int]:
        """Columns and rows."""
        if self.master is not None:
            with contextlib.suppress(OSError):
                rows, cols = termios.tcgetwinsize(self.master)
                return cols, rows
        return self.size

    # -- the end

    def reap(self) -> None:
        """The agent has ended."""
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        self.exit_code = code if code >= 0 else 128 - code
        self._exited = self._printed = time.monotonic()
        os.close(self.watch)

    def drained_in(self) -> float | None:
        """Seconds until the output of an ended agent is over; None: nobody waits for it."""
        if self.exit_code is None or self.over:
            return None
        return max(0.0, min(self._printed + DRAINING, self._exited + DRAINED_BY) - time.monotonic())

    def drain(self) -> None:
        """Read the last output of the ended agent, and close its terminal. Called when `drained_in` is 0."""
        self.read()
        self._close()

    def end(self, hang_up: float, kill: float) -> None:
        """Hang up the session, terminate it after that many seconds, kill it after that many. Blocks."""
        self._close()
        begun = time.monotonic()
        for number, until in ((signal.SIGHUP, hang_up), (signal.SIGTERM, max(hang_up, kill))):
            self._signal(number)
            self._signal(signal.SIGCONT)  # one that is stopped would never hear of it
            while self._is_left():
                if time.monotonic() >= begun + until:
                    break
                time.sleep(LOOK)
            else:
                return
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if self.exit_code is None or not os.path.exists(f"/proc/{self.pid}"):  # noqa: PTH110 - pathlib is not light
            signal_session(self.pid, number)

    def _is_left(self) -> bool:
        if self.exit_code is None and select.select([self.watch], [], [], 0)[0]:
            self.reap()
        return alive(self.pid)
