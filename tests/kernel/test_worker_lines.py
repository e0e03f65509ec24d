"""Lines between the processes of a daemon: one that is in trouble harms no more than what is under way."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Sequence
from typing import cast

import pytest

from jackfield.core.ports import PortDirectory
from jackfield.core.workers import moving
from jackfield.core.workers.moving import MovingLine
from jackfield.core.workers.store_server import StoreServer
from jackfield.core.workers.workers import Process, WorkerProcesses
from jackfield.testing.clock import FakeClock

LONG = b"x" * 100_000
"""Goes in a file."""


async def test_a_line_outlives_a_connection_that_could_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a descriptor for one more file; the next connection moves."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    taken: asyncio.Queue[tuple[socket.socket, bytes]] = asyncio.Queue()
    line = MovingLine(ours, lambda *_: None)
    other = MovingLine(theirs, lambda sock, data: taken.put_nowait((sock, data)))
    caller, served = socket.socketpair()

    def full(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(moving.os, "memfd_create", full)
        assert line.give(served.fileno(), LONG)
    with monkeypatch.context() as patched:
        patched.setattr(moving.os, "dup", full)
        assert not line.give(served.fileno(), b"GET")
    assert line.give(served.fileno(), LONG)
    async with asyncio.timeout(5):
        moved, data = await taken.get()
    assert data == LONG
    moved.sendall(b"answer")
    assert caller.recv(10) == b"answer"
    for sock in (moved, caller, served):
        sock.close()
    line.close()
    other.close()


class Stuck:
    """The process of a worker that reads nothing, and its line."""

    pid = 0
    is_full = False

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.killed = 0

    def send(self, item: object) -> None:
        self.sent.append(item)

    def kill(self) -> None:
        self.killed += 1


class NoPorts:
    def get(self, _: type) -> object:
        return object()


class NeverStarts:
    """Fails in a way that nobody has thought of."""

    def __init__(self) -> None:
        self.tried = 0

    async def __call__(self, number: int, sockets: Sequence[socket.socket]) -> Process:
        self.tried += 1
        raise LookupError(number)

    def close(self) -> None:
        pass


async def test_a_worker_that_does_not_start_is_tried_again() -> None:
    clock, start = FakeClock(), NeverStarts()
    workers = WorkerProcesses(1, start, cast("PortDirectory", NoPorts()), clock)
    await workers.start()
    async with asyncio.timeout(5):
        while start.tried < 3:
            await clock.advance(1)
    workers.begin_stop()
    await clock.advance(10)
    await workers.stop(0)


def test_a_worker_that_reads_no_messages_is_ended() -> None:
    """They would fill the first process's memory."""
    workers = WorkerProcesses(2, NeverStarts(), cast("PortDirectory", None), FakeClock())
    both = [Stuck(), Stuck()]
    for worker, made in zip(workers.workers, both, strict=True):
        worker.server, worker.process = cast("StoreServer", made), cast("Process", made)
    workers.tell(b"1")
    both[0].is_full = True
    workers.tell(b"2")
    workers.tell(b"3")
    assert [(len(each.sent), each.killed) for each in both] == [(1, 1), (3, 0)]
