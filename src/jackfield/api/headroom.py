"""The free part of the address space where the system limits it (`ulimit -v`).

At such a limit every allocation may fail, and libraries in C do not survive that everywhere: some crash, some call
good input bad. So the daemon takes no request while less than a reserve is left. Without a limit nothing is measured.
"""

from __future__ import annotations

import errno
import os
import resource

from .errors import JackfieldError, MemoryShort

RETRY_AFTER_S = 2
_PAGE = resource.getpagesize()
_NO_MEMORY = "Not enough memory"
_NO_THREAD = "can't start new thread"


class Headroom:
    """The process's own. Its descriptor stays open: near the limit nothing more may be there to open it with."""

    def __init__(self, limit: int, reserve: int) -> None:
        """In bytes."""
        self._limit = limit
        self._reserve = reserve
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def check(self, more: int = 0) -> None:
        """Before something that takes that many bytes more. Raises `MemoryShort`."""
        used = int(os.pread(self._statm, 32, 0).split(None, 1)[0]) * _PAGE
        if used + more + self._reserve > self._limit:
            raise memory_short()


def find_headroom(reserve: int) -> Headroom | None:
    """None where the system sets no limit, or does not say what is used."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        return Headroom(limit, reserve)
    except OSError:
        return None


def memory_short() -> MemoryShort:
    """The error, which names the limit."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    named = "" if limit == resource.RLIM_INFINITY else f" of the {limit >> 20} MiB that `ulimit -v` allows"
    return MemoryShort(
        f"The daemon has too little memory left{named}; try again, send less at a time, or raise the limit.",
        headers=[("Retry-After", str(RETRY_AFTER_S))],
    )


def check_memory(reason: str) -> None:
    """reason: of orjson, which calls a document bad that it has no memory for. Raises `MemoryError`."""
    if reason.startswith(_NO_MEMORY):
        raise MemoryError


def is_memory_short(error: BaseException) -> bool:
    """Whether memory was missing, also for the stack of a thread."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and str(error) == _NO_THREAD)


def unexpected(error: BaseException) -> JackfieldError:
    """The answer to a request that failed with an error of the program."""
    return memory_short() if is_memory_short(error) else JackfieldError()
