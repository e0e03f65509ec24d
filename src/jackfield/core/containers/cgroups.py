"""Control groups, version 2: where this process may make some, and one of them. All of it blocks.

Source: Documentation/admin-guide/cgroup-v2.rst of Linux; systemd's CGROUP_DELEGATION.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.records import record

PERIOD = 100_000
"""Microseconds that `cpu.max` shares out at a time."""
CONTROLLERS = ("cpu", "memory", "pids")
DAEMON = "jackfield-daemon"
"""The group that this process moves to, since a group with processes gives no controllers to groups below it."""
_REMOVING = 2.0
"""Seconds for a group that was empty a moment ago."""


@record
class GroupHome:
    """Where groups can be made. controllers: those that groups made there have."""

    path: Path
    controllers: frozenset[str]

    def make(self, name: str, limits: Mapping[str, str]) -> Group:
        """limits: file -> content. Raises `OSError`."""
        group = Group(self.path / name)
        group.path.mkdir()
        try:
            for file, content in limits.items():
                (group.path / file).write_text(content)
        except OSError:
            group.remove()
            raise
        return group

    def empty(self, prefix: str) -> Sequence[Group]:
        """Groups of this prefix without processes."""
        with contextlib.suppress(OSError):
            found = [Group(path) for path in self.path.iterdir() if path.name.startswith(prefix)]
            return [group for group in found if not group.is_populated()]
        return ()


class Group:
    """One control group with those below it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entry = path / "cgroup.procs"
        self.kill_file = path / "cgroup.kill"

    def is_populated(self) -> bool:
        """Whether a process lives in it or below."""
        try:
            return "populated 1" in (self.path / "cgroup.events").read_text()
        except OSError:
            return False

    def count(self) -> int:
        """Processes in it and below."""
        return sum(_lines(Path(place) / "cgroup.procs") for place, _, _ in os.walk(self.path))

    def kill(self) -> None:
        """All at once: nothing is forked meanwhile. Nothing happens before Linux 5.14."""
        with contextlib.suppress(OSError):
            self.kill_file.write_text("1")

    def remove(self) -> None:
        """It is empty. The kernel may need a moment for its last process."""
        deadline = time.monotonic() + _REMOVING
        while self.path.is_dir():
            for place, _, _ in os.walk(self.path, topdown=False):
                with contextlib.suppress(OSError):
                    Path(place).rmdir()
            if time.monotonic() >= deadline:
                return
            if self.path.is_dir():
                time.sleep(0.005)


def _lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except OSError:
        return 0


def find_home() -> GroupHome | str:
    """Where this process may make groups, or why it may not, in a sentence."""
    here = _own_group()
    if here is None:
        return "No control groups (version 2) are mounted."
    probe = here / f"jackfield-probe-{os.getpid()}"
    try:
        probe.mkdir()
        able = (probe / "cgroup.kill").exists()
        probe.rmdir()
    except OSError as exc:
        return f"The daemon may make no control group in {here}: {exc.strerror}."
    if not able:
        return "The kernel cannot kill a control group; it is older than Linux 5.14."
    return GroupHome(here, _offered(here))


def _own_group() -> Path | None:
    """Of this process; the one above where an earlier call has moved it."""
    mount = _mount()
    if mount is None:
        return None
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("0::/") and ".." not in line:
            found = mount / line[len("0::/") :]
            return found.parent if found.name == DAEMON else found
    return None


def _mount() -> Path | None:
    """Source: proc(5), mountinfo. A mount of another group than the topmost is that of a name space, which our own path
    begins at as well."""
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            return Path(before.split()[4].replace("\\040", " "))
    return None


def _offered(here: Path) -> frozenset[str]:
    """Controllers for groups below, after this process has asked for them."""
    wanted = _words(here / "cgroup.controllers") & set(CONTROLLERS)
    if not wanted <= _words(here / "cgroup.subtree_control"):
        _ask_for(here, wanted)
    return frozenset(_words(here / "cgroup.subtree_control") & set(CONTROLLERS))


def _ask_for(here: Path, wanted: set[str]) -> None:
    """Only where this process is alone: others in the group are not ours to be moved."""
    with contextlib.suppress(OSError):
        pids = (here / "cgroup.procs").read_text().split()
        if set(pids) <= {str(os.getpid())}:
            if pids:
                (here / DAEMON).mkdir(exist_ok=True)
                (here / DAEMON / "cgroup.procs").write_text("0")
            for name in sorted(wanted):
                with contextlib.suppress(OSError):
                    (here / "cgroup.subtree_control").write_text(f"+{name}")


def _words(path: Path) -> set[str]:
    try:
        return set(path.read_text().split())
    except OSError:
        return set()
