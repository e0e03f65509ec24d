"""Starting a program in a pseudo-terminal of its own.

`posix_spawn` with a new session, whose leader opens the terminal as its standard input: so it becomes the controlling
terminal, and no Python code runs between fork and exec, which would be unsafe in a process with threads. The C library
shares the memory until the exec, so that the size of the daemon does not count.
"""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.records import record

_IN_DIRECTORY = 'cd -- "$0" && exec "$@"'
"""Python's `posix_spawn` has no working directory; a shell that replaces itself has."""


@record
class Spawned:
    """master: of the terminal, non-blocking, not inherited by children."""

    pid: int
    master: int


def spawn(argv: Sequence[str], env: Mapping[str, str], cwd: Path, cols: int, rows: int) -> Spawned:
    """Blocks for a few milliseconds; let a thread do it. Raises `OSError`."""
    master, slave = os.openpty()
    try:
        termios.tcsetwinsize(slave, (rows, cols))
        name = os.ttyname(slave)
        pid = os.posix_spawn(
            "/bin/sh",
            ["/bin/sh", "-c", _IN_DIRECTORY, str(cwd), *argv],
            env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=[number for number in signal.valid_signals() if number not in _KEPT],
        )
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    os.set_blocking(master, False)
    return Spawned(pid, master)


_KEPT = frozenset((signal.SIGKILL, signal.SIGSTOP, 32, 33))
"""Signals that cannot be set; 32 and 33 are the thread library's."""


def resize(master: int, cols: int, rows: int) -> None:
    """Tells the foreground process group as well (SIGWINCH), when the size has changed."""
    termios.tcsetwinsize(master, (rows, cols))
