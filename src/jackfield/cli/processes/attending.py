"""The parent of a daemon with workers: a small process that starts the daemon anew when a signal has ended it.

It takes the place of the process that was started, so that a service manager knows one process, the one it has started.
It holds nothing that a daemon needs: when it is killed, the daemon stops in order.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from jackfield.api.errors import ConfigurationError
from jackfield.core.process.environment import wipe

if TYPE_CHECKING:
    from ..runtime import Runtime

ATTENDED = "JACKFIELD_ATTENDED"
"""In the environment of a daemon: the process that attends to it, and how often it was started before."""
PATIENCE = 5.0
"""Seconds in which what was killed gives its port back."""
_PR_SET_PDEATHSIG = 1
_PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)
"""Seconds before each further start, of daemons that do not live for `_STEADY` seconds."""
_STEADY = 30.0


def attend(runtime: Runtime) -> float:
    """In the daemon: seconds for which it waits for its port, when somebody attends to it. Else this process becomes
    its parent, and does not return. Raises `ConfigurationError` where there is no such thing."""
    if sys.platform != "linux":
        raise ConfigurationError("daemon.workers above 1 needs Linux; set it to 1.")
    parent, _, before = runtime.environment.get(ATTENDED, "").partition(" ")
    if parent == str(os.getppid()):
        os.environ.pop(ATTENDED, None)
        end_with_parent(signal.SIGTERM)
        return PATIENCE if before != "0" else 0.0
    return _become_parent(runtime)


def _become_parent(runtime: Runtime) -> NoReturn:
    environment = {name: value for name, value in runtime.environment.items() if name != ATTENDED}
    command = json.dumps([sys.executable, "-m", "jackfield", *sys.argv[1:]])
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-m", "jackfield.cli.processes.attending", command], environment)  # noqa: S606 - no shell


def end_with_parent(number: signal.Signals) -> None:
    """From now on this process gets the signal when its parent ends."""
    parent = os.getppid()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def main(command: list[str], environment: Mapping[str, str]) -> int:
    """Until the daemon ends by itself; its exit code. It starts the daemon anew after any end by force.

    `environment`: of the daemon, a copy. Some of it is secret, and this process, which does not know which, needs none.
    """
    wipe(environment, environment)
    child = 0
    stopping = False

    def stop(number: int, _: object) -> None:
        nonlocal stopping
        stopping = True
        if child:
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    failures = starts = 0
    while True:
        begun = time.monotonic()
        child = os.posix_spawn(command[0], command, {**environment, ATTENDED: f"{os.getpid()} {starts}"})
        if stopping:
            os.kill(child, signal.SIGTERM)
        _, status = os.waitpid(child, 0)
        child, starts = 0, starts + 1
        code = os.waitstatus_to_exitcode(status)
        if code >= 0 or stopping:
            return code if code >= 0 else 1
        failures = 0 if time.monotonic() - begun > _STEADY else failures + 1
        pause = _PAUSES[min(failures, len(_PAUSES) - 1)]
        sys.stderr.write(f"The daemon was ended by signal {-code}; it is started anew in {pause:g} s.\n")
        sys.stderr.flush()
        until = time.monotonic() + pause
        while not stopping and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
        if stopping:
            return 1


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), dict(os.environ)))
