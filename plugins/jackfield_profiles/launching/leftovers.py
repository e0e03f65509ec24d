"""Agents that a killed daemon has left running: nobody would stop them at their time limit, and an execution that is
resumed would start another beside them. Each headless run is noted in `runs/` for as long as it goes on; what is noted
by a process that is gone, and is still the process that it was, is ended before the next run. Linux alone: elsewhere
nothing tells a process from a later one of the same number.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import msgspec

from jackfield.api.errors import JackfieldError
from jackfield.api.files import private_directory, read_private
from jackfield.api.records import record
from jackfield_profiles.launching.processes import has_members

DIRECTORY = "runs"
_POLL = 0.05
"""Seconds between two looks at groups that were told to end."""


@record
class RunProcess:
    """started: clock ticks from the system's start to its own; space: the name space of `pid`."""

    pid: int
    started: int
    space: str

    def lives(self) -> bool:
        return process(self.pid) == self


@record
class RunNote:
    """A run. agent: leads its process group; owner: who waits for it."""

    agent: RunProcess
    owner: RunProcess


class Leftovers:
    """Processes of agents that a daemon of this configuration directory left when it was killed."""

    def __init__(self, config_dir: Path, grace: float, tell: Callable[[str], None]) -> None:
        """grace: seconds from TERM to KILL. tell: is given sentences."""
        self._directory = config_dir / DIRECTORY
        self._grace = grace
        self._tell = tell

    def note(self, run_id: str, pid: int) -> None:
        """A run has begun. A small file, not brought to the disk: what takes the file away takes the agent too."""
        agent, owner = process(pid), process(os.getpid())
        if agent is None or owner is None:
            return
        try:
            private_directory(self._directory)
            path = self._directory / run_id
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(RunNote(agent, owner)))
        except (OSError, JackfieldError) as exc:
            self._tell(f"A run cannot be noted, so that nobody ends it should this process be killed: {exc}")

    def forget(self, *run_ids: str) -> None:
        """They have ended."""
        for run_id in run_ids:
            with contextlib.suppress(OSError):
                (self._directory / run_id).unlink()

    async def end(self) -> None:
        """End what others have left."""
        left = await asyncio.to_thread(self._left)
        if not left:
            return
        groups = {note.agent.pid for note in left.values()}
        _signal(groups, signal.SIGTERM)
        await self._gone(groups)
        _signal(groups, signal.SIGKILL)
        await asyncio.to_thread(self.forget, *left)
        self._tell(f"{len(left)} runs that a killed process had left were ended.")

    async def _gone(self, groups: Collection[int]) -> None:
        """Wait for it, but no longer than the grace."""
        clock = asyncio.get_running_loop()
        deadline = clock.time() + self._grace
        while clock.time() < deadline:
            if not await asyncio.to_thread(lambda: any(map(has_members, groups))):
                return
            await asyncio.sleep(_POLL)

    def _left(self) -> Mapping[str, RunNote]:
        """Those that go on; notes of the others are removed."""
        found = {}
        with contextlib.suppress(OSError):
            for path in list(self._directory.iterdir()):
                note = _read(path)
                if note is None or not (note.agent.lives() or note.owner.lives()):
                    self.forget(path.name)
                elif not note.owner.lives():
                    found[path.name] = note
        return found


def process(pid: int) -> RunProcess | None:
    """None: there is none, or nothing tells it from a later one. Source: proc(5)."""
    if sys.platform != "linux":
        return None
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        space = str(Path("/proc/self/ns/pid").readlink())
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else RunProcess(pid, int(fields[18]), space)


def _read(path: Path) -> RunNote | None:
    """None: what a process that was killed has left half written."""
    try:
        return msgspec.json.decode(read_private(path) or b"", type=RunNote)
    except (msgspec.MsgspecError, UnicodeDecodeError, JackfieldError):
        return None


def _signal(groups: Collection[int], number: int) -> None:
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, number)
