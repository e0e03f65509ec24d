"""Processes of a session: when the first ends, and how all of them are ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable

from jackfield_terminal.pty.members import alive, members, signal_group, signal_session

__all__ = ["abandon", "alive", "members", "reaped", "signal_group", "signal_session", "watch_exit"]


def watch_exit(pid: int, ended: Callable[[int], None]) -> None:
    """Call `ended` on the event loop with the exit code, 128+n for a signal, once the child has ended. Reaps it."""
    loop = asyncio.get_running_loop()
    if not hasattr(os, "pidfd_open"):
        threading.Thread(target=_wait_in_thread, args=(loop, pid, ended), daemon=True).start()
        return
    descriptor = os.pidfd_open(pid)

    def readable() -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        ended(reaped(pid))

    loop.add_reader(descriptor, readable)


def _wait_in_thread(loop: asyncio.AbstractEventLoop, pid: int, ended: Callable[[int], None]) -> None:
    code = reaped(pid)
    with contextlib.suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(ended, code)


def reaped(pid: int) -> int:
    """Wait for a child and give its exit code; 255 when somebody else has taken it."""
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        return 255
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def abandon(pid: int) -> None:
    """Kill the first process of a session, and whatever is in it, and reap it. Blocks for a moment."""
    signal_session(pid, signal.SIGKILL)
    reaped(pid)
