"""One container of processes, and how it is ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.errors import JackfieldError
from jackfield.api.process_containers import ContainerSettings, EndStep

from .cgroups import Group
from .marks import PREFIX, VARIABLE, ContainerMark
from .processes import SeenProcess, descendants, look, send, start_of

_LOOK = 0.02
"""Seconds between two looks at processes that got the order to end."""
_AGAIN = 0.1
"""Seconds between two searches for others. A program may have started between a look and the signal, and its parent
lives as long as it does."""
ENTRY = Path(__file__).with_name("entry.py")
"""The first program of a container."""
_ROUNDS = 100
"""Looks for processes that are still to be stopped before they are killed: what is stopped starts no others."""


class ProcessesLeft(JackfieldError):
    """Killed processes are still there."""

    code = "PROCESSES_LEFT"
    title = "Processes left"


class Container:
    """`jackfield.api.process_containers.ProcessContainer`.

    `words`: what comes before the program. `group`: its control group, where it has one. `threads`: of the user, above
    which the system refuses its processes another; None: as many as there may be. `groups`: prefix of the control
    groups in which its processes are looked for; None: they are in none, since it was opened without one.
    """

    def __init__(
        self,
        mark: ContainerMark,
        settings: ContainerSettings,
        words: Sequence[str] = (),
        group: Group | None = None,
        threads: int | None = None,
        groups: str | None = PREFIX,
    ) -> None:
        self.name = mark.name
        self.mark = mark
        self.reason: str | None = None
        self.closed = False
        """Its end has begun: nothing is to be watched any more."""
        self.group = group
        self._settings = settings
        self._words = tuple(words)
        self._threads = threads
        self._groups = groups
        self._leader: tuple[int, int | None] | None = None
        """Its pid, and when it was started."""
        self._ending = asyncio.Lock()
        self._hurry = asyncio.Event()

    # -- starting

    def command(self, argv: Sequence[str]) -> Sequence[str]:
        _require_program(argv[0])
        return (*self._words, *argv)

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        return {**env, VARIABLE: self.mark.text}

    def started(self, pid: int) -> None:
        self._leader = (pid, start_of(pid))
        if self._threads is not None:
            with contextlib.suppress(OSError):  # it has ended
                resource.prlimit(pid, resource.RLIMIT_NPROC, (self._threads, self._threads))

    def kill_file(self) -> str | None:
        return None if self.group is None else str(self.group.kill_file)

    # -- what is in it

    async def members(self) -> Sequence[int]:
        return [process.pid for process in await asyncio.to_thread(self.look)]

    def look(self) -> Sequence[SeenProcess]:
        """Those that have not ended, the eldest first: a shell that hears of the end after its child would go on with
        its next command. Blocks."""
        if sys.platform != "linux":
            return self._look_elsewhere()
        seen = look(VARIABLE, self._groups)
        roots = {process.pid for process in seen.values() if self.mark.text in process.marks}
        if self._leader is not None and self._is_ours(seen):
            pid = self._leader[0]
            roots |= {process.pid for process in seen.values() if pid in (process.pid, process.session, process.group)}
        found = descendants(seen, roots) & seen.keys() - {os.getpid()}
        return sorted((seen[pid] for pid in found), key=lambda process: (process.started, process.pid))

    def _is_ours(self, seen: Mapping[int, SeenProcess]) -> bool:
        """Whether the leader's number is still its own: nobody gets it as long as its session has members."""
        pid, started = self._leader or (0, None)
        there = seen.get(pid)
        return there is None or there.started == started

    def _look_elsewhere(self) -> Sequence[SeenProcess]:
        """Without `/proc`: the leader stands for its process group."""
        if self._leader is None:
            return ()
        pid = self._leader[0]
        try:
            os.killpg(pid, 0)
        except OSError:
            return ()
        return (SeenProcess(pid, 0, pid, pid, 0),)

    def count(self, seen: Mapping[int, SeenProcess]) -> int:
        """Processes in it, or that descend from its leader. Blocks."""
        if self.group is not None:
            return self.group.count()
        if self._leader is None or not self._is_ours(seen):
            return 0
        return len(descendants(seen, [self._leader[0]]) & seen.keys())

    # -- the end

    async def end(self, *steps: EndStep) -> None:
        self.closed = True
        steps = steps or (EndStep(signal.SIGTERM, self._settings.grace),)
        ending = asyncio.ensure_future(self._end(steps))
        cancelled: asyncio.CancelledError | None = None
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError as exc:
                if ending.cancelled():
                    raise
                cancelled = exc  # whoever cancels has no time for steps, and wants to know that it is over
                self._hurry.set()
        ending.result()
        if cancelled is not None:
            raise cancelled

    async def kill(self, reason: str) -> None:
        """Because it broke a limit."""
        self.reason = reason
        self._hurry.set()
        with contextlib.suppress(ProcessesLeft):  # whoever ends it is told
            await self.end()

    async def _end(self, steps: Sequence[EndStep]) -> None:
        async with self._ending:
            left = await asyncio.to_thread(self.look)
            for step in steps:
                if not left or self._hurry.is_set() or step.signal is signal.SIGKILL:
                    break
                left = await self._take(step, left)
            await self._kill()
            if self.group is not None:
                await asyncio.to_thread(self.group.remove)

    async def _take(self, step: EndStep, left: Sequence[SeenProcess]) -> Sequence[SeenProcess]:
        """Send the signal, also to those that are started afterwards, until none is left or the time is over. Those
        that a last look has seen."""
        deadline = time.monotonic() + step.seconds
        told: set[tuple[int, int]] = set()
        while left:
            new = [process for process in left if (process.pid, process.started) not in told]
            told |= {(process.pid, process.started) for process in new}
            await asyncio.to_thread(self._send, new, step.signal)
            over = not await self._wait_for(left, deadline)
            left = await asyncio.to_thread(self.look)
            if over:
                break
        return left

    async def _wait_for(self, left: Sequence[SeenProcess], deadline: float) -> bool:
        """Until they have ended, or others may have been started meanwhile. False: the step's time is over."""
        again = time.monotonic() + _AGAIN
        while any(await asyncio.to_thread(_living, left)):
            now = time.monotonic()
            if now >= deadline or await self._hurried(min(_LOOK, deadline - now)):
                return False
            if now >= again:
                break
        return True

    async def _hurried(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), seconds)
        return self._hurry.is_set()

    def _send(self, processes: Sequence[SeenProcess], number: signal.Signals) -> None:
        for process in processes:
            if sys.platform != "linux":
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, number)
                continue
            send(process, number)
            if number != signal.SIGKILL:
                send(process, signal.SIGCONT)  # one that is stopped would never hear of it

    async def _kill(self) -> None:
        begun = time.monotonic()
        deadline = begun + self._settings.kill_timeout
        while left := await asyncio.to_thread(self._left, deadline):
            waited = time.monotonic() - begun
            if waited >= self._settings.kill_timeout:
                raise ProcessesLeft(
                    f"{len(left)} processes of {self.name} are still there, though they were killed; the first has the "
                    f"pid {left[0].pid}. The system may be waiting for a disk or a network.",
                    details={"pids": ", ".join(str(process.pid) for process in left[:20])},
                )
            await asyncio.to_thread(self._kill_all, left, keepers=waited > self._settings.kill_timeout / 2)
            await asyncio.sleep(_LOOK / 4)

    def _left(self, deadline: float) -> Sequence[SeenProcess]:
        """Those that have not ended. One look is not all at one moment: who is born while its parent dies is missed.
        The kernel knows better of a group; and a subreaper, which is one of those left, ends when nobody descends from
        it."""
        left = self.look()
        while not left and self.group is not None and self.group.is_populated() and time.monotonic() < deadline:
            self.group.kill()
            time.sleep(_LOOK / 4)
            left = self.look()
        if not left and self.group is not None and self.group.is_populated():
            raise ProcessesLeft(f"{self.name} has processes that cannot be seen from here, and that no signal ends.")
        return left

    def _kill_all(self, left: Sequence[SeenProcess], *, keepers: bool) -> None:
        """A control group at once; else stop them first, so that none is started while others are killed. keepers:
        also subreapers, without which what they have adopted would be lost to us: one that does not end by itself."""
        if self.group is not None:
            self.group.kill()
        spared = (
            set() if keepers or self.group is not None else {process.pid for process in left if _keeps(process.pid)}
        )
        stopped = set(spared)
        for _ in range(_ROUNDS):
            new = [process for process in left if process.pid not in stopped]
            if not new or sys.platform != "linux":
                break
            for process in new:
                send(process, signal.SIGSTOP)
            stopped |= {process.pid for process in new}
            left = self.look()
        self._send([process for process in left if process.pid not in spared], signal.SIGKILL)


def _keeps(pid: int) -> bool:
    """Whether it is the subreaper of a container."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123 - many of them
            words = file.read().split(b"\0")
    except OSError:
        return False
    return len(words) > 3 and words[3] == os.fsencode(ENTRY) and b"keep=" in b"\0".join(words)


def _living(processes: Sequence[SeenProcess]) -> Sequence[bool]:
    if sys.platform != "linux":
        return [_group_lives(process.pid) for process in processes]
    return [start_of(process.pid) == process.started for process in processes]


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True


def _require_program(program: str) -> None:
    """The error that the system would give, and that a container's first program can only print. Raises `OSError`."""
    if "/" in program and not os.access(program, os.X_OK):
        os.stat(program)  # noqa: PTH116 - raises that there is none
        raise PermissionError(13, os.strerror(13))
