"""The daemon's own ends of connections to itself (Linux).

A node of a workflow calls wherever its author says, and it calls from the daemon's process or from a worker's. So the
user of such a socket says nothing of the author.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

WORKER_MODULE = "jackfield.cli.processes.worker"
"""The program of a worker, as its command line names it."""


def is_own_socket(inode: int, first: int, *, has_workers: bool) -> bool:
    """Whether the daemon has this socket. `first`: the pid of its first process. `has_workers`: whether it has more of
    them, which costs a look at every process of the machine. Raises OSError."""
    wanted = f"socket:[{inode}]"
    return any(holds(str(pid), wanted) for pid in (_processes(first) if has_workers else (first,)))


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


def _processes(first: int) -> Iterator[int]:
    yield first
    command = f"\0-m\0{WORKER_MODULE}\0".encode()
    for name in os.listdir("/proc"):  # noqa: PTH208 - names alone
        if name.isdecimal():
            with suppress(OSError, IndexError):
                if _parent(name) == first and command in Path(f"/proc/{name}/cmdline").read_bytes():
                    yield int(name)


def _parent(pid: str) -> int:
    """The command's name, in parentheses, may hold anything."""
    stat = Path(f"/proc/{pid}/stat").read_bytes()
    return int(stat[stat.rindex(b")") + 1 :].split()[1])
