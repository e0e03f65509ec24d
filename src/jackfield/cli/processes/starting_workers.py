"""How the first process of a daemon starts its workers."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.core.workers.loads import Loads
from jackfield.core.workers.workers import Process
from jackfield.http.own_sockets import WORKER_MODULE

from ..runtime import Runtime


class WorkerStarter:
    """`Starter`. A worker's knowledge comes by its standard input: command lines are visible to everybody."""

    def __init__(self, runtime: Runtime, config_dir: Path, overrides: Mapping[str, str]) -> None:
        self._environment = dict(runtime.environment)
        self._told: dict[str, object] = {"config_dir": str(config_dir), "overrides": dict(overrides)}
        self._listening: socket.socket | None = None
        self._loads: Loads | None = None

    def share(self, sock: socket.socket, count: int) -> None:
        """That many workers accept with this socket, which is the only one on the port.

        With separate sockets, any program of the user could have one beside them (SO_REUSEPORT), and get callers'
        requests.
        """
        self._listening = sock.dup()
        self._loads = Loads.of(count)
        self._told["count"] = count

    def close(self) -> None:
        if self._listening is not None:
            self._listening.close()

    async def __call__(self, number: int, sockets: Sequence[socket.socket]) -> Process:
        if self._listening is None or self._loads is None:
            raise LookupError("There is no socket to share.")
        self._loads.forget(number)
        descriptors = [sock.fileno() for sock in (self._listening, *sockets)]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            WORKER_MODULE,
            stdin=asyncio.subprocess.PIPE,
            pass_fds=(*descriptors, self._loads.descriptor),
            env=self._environment,
            start_new_session=True,  # Ctrl-C is for the first process, which tells them
        )
        own = {"number": number, "descriptors": descriptors, "loads": self._loads.descriptor, "parent": os.getpid()}
        told = json.dumps({**self._told, **own})
        if process.stdin is not None:
            process.stdin.write(told.encode())
            process.stdin.close()
        return process
