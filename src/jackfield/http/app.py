"""`create_app`: the daemon as a plain ASGI application, for any ASGI server."""

from __future__ import annotations

import logging
import os
import re
import secrets
from pathlib import Path

from jackfield.api.asgi import AsgiMount, Receive, Scope, Send
from jackfield.api.containment import Interrupted
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.files import read_private, write_private
from jackfield.api.hosts import HostCalls
from jackfield.api.limits import SlidingWindow
from jackfield.api.own_calls import OwnCalls
from jackfield.core.kernel import Kernel
from jackfield.core.tables import CorsSettings, RateLimitSettings

from .cors import Cors
from .dispatch import Counters, Dispatcher
from .gate import Gate
from .hosts.router import HostRouter
from .management.loading import Management
from .mounts import Mounts
from .moving import WorkerMounts
from .own_calls import InnerCalls
from .peer import PeerLookup
from .probes import PROBES, Probes

log = logging.getLogger("jackfield.http")
TOKEN_FORM = re.compile(r"jf_dt_[A-Za-z0-9_-]{43}")


def daemon_token(config_dir: Path) -> str:
    """The owner's token in `daemon-token` (0600), made once; for platforms where the peer cannot be looked up.
    Raises `ConfigurationError`."""
    path = config_dir / "daemon-token"
    found = read_private(path)
    if found is None:
        found = f"jf_dt_{secrets.token_urlsafe(32)}".encode()
        write_private(path, found)
    token = found.decode("ascii", "replace").strip()
    if not TOKEN_FORM.fullmatch(token):
        raise ConfigurationError(f"{path} is damaged; delete it, and the next start makes another one.")
    return token


class Lifespan:
    """ASGI lifespan: start and stop the kernel with the server."""

    def __init__(self, kernel: Kernel, management: Management, hosts: HostRouter) -> None:
        self._hosts = hosts
        self._kernel = kernel
        self._management = management
        self.failure: JackfieldError | None = None
        self.interrupted = False
        """By Ctrl-C, before the start was over."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self._start()
                except Exception as exc:
                    # All of them: a server takes one that gets through for an application without a lifespan, and goes
                    # on serving it.
                    self.failure = _reason(exc)
                    await send({"type": "lifespan.startup.failed", "message": ""})  # whoever started it tells why
                    return
                except Interrupted:  # each server would end with a code of its own
                    self.interrupted = True
                    await send({"type": "lifespan.startup.failed", "message": "Interrupted."})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._management.close()
                await self._hosts.close()
                await self._kernel.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self) -> None:
        try:
            await self._kernel.start()
        except BaseException:
            await self._kernel.tasks.close()
            raise
        self._management.open()


def _reason(error: Exception) -> JackfieldError:
    if isinstance(error, JackfieldError):
        return error
    log.error("The start failed.", exc_info=error)
    return ConfigurationError("The daemon could not start; its log says why.")


class Application(Dispatcher):
    """The ASGI application and what the server's runner needs of it."""

    def __init__(self, kernel: Kernel) -> None:
        settings = kernel.settings
        self.kernel = kernel
        counters = self.counters = Counters()
        self.management = Management(kernel, counters)
        self.hosts = HostRouter(kernel)
        kernel.ports.put(HostCalls, self.hosts)
        kernel.ports.put(OwnCalls, InnerCalls(self.serve_known))
        self.lifespan = Lifespan(kernel, self.management, self.hosts)
        self._token = ""
        cors = settings.get(CorsSettings)
        super().__init__(
            kernel,
            Gate(
                kernel.service,
                kernel.areas,
                cors,
                kernel.authenticator.authenticate,
                PeerLookup(
                    lambda: kernel.authenticator.confined,
                    None if kernel.link is None else os.getppid(),
                ),
                self._daemon_token,
            ),
            Cors(cors),
            self._rate_limit(settings.get(RateLimitSettings)),
            self.management,
            (Mounts if kernel.link is None else WorkerMounts)(
                [*(AsgiMount(path[1:], Probes(kernel)) for path in PROBES), *kernel.mounts]
            ),
            self.management.public,
            self.management.expect,
            self.lifespan,
            counters,
            self.hosts,
        )

    def _rate_limit(self, settings: RateLimitSettings) -> SlidingWindow | None:
        return SlidingWindow(self.kernel.clock, settings.requests, settings.window) if settings.enabled else None

    def _daemon_token(self) -> str:
        if not self._token:
            self._token = daemon_token(self.kernel.config_dir)
            self.kernel.redactor.add(self._token)
        return self._token


def create_app(kernel: Kernel) -> Application:
    """The application of an assembled kernel."""
    app = Application(kernel)
    app._daemon_token()
    return app
