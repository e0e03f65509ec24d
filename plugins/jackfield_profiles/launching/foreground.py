"""An agent in the terminal of its user.

It is in the same process group. So the terminal's keys and job control reach it as if the user had started it by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import termios
from collections.abc import Iterator

from jackfield.api.profiles import Launch
from jackfield_profiles.launching.processes import exit_code, unstartable

_FROM_THE_KEYBOARD = (signal.SIGINT, signal.SIGQUIT)
"""The terminal sends them to the agent as well, which decides."""
_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""Sent to us alone."""


async def run_here(launch: Launch) -> int:
    """Run it to its end; the exit code is as a shell's, and the terminal's settings are as before. Raises
    `InvalidInput` when it cannot be started."""
    with _terminal_kept(), _waiting():
        try:
            process = await asyncio.create_subprocess_exec(*launch.argv, cwd=launch.cwd, env=dict(launch.env))
        except OSError as exc:
            raise unstartable(launch.argv[0], launch.cwd, exc) from None
        loop = asyncio.get_running_loop()
        for number in _FORWARDED:
            loop.add_signal_handler(number, _forward, process, number)
        try:
            return exit_code(await process.wait())
        finally:
            for number in _FORWARDED:
                loop.remove_signal_handler(number)


def _forward(process: asyncio.subprocess.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


@contextlib.contextmanager
def _waiting() -> Iterator[None]:
    """Let the keyboard's signals pass. A handler, since what is ignored stays ignored in the agent."""
    before = {number: signal.signal(number, lambda *_: None) for number in _FROM_THE_KEYBOARD}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _terminal_kept() -> Iterator[None]:
    """An agent that is killed may leave the terminal without echo."""
    try:
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
    except (OSError, ValueError, AttributeError, termios.error):
        yield
        return
    try:
        yield
    finally:
        if _in_front(descriptor):
            with contextlib.suppress(termios.error):
                termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _in_front(descriptor: int) -> bool:
    """Whether we may set the terminal: a background process would be stopped. A terminal that controls nobody, or
    another session, stops nobody."""
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return True
