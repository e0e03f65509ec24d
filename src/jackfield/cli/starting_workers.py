"""How the first process of a daemon starts its workers."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.core.workers.workers import Process

from .runtime import Runtime


class WorkerStarter:
    """`Starter`. What a worker must know comes by its standard input: command lines are shown to everybody."""

    def __init__(self, runtime: Runtime, config_dir: Path, overrides: Mapping[str, str]) -> None:
        self._environment = dict(runtime.environment)
        self._told = {"config_dir": str(config_dir), "overrides": dict(overrides)}

    async def __call__(self, number: int, sockets: Sequence[socket.socket]) -> Process:
        descriptors = [sock.fileno() for sock in sockets]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "jackfield.cli.worker",
            stdin=asyncio.subprocess.PIPE,
            pass_fds=descriptors,
            env=self._environment,
            start_new_session=True,  # Ctrl-C is for the first process, which tells them
        )
        told = json.dumps({**self._told, "number": number, "descriptors": descriptors, "parent": os.getpid()})
        if process.stdin is not None:
            process.stdin.write(told.encode())
            process.stdin.close()
        return process
