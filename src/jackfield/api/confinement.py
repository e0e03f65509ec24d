"""The walls around scripts: limits of their process, and a seccomp filter. The filter leaves scripts only the system
calls for memory, time, and the descriptors that are open already.

The filter is an allow list. No file can be opened, no socket made, no process started, nobody signalled, no memory made
executable. Every other call to the kernel fails with EPERM. It holds for everything in the process, so that it does not
matter which objects of the interpreter a script gets hold of.

Processes of scripts load this file without the rest of the project: it imports the standard library alone, and little
of that. `jackfield.api.script_workers.API_FOLDER` says where it is.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import struct
import sys
from collections.abc import Mapping

SET_DEATH_SIGNAL, GET_SECCOMP, SET_SECCOMP, SET_DUMPABLE, SET_NO_NEW_PRIVILEGES = 1, 21, 22, 4, 38
FILTER_MODE = 2
SIGKILL = 9

# Linux's uapi: asm/unistd.h, linux/audit.h, linux/seccomp.h, linux/bpf_common.h
X86_64 = {
    "read": 0, "write": 1, "close": 3, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35,
    "setitimer": 38, "getpid": 39, "exit": 60, "gettimeofday": 96, "getrusage": 98, "times": 100, "sigaltstack": 131,
    "gettid": 186, "time": 201, "futex": 202, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
    "clock_nanosleep": 230, "exit_group": 231, "getrandom": 318,
}  # fmt: skip
AARCH64 = {
    "read": 63, "write": 64, "close": 57, "mmap": 222, "mprotect": 226, "munmap": 215, "brk": 214, "rt_sigaction": 134,
    "rt_sigprocmask": 135, "rt_sigreturn": 139, "sched_yield": 124, "mremap": 216, "madvise": 233, "nanosleep": 101,
    "setitimer": 103, "getpid": 172, "exit": 93, "gettimeofday": 169, "getrusage": 165, "times": 153,
    "sigaltstack": 132, "gettid": 178, "futex": 98, "restart_syscall": 128, "clock_gettime": 113, "clock_getres": 114,
    "clock_nanosleep": 115, "exit_group": 94, "getrandom": 278,
}  # fmt: skip
MACHINES = {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}
WITH_PROTECTION = ("mmap", "mprotect")
"""Their third argument may ask for memory that can be executed."""
EXECUTABLE = 4
NUMBER, MACHINE, THIRD_ARGUMENT = 0, 4, 32
"""Offsets in seccomp_data; of the argument's lower half, as both machines are little-endian."""
LOAD, EQUAL, GREATER_EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
FOREIGN_ABI = 0x40000000
"""x32's bit in a number of x86-64."""


def can_confine() -> bool:
    """Whether this system has what `seal` needs: Linux on x86-64 or 64-bit ARM, with seccomp."""
    known = sys.platform == "linux" and os.uname().machine in MACHINES and sys.maxsize > 2**32
    # Another filter may be there already, as in a container: they add up.
    return known and sys.byteorder == "little" and _prctl(GET_SECCOMP, 0) in (0, FILTER_MODE)


def die_with(parent: int) -> None:
    """Be killed when the parent, or its thread that started this process, ends."""
    _prctl(SET_DEATH_SIGNAL, SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def keep_descriptors(*kept: int) -> None:
    """Close every other descriptor of the process."""
    start = 0
    for one in (*sorted(kept), max(*kept, _highest_descriptor()) + 1):
        if start < one:  # CPython 3.11 takes an empty range from 0 for all descriptors
            os.closerange(start, one)
        start = one + 1


def limit(limits: Mapping[int, int]) -> None:
    """Limits of the `resource` module by kind, for good. No core, no file that is written and no further process is
    always among them."""
    always = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NPROC: 0}
    for kind, value in {**limits, **always}.items():
        most = resource.getrlimit(kind)[1]
        allowed = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (allowed, allowed))


def size_now() -> int:
    """Bytes of address space that the process has."""
    with open("/proc/self/statm") as file:  # noqa: PTH123 - pathlib is not needed for anything else here
        return int(file.read().split()[0]) * resource.getpagesize()


def seal() -> None:
    """Set the filter, for the rest of the process's life. The process ends if that cannot be done."""
    program = _filter(*MACHINES[os.uname().machine])
    _prctl(SET_DUMPABLE, 0)
    if _prctl(SET_NO_NEW_PRIVILEGES, 1) != 0 or _install(program) != 0 or _can_open():
        os._exit(1)


def _prctl(option: int, value: int, pointer: int = 0) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    word = ctypes.c_ulong
    return int(libc.prctl(ctypes.c_int(option), word(value), word(pointer), word(0), word(0)))


def _highest_descriptor() -> int:
    return max(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208 - as above


def _filter(machine: int, numbers: dict[str, int]) -> bytes:
    """A classic BPF program over seccomp_data."""
    steps = [
        _step(LOAD, 0, 0, MACHINE),
        _step(EQUAL, 1, 0, machine),
        _step(RETURN, 0, 0, KILL),
        _step(LOAD, 0, 0, NUMBER),
        _step(GREATER_EQUAL, 0, 1, FOREIGN_ABI),
        _step(RETURN, 0, 0, KILL),
    ]
    for name, number in numbers.items():
        if name in WITH_PROTECTION:
            steps += [
                _step(EQUAL, 0, 4, number),
                _step(LOAD, 0, 0, THIRD_ARGUMENT),
                _step(ANY_BIT, 0, 1, EXECUTABLE),
                _step(RETURN, 0, 0, REFUSE),
                _step(RETURN, 0, 0, ALLOW),
            ]
        else:
            steps += [_step(EQUAL, 0, 1, number), _step(RETURN, 0, 0, ALLOW)]
    return b"".join([*steps, _step(RETURN, 0, 0, REFUSE)])


def _step(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _install(program: bytes) -> int:
    steps = ctypes.create_string_buffer(program, len(program))
    head = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(steps)), 16)
    return _prctl(SET_SECCOMP, FILTER_MODE, ctypes.addressof(head))


def _can_open() -> bool:
    """Whether the filter does not hold."""
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return False
    return True
