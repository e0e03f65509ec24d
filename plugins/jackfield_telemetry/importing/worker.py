"""The main function of a process that reads logs. On standard input what there is to read, on a pipe that all workers
share the numbers of the jobs, on standard output parts; it ends when nothing is left or nobody takes them any more."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress

from jackfield_telemetry.importing.jobs import parts, send


def main() -> None:
    os.nice(5)
    gc.disable()  # nothing here is in a cycle
    # From the daemon that has started this process, over a pipe that nobody else has.
    sources, jobs, taking = pickle.load(sys.stdin.buffer)  # noqa: S301
    with suppress(BrokenPipeError):
        for part in parts(sources, jobs, _taken(taking)):
            send(sys.stdout.buffer, part)


def _taken(pipe: int) -> Iterator[int]:
    while len(number := os.read(pipe, 4)) == 4:
        yield int.from_bytes(number, "big")
