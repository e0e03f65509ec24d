"""The members of a session, and signals to all of them.

The daemon and the supervisor of a session use this module; it imports what is light.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable


def signal_group(group: int, number: int) -> None:
    """To every process of the group that is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def signal_session(session: int, number: int) -> None:
    """To every process of the session, whichever group a shell has put it into."""
    signal_group(session, number)
    for pid in members(session):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def members(session: int) -> Iterable[int]:
    """Pids of the session's processes that have not ended. Linux; elsewhere nothing is found beyond the group."""
    try:
        entries = [name for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - names alone
    except OSError:
        return
    for name in entries:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - pathlib is not light
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in b"ZX" and int(fields[3]) == session:
            yield int(name)


def alive(session: int) -> bool:
    return next(iter(members(session)), None) is not None
