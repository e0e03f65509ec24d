"""The port `ProcessContainers`: opens containers, watches their limits, and ends what a killed daemon has left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.clock import Clock
from jackfield.api.errors import JackfieldError
from jackfield.api.process_containers import ContainerSettings, EndStep, ProcessContainer, ProcessLimits

from .cgroups import PERIOD, Group, GroupHome, find_home
from .container import ENTRY, Container
from .marks import PREFIX, VARIABLE, ContainerMark, checked, instance_of, mark_of, ourselves
from .processes import look, threads_of_user
from .watching import ProcessWatch, Spawn

log = logging.getLogger("jackfield.containers")
SHELL_ENTRY = 'echo 0 > "$0" && exec "$@"'
"""Enters the control group, and becomes the program: ten times as fast as an interpreter."""


class Containers:
    """`jackfield.api.process_containers.ProcessContainers`."""

    def __init__(self, config_dir: Path, settings: ContainerSettings, clock: Clock, spawn: Spawn) -> None:
        """spawn: starts a task that the daemon owns."""
        self._instance = instance_of(config_dir)
        self._settings = settings
        self._watch = ProcessWatch(clock, settings.watch_interval, spawn)
        self._home: GroupHome | None = None
        self._looked = asyncio.Lock()
        self._known = False

    async def open(self, name: str, limits: ProcessLimits | None = None, *, outlives: bool = False) -> ProcessContainer:
        home = await self._group_home()
        mark = ContainerMark(self._instance, None if outlives else ourselves(), checked(name))
        bounds = self._bounds(limits or ProcessLimits())
        group = None
        if home is not None:
            try:
                group = await asyncio.to_thread(home.make, PREFIX + mark.text, _files(home, bounds))
            except OSError as exc:
                raise JackfieldError(
                    f"The daemon cannot make the control group of {name}: {exc.strerror}.", code="START_FAILED"
                ) from exc
        controlled = frozenset() if home is None else home.controllers
        words = self._words(bounds, group, controlled)
        groups = None if group is None else PREFIX
        most = bounds.processes
        if not most or "pids" in controlled or sys.platform != "linux":
            return Container(mark, self._settings, words, group, groups=groups)
        # The system's own limit holds for no root, and counts all that the user runs.
        threads = None if os.geteuid() == 0 else await asyncio.to_thread(threads_of_user) + most
        container = Container(mark, self._settings, words, group, threads, groups)
        self._watch.add(container, most)
        return container

    async def _group_home(self) -> GroupHome | None:
        async with self._looked:
            if not self._known:
                self._home = await self._find_home()
                self._known = True
        return self._home

    async def _find_home(self) -> GroupHome | None:
        """Raises `JackfieldError`."""
        method = self._settings.method
        if method == "subreaper" or sys.platform != "linux":
            return None
        found = await asyncio.to_thread(find_home)
        if isinstance(found, GroupHome):
            return found
        if method == "cgroup":
            raise JackfieldError(
                f"containers.method is cgroup, which cannot be had: {found} Give the daemon a group (systemd: "
                "Delegate=yes), or set containers.method to auto.",
                code="CONTAINER_UNAVAILABLE",
            )
        return None

    def _bounds(self, limits: ProcessLimits) -> ProcessLimits:
        given, default = limits, self._settings
        return ProcessLimits(
            memory=given.memory or default.memory or None,
            processes=given.processes or default.processes or None,
            cpu=given.cpu or default.cpu or None,
        )

    def _words(self, bounds: ProcessLimits, group: Group | None, controlled: frozenset[str]) -> Sequence[str]:
        if sys.platform != "linux":
            return ()
        options = [] if group is None else [f"group={group.entry}"]
        if bounds.memory and "memory" not in controlled:
            options.append(f"data={bounds.memory}")
        if bounds.cpu and "cpu" not in controlled:
            usable = sorted(os.sched_getaffinity(0))
            options.append("cpus=" + ",".join(map(str, usable[: max(1, -int(-bounds.cpu // 1))])))
        if group is None:
            options.append(f"keep={self._settings.grace}")
        elif len(options) == 1:
            return ("/bin/sh", "-c", SHELL_ENTRY, str(group.entry))
        return (sys.executable, "-I", "-S", str(ENTRY), *options, "--")

    # -- those of others

    async def unowned(self) -> Sequence[ProcessContainer]:
        return [self._found(mark) for mark in await asyncio.to_thread(self._marks) if mark.owner is None]

    async def end_leftovers(self) -> int:
        with contextlib.suppress(JackfieldError):
            await self._group_home()
        left = [
            mark for mark in await asyncio.to_thread(self._marks) if mark.owner is not None and mark.owner.is_gone()
        ]
        # At once: nobody waits for what an agent would still say, and whoever goes on with its session begins now.
        now = EndStep(signal.SIGKILL, 0)
        results = await asyncio.gather(*(self._found(mark).end(now) for mark in left), return_exceptions=True)
        for result in results:
            if isinstance(result, JackfieldError):
                log.error(result.message)
            elif isinstance(result, BaseException):
                raise result
        if left:
            log.warning("%d runs and sessions that a killed process had left were ended.", len(left))
        await asyncio.to_thread(self._remove_empty)
        return len(left)

    def _found(self, mark: ContainerMark) -> Container:
        group = None if self._home is None else Group(self._home.path / (PREFIX + mark.text))
        return Container(mark, self._settings, group=group if group is not None and group.path.is_dir() else None)

    def _marks(self) -> Sequence[ContainerMark]:
        """Of this configuration directory, in which processes live."""
        texts = {text for process in look(VARIABLE, PREFIX).values() for text in process.marks}
        found = [mark for text in sorted(texts) if (mark := mark_of(text)) is not None]
        return [mark for mark in found if mark.instance == self._instance]

    def _remove_empty(self) -> None:
        """Groups that nobody has removed, since whoever made them was killed."""
        for group in () if self._home is None else self._home.empty(f"{PREFIX}{self._instance}."):
            mark = mark_of(group.path.name.removeprefix(PREFIX))
            if mark is not None and (mark.owner is None or mark.owner.is_gone()):
                group.remove()


def _files(home: GroupHome, bounds: ProcessLimits) -> Mapping[str, str]:
    """The files and texts for the controllers."""
    found: dict[str, str] = {}
    if bounds.memory and "memory" in home.controllers:
        found["memory.max"] = str(bounds.memory)
    if bounds.processes and "pids" in home.controllers:
        found["pids.max"] = str(bounds.processes)
    if bounds.cpu and "cpu" in home.controllers:
        found["cpu.max"] = f"{max(1000, int(bounds.cpu * PERIOD))} {PERIOD}"
    return found
