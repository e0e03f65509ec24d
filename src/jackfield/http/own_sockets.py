"""Sockets of daemons and of all that daemons have started (Linux).

A node of a workflow calls wherever its author says, from the daemon's process or from a worker's. So do programs that
the daemon has started: community nodes, MCP servers, agents, terminals. So the user of such a socket says nothing of
the author. The same goes for another daemon of the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise

WORKER_MODULE = "jackfield.cli.processes.worker"
"""The program of a worker, as its command line names it."""
PROGRAM = "jackfield"
_MOST_PARENTS = 1000
_MOST_BYTES = 4096


def is_of_daemons(inode: int, first: int) -> bool:
    """Whether a daemon has this socket, or a process that a daemon has started. `first`: the pid of our daemon's first
    process. One that our daemon descends from says nothing of its other children. Raises OSError.

    The descriptors of these processes alone are looked at: of all others there may be a hundred thousand.
    """
    parents = _parents()
    above = set(lineage(os.getpid(), parents)) - {first, os.getpid()}
    daemons = {pid for pid in parents if is_daemon(pid)} | {first}
    wanted = f"socket:[{inode}]"
    return any(
        holds(str(pid), wanted)
        for pid in parents
        if pid in daemons or not daemons.isdisjoint(set(lineage(pid, parents)) - above)
    )


def holders(inode: int) -> Iterator[int]:
    """The processes with a descriptor of the socket, as far as we may look."""
    wanted = f"socket:[{inode}]"
    for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
        if name.isdecimal() and holds(name, wanted):
            yield int(name)


def holds(pid: str, wanted: str) -> bool:
    """Whether a descriptor of the process leads to `wanted`, such as `socket:[1]`. False where nobody may look."""
    directory = f"/proc/{pid}/fd"
    try:
        descriptors = os.listdir(directory)  # noqa: PTH208 - names alone
    except OSError:
        return False
    for descriptor in descriptors:
        with suppress(OSError):
            if os.readlink(f"{directory}/{descriptor}") == wanted:  # noqa: PTH115 - a link that names no file
                return True
    return False


def lineage(pid: int, parents: Mapping[int, int]) -> Iterator[int]:
    """The process and its parents, as far as they are known."""
    for _ in range(_MOST_PARENTS):
        if pid <= 0:
            return
        yield pid
        pid = parents.get(pid, 0)


def is_daemon(pid: int) -> bool:
    """Whether the command line is that of a daemon or a worker, of any configuration directory."""
    try:
        words = _read(f"/proc/{pid}/cmdline").decode(errors="replace").split("\0")
    except OSError:
        return False
    named = next((place for place, word in enumerate(words[:8]) if word.rpartition("/")[2] == PROGRAM), None)
    pairs = pairwise(words)
    return ("-m", WORKER_MODULE) in pairs or (named is not None and "serve" in words[named + 1 :])


def _parents() -> dict[int, int]:
    """Every process, and its parent."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError):  # it has ended
                found[int(name)] = _parent(name)
    return found


def _parent(pid: str) -> int:
    """The command's name, in parentheses, may hold anything."""
    stat = _read(f"/proc/{pid}/stat")
    return int(stat[stat.rindex(b")") + 1 :].split()[1])


def _read(path: str) -> bytes:
    """The beginning of a file of /proc, which one read gives whole. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
