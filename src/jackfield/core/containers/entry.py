"""The first program of a container. It enters the container's control group, takes its limits, and becomes the wanted
program. Without a control group, it stays above that program as a subreaper.

Run by path with `python -I -S`. Words before `--` are options, then comes the program with its arguments:
`group=FILE` is the control group's `cgroup.procs`. `data=BYTES` and `cpus=NUMBERS` are limits. `keep=SECONDS` stays
above, with so long between SIGTERM and SIGKILL for what the program leaves.

A subreaper is the new parent of every orphan below it. So all that the program starts descends from here, in which
session or group it may be. It ends when nothing does any more, with the program's exit code, 128+n for a signal.

It imports the standard library alone, and little of that.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

SET_CHILD_SUBREAPER = 36
LOOK = 0.02
"""Seconds between two looks at what is left."""
NOT_FOUND, NOT_STARTED = 127, 126
"""Exit codes, as a shell gives them."""


def main(words: list[str]) -> int:
    at = words.index("--")
    options = dict(word.split("=", 1) for word in words[:at])
    program = words[at + 1 :]
    if "group" in options:
        with open(options["group"], "w") as file:  # noqa: PTH123 - pathlib is not light
            file.write("0")
    _limit(options)
    if "keep" in options:
        return _keep(program, float(options["keep"]))
    try:
        os.execvp(program[0], program)  # noqa: S606 - what the daemon was asked to start
    except OSError as exc:
        return _failed(program[0], exc)


def _limit(options: dict[str, str]) -> None:
    if "data" in options:
        import resource  # only where there is a limit

        value = int(options["data"])
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(resource.RLIMIT_DATA, (value, value))
    if "cpus" in options:
        os.sched_setaffinity(0, {int(number) for number in options["cpus"].split(",")})


def _failed(program: str, error: OSError) -> int:
    sys.stderr.write(f"{program}: {error.strerror}\n")
    return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED


def _keep(program: list[str], grace: float) -> int:
    _adopt_orphans()
    import signal  # what has become the program needs none of it

    settable = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, 32, 33}
    try:
        agent = os.posix_spawnp(program[0], program, os.environ, setsigmask=[], setsigdef=settable)
    except OSError as exc:
        return _failed(program[0], exc)
    for number in settable:  # the terminal's keys, and what the daemon sends to all, are the program's matter
        signal.signal(number, signal.SIG_IGN)
    _let_go()
    code = NOT_STARTED
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == agent:
            code = os.waitstatus_to_exitcode(status)
            break
    _end_rest(signal.SIGTERM, signal.SIGCONT, signal.SIGKILL, grace)
    return code if code >= 0 else 128 - code


def _adopt_orphans() -> None:
    import ctypes  # only here

    word = ctypes.c_ulong
    ctypes.CDLL(None).prctl(ctypes.c_int(SET_CHILD_SUBREAPER), word(1), word(0), word(0), word(0))


def _let_go() -> None:
    """The program's pipes are its own: who reads them waits for their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.closerange(3, 256)


def _end_rest(term: int, go_on: int, kill: int, grace: float) -> None:
    deadline = time.monotonic() + grace
    told: set[int] = set()
    while _any_child():
        late = time.monotonic() >= deadline
        for pid in _below(os.getpid()):
            if late:
                _send(pid, kill)
            elif pid not in told:
                _send(pid, term)
                _send(pid, go_on)  # one that is stopped would never hear of it
                told.add(pid)
        time.sleep(LOOK)


def _any_child() -> bool:
    """Collects those that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _below(root: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib is not light
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - pathlib is not light
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            parents.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = list(parents.get(root, ()))
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += parents.get(pid, ())
    return found


def _send(pid: int, number: int) -> None:
    with suppress(OSError):
        os.kill(pid, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
