"""The main function of the processes that read logs.

Standard input has the files to read. The numbers of the jobs come on a pipe that the processes share, and each has a
pipe for its parts. They end when nothing is left or nobody takes them any more.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from jackfield_telemetry.importing.jobs import parts, send


def main() -> None:
    os.nice(5)
    # From the daemon that has started this process, over a pipe that nobody else has.
    sources, jobs, taking, outputs = pickle.load(sys.stdin.buffer)  # noqa: S301
    own, others = _forked(outputs)
    with suppress(BrokenPipeError), os.fdopen(own, "wb") as output:
        for part in parts(sources, jobs, _taken(taking)):
            send(output, part)
    for process in others:
        os.waitpid(process, 0)


def _forked(outputs: Sequence[int]) -> tuple[int, Sequence[int]]:
    """A process for each of the outputs: which is this one's, and the processes that it has to wait for. Loading what
    they need takes longer than reading 20 MB; here is one thread, so that the rest can be copies of the first."""
    own, *rest = outputs
    others = []
    for output in rest:
        process = os.fork()
        if not process:
            _close(other for other in outputs if other != output)
            return output, ()
        others.append(process)
    _close(rest)
    signal.signal(signal.SIGTERM, lambda *_: _end(others))
    return own, others


def _end(others: Sequence[int]) -> None:
    """The signal is the whole group's. The process that adopts these would perhaps not wait for them."""
    for process in others:
        with suppress(ChildProcessError):
            os.waitpid(process, 0)
    os._exit(1)


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _taken(pipe: int) -> Iterator[int]:
    while len(number := os.read(pipe, 4)) == 4:
        yield int.from_bytes(number, "big")
