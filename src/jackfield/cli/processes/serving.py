"""`jackfield serve`."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Timer

from jackfield.core.logs import FILE_ALONE, Logs
from jackfield.core.process.disk_reserve import DiskReserve
from jackfield.core.process.limits import check_limits
from jackfield.core.process.lock import DirectoryLock
from jackfield.core.process.memory import share_arena
from jackfield.core.tables import DaemonSettings, LogSettings, ServerSettings
from jackfield.http.app import create_app
from jackfield.http.server import hold_beside, listen_once_free, run

from ..runtime import Runtime
from .daemon_processes import processes_of

log = logging.getLogger("jackfield")
LONGEST_END = 5.0
"""Seconds after the stop of the kernel and the server."""
COLLECTOR = 50_000, 5, 10_000
"""When the cyclic collector looks at its three generations (`gc.set_threshold`).

- 50,000 containers more than were freed: a webhook call makes hundreds and frees nearly all by their reference counts.

- 5 looks at the young: cycles of a run are gone by then, mostly tracebacks and tasks. With 50, a look at the middle
  of a run with a million items took a quarter of a second.

- 10,000 looks at the middle. A look at the old walks everything that is alive. `gc.freeze` has emptied that generation,
  so that CPython's own guard (a quarter more than last time) holds nothing back while a run fills it. With 1, the
  collector walked a run of 20,000 items again and again while it grew, and the run took twice the time. An idle daemon
  looks at it (`jackfield.core.process.memory.find_old_cycles`).
"""


def spare_collector() -> None:
    """Keep the cyclic collector away from what lives as long as the daemon, and let it run less often."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(*COLLECTOR)


def leave_in_time(logs: Logs, failed: Callable[[], bool]) -> None:
    """End the process some time from now, whatever is still there.

    A task that swallows its cancellation and a thread that hangs would otherwise hold the interpreter forever.
    Everything of ours has stopped by now.
    """

    def leave() -> None:
        log.warning("Tasks or threads of a plugin do not end; the process ends without them.")
        logs.stop()
        os._exit(1 if failed() else 0)

    timer = Timer(LONGEST_END, leave)
    timer.daemon = True
    timer.start()


def serve(runtime: Runtime, config_dir: Path | None, overrides: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` for everything that prevents the start."""
    share_arena()
    check_limits()
    kernel = runtime.kernel(config_dir, overrides)
    processes = processes_of(runtime, kernel, overrides)
    check_limits(kernel.settings.get(DaemonSettings).memory_reserve)
    lock = DirectoryLock(kernel.config_dir)
    lock.claim()  # first: another daemon's reserve is not ours to use
    try:
        was_full = DiskReserve(kernel.config_dir, kernel.settings.get(DaemonSettings).disk_reserve).prepare()
        lock.acquire()
        kernel.claim_store()
        server = kernel.settings.get(ServerSettings)
        sock = listen_once_free(server, processes.patience)
        processes.share(sock)
        beside = hold_beside(sock)
        logs = Logs(kernel.config_dir, kernel.settings.get(LogSettings), kernel.redactor)
        if was_full:
            log.warning(
                "The disk of %s is full; the daemon starts on the room kept for that. Free some.", kernel.config_dir
            )
        try:
            app = create_app(kernel)
            spare_collector()
            failed = lambda: (app.lifespan.failure or kernel.failure) is not None  # noqa: E731 - one question
            run(app, sock, lambda: leave_in_time(logs, failed))
        except Exception as exc:
            log.error(
                "The daemon did not start or has failed: %s", exc, extra={FILE_ALONE: True}
            )  # the command says it
            raise
        finally:
            logs.stop()
            if beside is not None:
                beside.close()
    finally:
        lock.release()
