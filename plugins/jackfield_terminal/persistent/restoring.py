"""Sessions that have survived their daemon: found again at the next start, and looked at by `jackfield doctor`."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield_terminal.persistent.directory import DIRECTORY
from jackfield_terminal.supervisor.client import Supervised, reach_supervisor, sweep
from jackfield_terminal.supervisor.frames import SOCKET, FrameError
from jackfield_terminal.supervisor.handover import SessionMemo, memo_of

SUBJECT = "terminals"
AT_ONCE = 64
"""Supervisors that are waited for at a time: a start takes as long as the slowest of them, not as all together."""
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OTHER = re.compile(r"holder\.v[0-9]{1,9}")

Kind: TypeAlias = Literal["ours", "other", "foreign"]


async def found_again(context: PluginContext) -> Sequence[tuple[SessionMemo, Supervised]]:
    """The sessions that supervisors hand over, the oldest first.

    The remains of those that have ended are removed; entries that are not understood are left alone and named in the
    log.
    """
    directories = await asyncio.to_thread(_directories, context.service.config_dir)
    if not directories:
        return ()
    loop = asyncio.get_running_loop()
    threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="jackfield-supervisors")
    try:
        found = await asyncio.gather(*(loop.run_in_executor(threads, _taken, context, path) for path in directories))
    finally:
        threads.shutdown(wait=False)
    return sorted((each for each in found if each is not None), key=lambda each: each[0].created_ms)


def _directories(config_dir: Path) -> Sequence[Path]:
    try:
        return sorted((config_dir / DIRECTORY).iterdir())
    except OSError:
        return ()


def _taken(context: PluginContext, path: Path) -> tuple[SessionMemo, Supervised] | None:
    log = context.log
    kind = _kind(path)
    if kind != "ours":
        log.warning("%s is left alone: %s.", path, _WHY[kind])
        return None
    try:
        supervised = reach_supervisor(path)
    except (ConnectionRefusedError, FileNotFoundError):
        _swept(context, path)
        return None
    except OSError as exc:
        log.warning("The session %s cannot be taken over: its supervisor: %s.", path.name, exc.strerror or exc)
        return None
    try:
        memo = memo_of(supervised.handover.memo)
        if memo.id != path.name:
            raise FrameError("it is of another session")
    except FrameError as exc:
        supervised.close()
        log.warning("The session %s cannot be taken over: %s.", path.name, exc)
        return None
    context.secrets.redact(*memo.launch.secrets)
    return memo, supervised


def _swept(context: PluginContext, path: Path) -> None:
    try:
        sweep(path)
    except OSError as exc:
        context.log.warning("%s is left of a session that has ended, and cannot be removed: %s.", path, exc.strerror)
    else:
        context.log.warning("The terminal session %s has not survived: its supervisor has ended.", path.name)


def _kind(path: Path) -> Kind:
    """By what is on the disk alone."""
    try:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or not _ID.fullmatch(path.name):
            return "foreign"
        names = {name.name for name in path.iterdir()}
        if not names or (names == {SOCKET} and stat.S_ISSOCK((path / SOCKET).lstat().st_mode)):
            return "ours"
    except OSError:
        return "foreign"
    return "other" if all(_OTHER.fullmatch(name) for name in names) and SOCKET not in names else "foreign"


_WHY = {
    "other": "its supervisor is of another version of Jackfield",
    "foreign": "it is nothing of a terminal session",
}


def findings(config_dir: Path) -> Sequence[Finding]:
    """Blocks."""
    made: list[Finding] = []
    alive = 0
    for path in _directories(config_dir):
        kind = _kind(path)
        if kind != "ours":
            made.append(Finding(SUBJECT, False, f"{path}: {_WHY[kind]}; remove it when you do not need it"))
        elif _answers(path):
            alive += 1
        else:
            made.append(Finding(SUBJECT, True, f"{path} is left of an ended session; the next start removes it"))
    if alive:
        made.insert(0, Finding(SUBJECT, True, f"sessions that survive the daemon: {alive}"))
    return made


def _answers(directory: Path) -> bool:
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.setblocking(False)
            connection.connect(f"/proc/self/fd/{opened}/{SOCKET}")
    except BlockingIOError:  # it listens, and is busy
        return True
    except OSError:
        return False
    finally:
        os.close(opened)
    return True
