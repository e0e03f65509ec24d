"""The daemon's end of one process: it asks, and serves what the process asks for meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import orjson

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.process_containers import EndStep, ProcessContainer
from jackfield.api.records import record
from jackfield.api.scripts import ScriptError
from jackfield_community_nodes.processes.commands import environment

Serve = Callable[[str, Mapping[str, Any]], Awaitable[Json]]  # Any: JSON that the package made
_HEAD: Final = 4
ENDED = "The process of the package ended without an answer; its code may have ended it, or used up its memory."


_log = logging.getLogger(__name__)
_LONG = 256 * 1024
"""Bytes from which on parsing would hold the event loop."""


class _Unreadable(Exception):
    """The words of the process are no message."""


@record
class PackageRequest:
    """message: what `main.js` serves, as JSON; serve: answers what the process asks for, `NodeError` reaches it."""

    message: bytes
    serve: Serve


@record
class PackageStart:
    """largest: bytes of a message; calls: things served at once; timeout: seconds until it is ready; idle: seconds
    after which it ends."""

    container: ProcessContainer
    command: Sequence[str]
    largest: int
    calls: int
    timeout: float
    idle: float


class PackageWorker:
    """`ScriptWorker`: a process that has the code of one package."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        start: PackageStart,
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._start = start
        self._rest: asyncio.TimerHandle | None = None
        self.uses = 0
        self.usable = True

    @classmethod
    async def start(cls, start: PackageStart) -> PackageWorker:
        """Raises `ScriptError`."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = _spawn(start, theirs)
        start.container.started(process.pid)
        ours.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=ours, limit=256 * 1024)
        worker = cls(process, reader, writer, start)
        try:
            async with asyncio.timeout(start.timeout):
                ready = await worker._received()
        except (TimeoutError, OSError, EOFError, _Unreadable):
            ready = {}
        if not ready.get("ready"):
            worker.kill()
            await asyncio.shield(worker.ended())
            raise ScriptError("The process for the package could not be started.", kind="crash")
        return worker

    def lives(self) -> bool:
        return self.usable and self._process.poll() is None

    async def request(self, request: PackageRequest, timeout: float) -> bytes:
        """The answer as JSON, `{"result"}` or `{"failure"}`. When this raises, the process has ended."""
        if self._rest is not None:
            self._rest.cancel()
        self.uses += 1
        answer: bytes | None = None
        try:
            async with asyncio.timeout(timeout):
                answer = await self._answer(request)
        except TimeoutError:
            raise ScriptError(
                f"The node did not finish within {timeout:g} seconds (community_nodes.timeout).", kind="timeout"
            ) from None
        except (OSError, EOFError):
            raise ScriptError(ENDED, kind="crash") from None
        except _Unreadable as exc:
            raise ScriptError(
                f"The process of the package said what nobody understands: {exc}.", kind="crash"
            ) from None
        finally:
            if answer is None:
                self.kill()
            else:
                self._rest = asyncio.get_running_loop().call_later(self._start.idle, self.kill)
        return answer

    async def _answer(self, request: PackageRequest) -> bytes:
        await self._send(b'{"request":' + request.message + b"}")
        room = asyncio.Semaphore(self._start.calls)
        served: set[asyncio.Task[None]] = set()
        try:
            while True:
                found = await self._received()
                if "ask" not in found:
                    self.usable = self.usable and not found.get("worn")
                    return orjson.dumps(found)
                await room.acquire()
                task = asyncio.ensure_future(self._served(request.serve, found))
                served.add(task)
                task.add_done_callback(served.discard)
                task.add_done_callback(lambda _: room.release())
        finally:
            for task in served:
                task.cancel()
            await asyncio.gather(*served, return_exceptions=True)

    async def _served(self, serve: Serve, asked: Mapping[str, Any]) -> None:
        number, what, given = asked["ask"], asked.get("what"), asked.get("given")
        number = number if isinstance(number, int) else None
        try:
            value = await serve(str(what), given if isinstance(given, dict) else {})
            answer = orjson.dumps({"answer": number, "value": value})
        except NodeError as exc:
            answer = orjson.dumps({"answer": number, "error": {"message": exc.message, "description": exc.description}})
        except Exception as exc:  # the package would wait for an answer until its timeout
            _log.warning("A package's request could not be served: %s", type(exc).__name__)
            answer = orjson.dumps(
                {"answer": number, "error": {"message": f"The daemon cannot serve {str(what)[:40]}."}}
            )
        if len(answer) > self._start.largest:
            told = f"This is more than the {self._start.largest >> 20} MiB that community_nodes.max_message allows."
            answer = orjson.dumps({"answer": number, "error": {"message": told}})
        with contextlib.suppress(OSError):  # the reader hears of the end
            await self._send(answer)

    async def _send(self, body: bytes) -> None:
        if len(body) > self._start.largest:
            raise ScriptError(
                f"The items are more than the {self._start.largest >> 20} MiB that community_nodes.max_message allows.",
                kind="memory",
            )
        self._writer.write(len(body).to_bytes(_HEAD, "big"))
        self._writer.write(body)
        await self._writer.drain()

    async def _received(self) -> dict[str, Any]:
        """Raises EOFError, OSError, `_Unreadable`."""
        size = int.from_bytes(await self._reader.readexactly(_HEAD), "big")
        if size > self._start.largest:
            raise _Unreadable(f"a message of {size} bytes")
        body = await self._reader.readexactly(size)
        try:
            found = orjson.loads(body) if size < _LONG else await asyncio.to_thread(orjson.loads, body)
        except ValueError as exc:
            raise _Unreadable(str(exc)) from None
        if not isinstance(found, dict):
            raise _Unreadable("a message that is no object")
        return found

    def kill(self) -> None:
        self.usable = False
        if self._rest is not None:
            self._rest.cancel()
        self._process.kill()
        self._writer.close()

    async def ended(self) -> None:
        await asyncio.to_thread(self._process.wait)
        await self._start.container.end(EndStep(signal.SIGKILL, 0.0))


def _spawn(start: PackageStart, line: socket.socket) -> subprocess.Popen[bytes]:
    """From the event loop's thread: a sandbox dies with the thread that started it. In its own session, so that an
    interrupt from the terminal does not end runs that the daemon lets finish."""
    try:
        return subprocess.Popen(  # noqa: S603 - our own words and the operator's program, no shell
            start.container.command(start.command),
            stdin=line.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=start.container.environment(environment()),
            cwd="/",
            start_new_session=True,
        )
    except OSError as exc:
        raise ScriptError(f"The process for the package could not be started: {exc.strerror}.", kind="crash") from None
