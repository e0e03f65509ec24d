"""The process that serves a connection, where the daemon has worker processes."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Callable

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send, error_body
from jackfield.api.errors import JackfieldError
from jackfield.core.workers.moving import MovingLine, is_for_worker, is_workers
from jackfield.core.workers.workers import Worker, WorkerProcesses

from .mounts import Mounts


class Misdirected(JackfieldError):
    """The request came behind another one before that was answered; send it again, on its own connection."""

    status = 421
    code = "MISDIRECTED_REQUEST"
    title = "Misdirected request"


async def refuse_misdirected(scope: Scope, receive: Receive, send: Send) -> None:
    """In a worker, where a caller did not wait for an answer: what has come cannot move any more. The connection ends
    (RFC 9110 section 15.5.20)."""
    if scope["type"] != "http":
        if (await receive())["type"] == "websocket.connect":
            await send({"type": "websocket.close", "code": 1012})
        return
    body = error_body(Misdirected(), scope["jackfield.request_id"])
    length = str(len(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": Misdirected.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class WorkerMounts(Mounts):
    """Of a worker: webhooks alone."""

    def find(self, path: str) -> AsgiMount | None:
        return super().find(path) if is_workers(path) else _MISDIRECTED


_MISDIRECTED = AsgiMount("", refuse_misdirected, "public")
Taken = Callable[[socket.socket, bytes], None]


class ToFirst:
    """`ConnectionMover` of a worker: what is no webhook's call goes to the first process."""

    def __init__(self, sock: socket.socket, taken: Taken) -> None:
        self._line = MovingLine(sock, taken)

    def is_elsewhere(self, data: bytes) -> bool:
        return not is_for_worker(data)

    def move(self, descriptor: int, data: bytes) -> bool:
        return self._line.give(descriptor, data)


class ToWorkers:
    """`ConnectionMover` of the first process: calls of webhooks go to the workers, in turn."""

    def __init__(self, workers: WorkerProcesses, taken: Taken) -> None:
        self._taken = taken
        self._lines: dict[int, MovingLine] = {}
        self._turns = itertools.count()
        self._workers = workers
        workers.moving = self.open
        for worker in workers.workers:
            self.open(worker)

    def open(self, worker: Worker) -> None:
        """A line to a worker in a new life."""
        if (old := self._lines.pop(worker.number, None)) is not None:
            old.close()
        if worker.moving is not None:
            self._lines[worker.number] = MovingLine(worker.moving, self._taken)

    def is_elsewhere(self, data: bytes) -> bool:
        return is_for_worker(data) and any(worker.ready for worker in self._workers.workers)

    def move(self, descriptor: int, data: bytes) -> bool:
        found = (self._lines.get(worker.number) for worker in self._workers.workers if worker.ready)
        ready = [line for line in found if line is not None and line.is_open]
        return bool(ready) and ready[next(self._turns) % len(ready)].give(descriptor, data)
