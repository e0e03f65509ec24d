"""How a session is ended: hung up, then terminated, then killed, with all of its processes.

Source: docs/decisions.md, 'Terminals'.
"""

from __future__ import annotations

import signal

from jackfield.api.process_containers import EndStep
from jackfield_terminal.session.session import Session
from jackfield_terminal.settings import TerminalSettings


async def end_session(session: Session, settings: TerminalSettings) -> None:
    """Returns when the session has ended and none of its processes is left. Raises `JackfieldError` when the system
    does not end what was killed."""
    await end_processes(session, settings)
    await session.ended.wait()


async def end_processes(session: Session, settings: TerminalSettings) -> None:
    """The same for its processes alone."""
    if session.container is not None:
        await session.container.end(
            EndStep(signal.SIGHUP, settings.hang_up_grace),
            EndStep(signal.SIGTERM, max(0.0, settings.kill_grace - settings.hang_up_grace)),
        )
