"""Sockets of daemons and of all that daemons have started (Linux).

A node of a workflow calls wherever its author says, from the daemon's process or from a worker's. So do programs that
the daemon has started: community nodes, MCP servers, agents, terminals. So the user of such a socket says nothing of
the author. The same goes for another daemon of the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

WORKER_MODULE = "jackfield.cli.processes.worker"
"""The program of a worker, as its command line names it."""
SUPERVISOR = "/jackfield_terminal/supervisor/program.py"
"""And of a terminal that outlives the daemon that has started it."""
PROGRAM = "jackfield"
_WITH_VALUE = ("-X", "-W")
"""Options of Python."""
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
    return (int(pid) for pid in _pids() if holds(pid, wanted))


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
    """Whether the command line is that of a daemon, a worker or a supervisor, of any configuration directory. That of a
    program that has started one, such as `tmux new jackfield serve`, is not."""
    try:
        words = _read(f"/proc/{pid}/cmdline").decode(errors="replace").split("\0")
    except OSError:
        return False
    program, *rest = _program(words)
    started = program.rpartition("/")[2] == PROGRAM and "serve" in rest
    return started or program == WORKER_MODULE or program.endswith(SUPERVISOR)


def _program(line: list[str]) -> list[str]:
    """A command line from its program on; where Python runs a script or a module, from that on."""
    if not line[0].rpartition("/")[2].startswith("python"):
        return line
    words = iter(line[1:])
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return [word, *words]
        elif word.endswith("m"):
            return [*words] or [""]
        elif word.endswith("c"):
            break
    return [""]


def _parents() -> dict[int, int]:
    """Every process, and its parent."""
    found: dict[int, int] = {}
    for pid in _pids():
        with suppress(OSError, ValueError, IndexError):  # it has ended
            found[int(pid)] = _parent(pid)
    return found


def _pids() -> Iterator[str]:
    return filter(str.isdecimal, os.listdir("/proc"))  # noqa: PTH208 - names alone


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
