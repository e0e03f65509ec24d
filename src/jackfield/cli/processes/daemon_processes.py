"""The processes that a daemon consists of: itself alone, or workers beside it."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Protocol

from jackfield.core.kernel import Kernel
from jackfield.core.tables import DaemonSettings
from jackfield.core.workers.workers import WorkerProcesses

from ..runtime import Runtime
from .attending import attend
from .starting_workers import WorkerStarter


class DaemonProcesses(Protocol):
    """patience: seconds for which the daemon waits for its port."""

    patience: float

    def share(self, sock: socket.socket) -> None:
        """It listens with this one."""


class AloneProcess:
    """The daemon takes its calls itself. A `DaemonProcesses`."""

    patience = 0.0

    def share(self, sock: socket.socket) -> None:
        """With nobody."""


class WithWorkers:
    """Workers take the webhook calls, and a parent starts the daemon anew. A `DaemonProcesses`."""

    def __init__(self, runtime: Runtime, kernel: Kernel, overrides: Mapping[str, str], count: int) -> None:
        """In the process that is to be the parent this does not return. Raises `ConfigurationError`."""
        self.patience = attend(runtime)
        self._count = count
        self._starter = WorkerStarter(runtime, kernel.config_dir, overrides)
        kernel.workers = WorkerProcesses(count, self._starter, kernel.ports, kernel.clock)

    def share(self, sock: socket.socket) -> None:
        self._starter.share(sock, self._count)


def processes_of(runtime: Runtime, kernel: Kernel, overrides: Mapping[str, str]) -> DaemonProcesses:
    """As `daemon.workers` says. Raises `ConfigurationError`; see `WithWorkers`."""
    count = kernel.settings.get(DaemonSettings).workers
    return WithWorkers(runtime, kernel, overrides, count) if count > 1 else AloneProcess()
