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


def spare_collector() -> None:
    """Keep the cyclic collector away from what lives as long as the daemon, and let it run less often: a request makes
    hundreds of containers, nearly all freed by their reference counts."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(5_000, 10, 1)


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
