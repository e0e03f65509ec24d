"""Sockets of daemons and of all that daemons have started (Linux).

A node of a workflow calls wherever its author says, from the daemon's process or from a worker's. So do programs that
the daemon has started: community nodes, MCP servers, agents, terminals. So the user of such a socket says nothing of
the author. The same goes for another daemon of the user.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

WORKER_MODULE = "jackfield.cli.processes.worker"
"""The program of a worker, as its command line names it."""
PROGRAM = "jackfield"
_MOST_PARENTS = 1000


def is_of_daemons(inode: int, first: int) -> bool:
    """Whether a daemon has this socket, or a process that a daemon has started. `first`: the pid of our daemon's first
    process. One that our daemon descends from says nothing of its other children. Raises OSError."""
    above = set(lineage(os.getpid())) - {first, os.getpid()}
    return any(
        parent == first or ((number == 0 or parent not in above) and is_daemon(parent))
        for pid in holders(inode)
        for number, parent in enumerate(lineage(pid))
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


def lineage(pid: int) -> Iterator[int]:
    """The process and its parents, as far as we may look."""
    for _ in range(_MOST_PARENTS):
        if pid <= 0:
            return
        yield pid
        try:
            pid = _parent(pid)
        except (OSError, ValueError, IndexError):
            return


def is_daemon(pid: int) -> bool:
    """Whether the command line is that of a daemon or a worker, of any configuration directory."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    named = next((place for place, word in enumerate(words[:8]) if word.rpartition("/")[2] == PROGRAM), None)
    pairs = pairwise(words)
    return ("-m", WORKER_MODULE) in pairs or (named is not None and "serve" in words[named + 1 :])


def _parent(pid: int) -> int:
    """The command's name, in parentheses, may hold anything."""
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    return int(stat[stat.rindex(b")") + 1 :].split()[1])
