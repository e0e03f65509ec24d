"""The processes of this system, as `/proc` shows them, and signals that reach the process that was seen and no other.
All of it blocks."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Mapping

from jackfield.api.records import record

_KERNEL = 2
"""The parent of the kernel's own threads."""
_PIECE = 65536
_NONE: frozenset[str] = frozenset()


@record
class SeenProcess:
    """A process that has not ended.

    `started`: clock ticks from the system's start. `marks`: its own from the environment, and those in the path of its
    control group.
    """

    pid: int
    parent: int
    group: int
    session: int
    started: int
    marks: frozenset[str] = frozenset()


def start_of(pid: int) -> int | None:
    """None: there is no such process, or it has ended."""
    found = _stat(str(pid))
    return None if found is None else found.started


def space_of() -> int:
    """The number of this process's name space of pids; 0 where there is none."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116 - as everything here
    except OSError:
        return 0


def family() -> Mapping[int, SeenProcess]:
    """Every process by its pid, without marks."""
    seen = (_stat(name) for name in _pids())
    return {process.pid: process for process in seen if process is not None and process.parent != _KERNEL}


def threads_of_user() -> int:
    """Threads of all processes of this process's user, which the system's limit (`RLIMIT_NPROC`) counts."""
    found, user = 0, os.geteuid()
    for name in _pids():
        with contextlib.suppress(OSError, IndexError, ValueError):
            if os.stat(f"/proc/{name}").st_uid == user:  # noqa: PTH116 - hundreds of them
                found += int(_content(f"/proc/{name}/stat").rpartition(b")")[2].split()[17])
    return found


def _pids() -> list[str]:
    try:
        return [name for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - names alone, often
    except OSError:
        return []


def look(variable: str, prefix: str | None) -> Mapping[int, SeenProcess]:
    """Every process by its pid.

    `variable`: the mark's, in environments. `prefix`: of the names of marked control groups; None: nobody is looked for
    in one. Unreadable parts of a process are not there.
    """
    found = {}
    key, start = f"{variable}=".encode(), None if prefix is None else prefix.encode()
    for name in _pids():
        seen = _stat(name)
        if seen is not None and seen.parent != _KERNEL:
            marks = _of_environment(name, key) | (_of_groups(name, start) if start is not None else _NONE)
            found[seen.pid] = (
                SeenProcess(seen.pid, seen.parent, seen.group, seen.session, seen.started, marks) if marks else seen
            )
    return found


def _stat(name: str) -> SeenProcess | None:
    content = _content(f"/proc/{name}/stat")
    try:
        fields = content.rpartition(b")")[2].split()
        if fields[0] in b"ZX":
            return None
        return SeenProcess(int(name), int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))
    except (IndexError, ValueError):
        return None


def _of_environment(name: str, key: bytes) -> frozenset[str]:
    environment = _content(f"/proc/{name}/environ")
    if key not in environment:
        return _NONE
    # The last one: what a shell adds comes behind, and a program takes either.
    pieces = (piece for piece in environment.split(b"\0") if piece.startswith(key))
    return frozenset(piece[len(key) :].decode("ascii", "replace") for piece in pieces)


def _of_groups(name: str, start: bytes) -> frozenset[str]:
    groups = _content(f"/proc/{name}/cgroup")
    if start not in groups:
        return _NONE
    parts = (part for line in groups.splitlines() for part in line.split(b"/") if part.startswith(start))
    return frozenset(part[len(start) :].decode("ascii", "replace") for part in parts)


def _content(path: str) -> bytes:
    """Hundreds of them in a look: a file object for each would cost a third more."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        content = b""
        while piece := os.read(descriptor, _PIECE):
            content += piece
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return content


def descendants(seen: Mapping[int, SeenProcess], roots: Iterable[int]) -> set[int]:
    """The roots, and whatever descends from them."""
    children: dict[int, list[int]] = {}
    for process in seen.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting.extend(children.get(pid, ()))
    return found


def send(process: SeenProcess, number: signal.Signals) -> None:
    """To this process, unless its number has gone to another."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        try:
            descriptor = os.pidfd_open(process.pid)
        except ProcessLookupError:
            return
        except (OSError, AttributeError):  # no descriptor is left, or the system has none of the kind
            if start_of(process.pid) == process.started:
                os.kill(process.pid, number)
            return
        try:
            if start_of(process.pid) == process.started:
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)
