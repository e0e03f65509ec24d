"""Reading in worker processes: one is started, and makes copies of itself. Whichever is free takes the next file."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

import msgspec

from jackfield_telemetry.importing.jobs import ImportPart, Job, LogSource, fetch, frames, parts

WAITING = 4
"""Parts that may wait for the ledger; beyond that workers wait."""
AT_ONCE = 64 * 2**20
"""Bytes that the system is asked to fetch while the processes start."""
END_SECONDS = 1.0
"""Which the processes may take to end when they are asked to; then they are killed."""
_LEAN = 'sys.modules["typing_extensions"] = None; import msgspec; del sys.modules["typing_extensions"]'
"""The names that msgspec would take from there are in `typing` as well, and loading it is a quarter of a worker's
start.
"""
_MAIN = "from jackfield_telemetry.importing.worker import main; main()"


def shared_parts(
    sources: Sequence[LogSource], jobs: Sequence[Job], numbers: Sequence[int], workers: int
) -> Iterator[ImportPart]:
    """`parts` of these jobs by that many processes. Jobs that a process leaves undone because it died are read here."""
    done: set[int] = set()
    queue: Queue[ImportPart | None] = Queue(WAITING)
    process, outputs = _start(sources, jobs, numbers, workers)
    threads = [Thread(target=_forward, args=(output, queue), daemon=True) for output in outputs]
    for thread in threads:
        thread.start()
    try:
        left = len(threads)
        while left:
            part = queue.get()
            if part is None:
                left -= 1
                continue
            done.update(mark.number for mark in part.marks if mark.done)
            yield part
    finally:
        _end(process)
        for thread in threads:
            while thread.is_alive():
                with suppress(Exception):
                    queue.get_nowait()
                thread.join(0.01)
    yield from parts(sources, jobs, [number for number in numbers if number not in done])


def _start(
    sources: Sequence[LogSource], jobs: Sequence[Job], numbers: Sequence[int], workers: int
) -> tuple[subprocess.Popen[bytes], Sequence[IO[bytes]]]:
    """The first of them, which makes the others, and what each of them gives. All read the numbers of their jobs from
    one pipe."""
    wanted = set(numbers)
    order = [number for number in ordered(jobs) if number in wanted]
    taking, giving = os.pipe()
    pipes = [os.pipe() for _ in range(workers)]
    Thread(target=_fetch_first, args=(jobs, order), daemon=True).start()
    outputs = [writing for _, writing in pipes]
    try:
        process = _process((taking, *outputs))
    except BaseException:
        for descriptor in (giving, *(reading for reading, _ in pipes)):
            os.close(descriptor)
        raise
    finally:
        for descriptor in (taking, *outputs):
            os.close(descriptor)
    Thread(target=_give, args=(giving, order), daemon=True).start()
    with suppress(OSError):
        _pipe(process.stdin).write(pickle.dumps((list(sources), list(jobs), taking, outputs)))
        _pipe(process.stdin).close()
    return process, [os.fdopen(reading, "rb") for reading, _ in pipes]


def _process(handed: Sequence[int]) -> subprocess.Popen[bytes]:
    """The environment is the interpreter's alone: the daemon's secrets are none of a worker's business."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TZ", "VIRTUAL_ENV")}
    kept |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    return subprocess.Popen(  # noqa: S603 - this interpreter
        # Without `site`, whose work is done: its result is handed on.
        [sys.executable, "-S", "-c", _code()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=kept,
        pass_fds=handed,
        process_group=0,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """With those that it has made, which are of its group; its number is its own until it is waited for."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, ending)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
            return


def _code() -> str:
    """The package is there without what the daemon needs of it, hooks above all: importing that would take longer than
    all the rest."""
    package = Path(__file__).parents[1]
    bare = f"{_LEAN}; package = types.ModuleType({package.name!r}); package.__path__ = [{str(package)!r}]"
    begun = f"import gc, sys, types; gc.disable(); sys.path[:] = {sys.path!r}"  # nothing here is in a cycle
    return f"{begun}; {bare}; sys.modules[package.__name__] = package; {_MAIN}"


def ordered(jobs: Sequence[Job]) -> list[int]:
    """Source by source, large files first, so that all workers end at about the same time."""
    return sorted(range(len(jobs)), key=lambda number: (jobs[number].source, -jobs[number].size))


def _fetch_first(jobs: Sequence[Job], order: Sequence[int]) -> None:
    size = 0
    for number in order:
        fetch(jobs[number])
        size += jobs[number].size
        if size >= AT_ONCE:
            return


def _give(giving: int, order: Sequence[int]) -> None:
    with suppress(BrokenPipeError), os.fdopen(giving, "wb", buffering=0) as pipe:
        for start in range(0, len(order), 1024):  # at most PIPE_BUF at once, so that no number is cut in two
            pipe.write(b"".join(number.to_bytes(4, "big") for number in order[start : start + 1024]))


def _forward(output: IO[bytes], queue: Queue[ImportPart | None]) -> None:
    decode = msgspec.msgpack.Decoder(ImportPart).decode
    try:
        with output:
            for frame in frames(output):
                queue.put(decode(frame))
    except (OSError, ValueError, msgspec.DecodeError):
        pass
    finally:
        queue.put(None)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the process has no pipe")
    return pipe
