"""Starting a program in its own pseudo-terminal.

It uses `posix_spawn` with a new session, whose leader opens the terminal as its standard input. So the terminal becomes
the controlling one, and no Python code runs between fork and exec, which would be unsafe in a process with threads. The
C library shares the memory until the exec, so that the size of the daemon does not count.

The daemon and the supervisor of a session use this module; it imports what is light.
"""

from __future__ import annotations

import os
import signal
import termios
from collections.abc import Callable, Mapping, Sequence

IN_DIRECTORY = 'cd -- "$0" && exec "$@"'
"""Python's `posix_spawn` has no working directory; a shell that replaces itself has."""
_KEPT = frozenset((signal.SIGKILL, signal.SIGSTOP, 32, 33))
"""Signals that cannot be set; 32 and 33 are the thread library's."""
DEFAULTED = [number for number in signal.valid_signals() if number not in _KEPT]
"""Signals that a new program does not inherit as ignored."""
Spawner = Callable[
    [Sequence[str] | Sequence[bytes], Mapping[str, str] | Mapping[bytes, bytes], str | bytes, int, int],
    tuple[int, int],
]
"""The interface of `spawn_in_terminal`."""


def spawn_in_terminal(
    argv: Sequence[str] | Sequence[bytes],
    env: Mapping[str, str] | Mapping[bytes, bytes],
    cwd: str | bytes,
    cols: int,
    rows: int,
) -> tuple[int, int]:
    """The pid, and the terminal's master, non-blocking and not inherited by children. Blocks for a few milliseconds;
    in the daemon let a thread do it. Raises `OSError`, `ValueError`."""
    master, slave = os.openpty()
    try:
        termios.tcsetwinsize(slave, (rows, cols))
        name = os.ttyname(slave)
        pid = os.posix_spawn(
            "/bin/sh",
            ["/bin/sh", "-c", IN_DIRECTORY, cwd, *argv],
            env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=DEFAULTED,
        )
    except BaseException:
        os.close(master)
        raise
    finally:
        os.close(slave)
    os.set_blocking(master, False)
    return pid, master
