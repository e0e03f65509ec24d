"""A worker process: `python -m jackfield.cli.processes.worker`, started by the first process of a daemon alone."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jackfield.api.errors import JackfieldError
from jackfield.core.logs import Logs
from jackfield.core.process.limits import check_limits
from jackfield.core.process.memory import share_arena
from jackfield.core.tables import DaemonSettings, LogSettings
from jackfield.core.workers.link import WorkerLink
from jackfield.core.workers.loads import Loads
from jackfield.http.app import Application, create_app
from jackfield.http.counting import counted
from jackfield.http.server import run

from ..runtime import Runtime
from .attending import end_with_parent
from .serving import leave_in_time, spare_collector

log = logging.getLogger("jackfield")
_TELL_S = 1.0
"""Seconds between two messages of what the process counts."""


def work(told: Mapping[str, Any]) -> None:
    """Any: JSON of the first process. Raises `ConfigurationError`."""
    listening, *sockets = (socket.socket(fileno=descriptor) for descriptor in told["descriptors"])
    os.set_inheritable(told["loads"], False)
    for sock in (listening, *sockets):
        sock.set_inheritable(False)
    gc.disable()
    share_arena()
    check_limits()
    link = WorkerLink(told["number"], sockets, Loads(told["loads"], told["count"], told["number"]))
    kernel = Runtime().kernel(Path(told["config_dir"]), told["overrides"], link)
    check_limits(kernel.settings.get(DaemonSettings).memory_reserve)
    logs = Logs(kernel.config_dir, kernel.settings.get(LogSettings), kernel.redactor, link.number)

    def ended() -> None:
        log.error("The daemon's first process has ended, and this worker with it.")
        logs.stop()
        os._exit(1)

    link.ended = ended
    try:
        app = create_app(kernel)
        kernel.when_ready = lambda: begin(app, link)
        spare_collector()
        failed = lambda: (app.lifespan.failure or kernel.failure) is not None  # noqa: E731 - one question
        run(app, listening, lambda: leave_in_time(logs, failed))
    except Exception as exc:
        log.error("Worker %d did not start or has failed: %s", link.number, exc)
        raise
    finally:
        logs.stop()


def begin(app: Application, link: WorkerLink) -> None:
    """The first process hears that the worker takes calls, and from time to time gets the worker's counts."""
    link.tell_ready()
    app.kernel.tasks.spawn("worker.counts", tell(app, link))


async def tell(app: Application, link: WorkerLink) -> None:
    while True:
        link.tell(counted(app.kernel, app.counters))
        await app.kernel.clock.sleep(_TELL_S)


def main() -> None:
    told = json.load(sys.stdin)
    if os.getppid() != told["parent"]:
        return
    end_with_parent(signal.SIGKILL)
    with contextlib.suppress(asyncio.CancelledError):
        try:
            work(told)
        except JackfieldError as exc:
            sys.exit(f"Error: {exc.message}")


if __name__ == "__main__":
    main()
