"""The worker process: forks a confined child for every run.

Run by path with `python -I -S`. Standard input is a socket to the daemon. First the worker says `r` (ready) or `n`
(nothing can be confined here). A message is JSON, `timezone` and `seconds`, and comes with the socket of one run, which
the child reads to its end and answers; when the child has ended, four bytes say how.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HEAD = 4096
CONTROL = 0


def as_package() -> None:
    """Make this folder importable without running the package's `__init__`, which belongs to the daemon."""
    for name, folder in (("jackfield_python", 1), ("jackfield_python.child", 0)):
        package = types.ModuleType(name)
        package.__path__ = [str(Path(__file__).parents[folder])]
        sys.modules[name] = package


def serve(control: socket.socket, limits: Mapping[str, Any]) -> None:
    while True:
        head, sockets, _, _ = socket.recv_fds(control, HEAD, 1)
        if not head or not sockets:
            return
        child = os.fork()
        if child == 0:
            become_child(sockets[0], json.loads(head), limits)
        os.close(sockets[0])
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        control.sendall((code if code >= 0 else 256 - code).to_bytes(4, "big"))


def become_child(run: int, head: Mapping[str, Any], limits: Mapping[str, Any]) -> None:
    """Never returns."""
    try:
        from jackfield_python.child.confine import confine
        from jackfield_python.child.modules import known_zone
        from jackfield_python.child.running import answer

        confine(run, os.getppid(), known_zone(head["timezone"]), limits["memory"], head["seconds"])
        answer(run, limits)
        os._exit(0)
    finally:
        os._exit(1)


def main(parent: str, limits: str) -> None:
    as_package()
    from jackfield_python.child.confine import can_confine, die_with
    from jackfield_python.child.modules import preload

    die_with(int(parent))
    control = socket.socket(fileno=CONTROL)
    given = json.loads(limits)
    if not can_confine():
        control.sendall(b"n")
        return
    preload(given["modules"])
    gc.collect()
    gc.freeze()
    control.sendall(b"r")
    serve(control, given)


if __name__ == "__main__":
    main(*sys.argv[1:])
