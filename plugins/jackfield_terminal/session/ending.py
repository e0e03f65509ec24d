"""How a session is ended: hung up, then terminated, then killed, with all of its processes.

Source: docs/decisions.md, 'Terminals'.
"""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from jackfield.api.clock import Clock
from jackfield_terminal.pty.processes import alive, signal_session
from jackfield_terminal.session.session import Session
from jackfield_terminal.settings import TerminalSettings

LOOK = 0.05
"""Seconds between two looks at what is left."""


async def end_session(session: Session, settings: TerminalSettings, clock: Clock) -> None:
    """Returns when the session has ended and none of its processes is left, or when they have been killed."""
    begun = clock.monotonic()
    for number, until in (
        (signal.SIGHUP, settings.hang_up_grace),
        (signal.SIGTERM, max(settings.kill_grace, settings.hang_up_grace)),
    ):
        if not await _signalled(session, number):
            return
        # One that is stopped would never hear of it.
        await _signalled(session, signal.SIGCONT)
        if await _gone(session, begun + until, clock):
            return
    await _signalled(session, signal.SIGKILL)
    await session.ended.wait()


async def _signalled(session: Session, number: int) -> bool:
    """False when the number of its first process has been given to another since: then none of the session is left,
    and whoever has it now is none of our business."""
    if session.ended.is_set() and await asyncio.to_thread(Path("/proc", str(session.pid)).exists):
        return False
    await asyncio.to_thread(signal_session, session.pid, number)
    return True


async def _gone(session: Session, deadline: float, clock: Clock) -> bool:
    while clock.monotonic() < deadline:
        if session.ended.is_set() and not await asyncio.to_thread(alive, session.pid):
            return True
        await clock.sleep(LOOK)
    return False
