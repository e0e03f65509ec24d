"""Which connections the daemon's port takes."""

from __future__ import annotations

import asyncio
import logging
import socket
import time

from jackfield.api.admission.accepting import AdmittingServer, Factory, Watch, admit_through, watched
from jackfield.api.admission.callers import Callers
from jackfield.api.admission.connections import Admission
from jackfield.api.admission.limits import file_limit, limits_of
from jackfield.api.admission.settings import ConnectionSettings
from jackfield.api.records import replace
from jackfield.core.tables import ServerSettings
from jackfield.core.workers.loads import Loads

from ..app import Application
from ..http1.refusals import too_many
from ..moving import ToFirst, ToWorkers

log = logging.getLogger("jackfield.server")


class MovedServer(AdmittingServer):
    """Takes connections that workers have accepted, and none by itself."""

    def start(self, backlog: int) -> None:
        """The workers accept."""


STEP_BACK = 0.001
"""Seconds in which another worker may take a connection before one that has more of them."""


class WorkerServer(AdmittingServer):
    """Of a worker, which accepts with the same socket as the others: one at a time, and later when another one has
    fewer. Connections last; whoever wakes up first would else have nearly all of them."""

    burst = 1
    loads: Loads | None = None

    def _accept(self) -> None:
        if self._closed or self.loads is None or not self.loads.is_ahead(self._admission.number):
            super()._accept()
            return
        self._loop.remove_reader(self._number)
        self._loop.call_later(STEP_BACK, self._accept_late)

    def _accept_late(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._number, self._accept)
            super()._accept()

    def close(self) -> None:
        if self.sockets:
            super().close()


def admit(app: Application, sock: socket.socket, *, watch: Watch = watched, keep_alive: float = 0.0) -> Admission:
    """Puts ours before the server that is about to listen on the socket. keep_alive: 0: the server sees to it."""
    settings, files = app.kernel.settings.get(ConnectionSettings), file_limit()
    limits = replace(limits_of(settings, files), keep_alive=keep_alive)
    if settings.total > limits.total:
        log.warning(
            "server.connections.total is %d, and the limit of open files (ulimit -n %d) leaves %d; raise that limit.",
            settings.total, files, limits.total,
        )  # fmt: skip
    admission = app.counters.admission = Admission(limits, time.monotonic, log.warning)
    callers = Callers(app.kernel.settings.get(ServerSettings).trusted_proxies)

    def serve(sock: socket.socket, factory: Factory) -> AdmittingServer:
        workers, link = app.kernel.workers, app.kernel.link
        kind = MovedServer if workers is not None else AdmittingServer if link is None else WorkerServer
        server = kind(sock, factory, admission, callers, too_many())
        if link is not None and isinstance(server, WorkerServer):
            server.loads = link.loads
        if workers is not None:
            admission.mover = ToWorkers(workers, server.take_moved)
        elif link is not None:
            admission.mover = ToFirst(link.moving, server.take_moved)
        return server

    admit_through(asyncio.get_running_loop(), sock, serve, watch)
    return admission
