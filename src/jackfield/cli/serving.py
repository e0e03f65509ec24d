"""`jackfield serve`."""

from __future__ import annotations

import gc
import logging
from collections.abc import Mapping
from pathlib import Path

from jackfield.core.lock import DirectoryLock
from jackfield.core.logs import Logs
from jackfield.core.memory import share_arena
from jackfield.core.tables import LogSettings, ServerSettings
from jackfield.http.app import create_app
from jackfield.http.server import hold_beside, listen, run

from .runtime import Runtime

COLLECTOR = 50_000, 50, 1_000
"""When the cyclic collector looks at its three generations (`gc.set_threshold`).

- 50,000 containers more than were freed: a webhook call makes hundreds and frees nearly all by their reference counts.
- 50 looks at the young: cycles of a run are gone by then, mostly tracebacks and tasks.
- 1,000 looks at the middle. A look at the old walks everything that is alive. `gc.freeze` has emptied that generation,
  so that CPython's own guard (a quarter more than last time) holds nothing back while a run fills it: with 1, a run of
  20,000 items was walked again and again while it grew, and took twice the time.
"""


def spare_collector() -> None:
    """Keep the cyclic collector away from what lives as long as the daemon, and let it run less often."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(*COLLECTOR)


def serve(runtime: Runtime, config_dir: Path | None, overrides: Mapping[str, str]) -> None:
    """Raises `ConfigurationError` for everything that prevents the start."""
    share_arena()
    kernel = runtime.kernel(config_dir, overrides)
    lock = DirectoryLock(kernel.config_dir)
    lock.acquire()
    try:
        sock = listen(kernel.settings.get(ServerSettings))
        beside = hold_beside(sock)
        logs = Logs(kernel.config_dir, kernel.settings.get(LogSettings), kernel.redactor)
        try:
            app = create_app(kernel)
            spare_collector()
            run(app, sock)
        except Exception as exc:
            logging.getLogger("jackfield").error("The daemon did not start or has failed: %s", exc)
            raise
        finally:
            logs.stop()
            if beside is not None:
                beside.close()
    finally:
        lock.release()
