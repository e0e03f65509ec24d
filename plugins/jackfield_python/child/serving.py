"""The worker process: forks a confined child for every run.

Standard input is a socket to the daemon. First the worker says `r` (ready) or `n` (nothing can be confined here). A
message is JSON, `timezone`, `seconds` and `memory`, and comes with the socket of one run. The child reads that socket
to its end and answers; when the child has ended, four bytes say how.
"""

from __future__ import annotations

import gc
import json
import os
import socket
from collections.abc import Mapping
from typing import Any

from jackfield.api.confinement import can_confine, die_with
from jackfield_python.child.confine import confine
from jackfield_python.child.modules import known_zone, preload
from jackfield_python.child.running import answer

HEAD = 4096
CONTROL = 0


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
        confine(run, os.getppid(), known_zone(head["timezone"]), head["memory"], head["seconds"])
        answer(run, limits)
        os._exit(0)
    finally:
        os._exit(1)


def serve_runs(parent: str, limits: str) -> None:
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
