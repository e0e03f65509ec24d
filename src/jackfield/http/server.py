"""Running the application: by uvicorn, which comes with an extra, or by Hypercorn, each from code."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import cast

from jackfield.api.containment import Interrupted, is_ctrl_c
from jackfield.api.errors import ConfigurationError
from jackfield.api.object_references import load
from jackfield.core.tables import ServerSettings

from .app import Application
from .fitting import require_fit

log = logging.getLogger("jackfield.server")


def listen(server: ServerSettings) -> socket.socket:
    """Bind before anything else is started, so that a busy port is an error at once. Raises `ConfigurationError`."""
    sock = _bound(server)
    try:
        sock.listen(server.backlog)
    except OSError as exc:
        sock.close()
        raise _not_free(server, exc) from None
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Connections inherit it. A caller who reads nothing would hold its connection, the files that it is sent, and
        # with them a stop, for ever: a closed transport waits until everything is sent.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(server.send_timeout * 1000))
    sock.setblocking(False)
    return sock


def check_free(server: ServerSettings) -> None:
    """Whether a start could listen. Raises `ConfigurationError`."""
    with _bound(server) as sock:
        beside = hold_beside(sock)
    if beside is not None:
        beside.close()


def _bound(server: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((server.host, server.port))
    except OSError as exc:
        sock.close()
        raise _not_free(server, exc) from None
    return sock


def _not_free(server: ServerSettings, error: OSError) -> ConfigurationError:
    remedy = _REMEDIES.get(error.errno or 0, "Choose another --port.")
    return ConfigurationError(f"{server.host}:{server.port} cannot be listened on: {error.strerror}. {remedy}")


def listen_once_free(server: ServerSettings, patience: float) -> socket.socket:
    """patience: seconds in which somebody may give the port back. Raises `ConfigurationError`."""
    until = time.monotonic() + patience
    while True:
        try:
            return listen(server)
        except ConfigurationError:
            if time.monotonic() >= until:
                raise
        time.sleep(_PAUSE)


_PAUSE = 0.05
_REMEDIES = {
    errno.EADDRNOTAVAIL: "This machine does not have the address; choose another --host.",
    errno.EACCES: "A port below 1024 needs a right that this user lacks; choose another --port.",
}
BESIDE = {"127.0.0.1": "::1", "0.0.0.0": "::1", "::1": "127.0.0.1"}  # noqa: S104 - read, not listened on
"""Address listened on -> the one that `localhost` may be too."""


def hold_beside(sock: socket.socket) -> socket.socket | None:
    """Keeps the port at the machine's other loopback address, where nobody is served. Another user could answer there
    for `localhost`, and what their page then asks for, once they have gone, would come from our own origin. None: there
    is no such address. Raises `ConfigurationError` when it is another program's."""
    host, port = sock.getsockname()[:2]
    other = BESIDE.get(host)
    if other is None:
        return None
    reserved = None
    try:
        reserved = socket.socket(socket.AF_INET6 if ":" in other else socket.AF_INET, socket.SOCK_STREAM)
        reserved.bind((other, port))  # not to be shared: without SO_REUSEADDR
    except OSError as exc:
        if reserved is not None:
            reserved.close()
        if exc.errno != errno.EADDRINUSE:  # no IPv6 here
            return None
        shown = f"[{other}]" if ":" in other else other
        raise ConfigurationError(
            f"{shown}:{port} is another program's, which a browser would take for this daemon at localhost:{port}. "
            "End it, or choose another --port."
        ) from None
    return reserved


Runner = Callable[[Application, socket.socket, ServerSettings], Awaitable[None]]
RUNNERS = {name: f"jackfield.http.servers.{name}:serve" for name in ("hypercorn", "uvicorn")}
"""`server.name` -> place of its runner; one library is imported, the one that serves."""
NEEDED = {"hypercorn": ("hypercorn",), "uvicorn": ("uvicorn", "httptools")}


def name_of(server: ServerSettings) -> str:
    """Of the server that serves: with `auto` uvicorn where all that it needs is installed."""
    if server.name != "auto":
        return server.name
    return "uvicorn" if all(find_spec(module) is not None for module in NEEDED["uvicorn"]) else "hypercorn"


def runner_of(name: str) -> Runner:
    """Raises ImportError for a library that is not installed, `ConfigurationError` for one that ours was not written
    for."""
    found = cast("Runner", load(RUNNERS[name]))
    for library in NEEDED[name]:
        require_fit(library)
    return found


def chosen_runner(server: ServerSettings) -> Runner:
    """With `auto` Hypercorn's where uvicorn is installed in a version that ours was not written for: nobody has asked
    for it. Raises as `runner_of`."""
    name = name_of(server)
    try:
        return runner_of(name)
    except (ImportError, ConfigurationError) as exc:
        if server.name != "auto" or name == "hypercorn":
            raise
        log.warning("%s is installed, but Hypercorn serves: %s", name, exc)
        return runner_of("hypercorn")


def run(app: Application, sock: socket.socket, ended: Callable[[], None] = lambda: None) -> None:
    """Serve until a signal. ended: called once nothing is served any more, before what is left of tasks and threads is
    waited for. Raises `ConfigurationError` when the start failed or the server is not installed, and `Interrupted`."""
    server = app.kernel.settings.get(ServerSettings)

    async def serve(runner: Runner) -> None:
        try:
            await runner(app, sock, server)
        finally:
            ended()

    try:
        with asyncio.Runner(loop_factory=loop_factory(server.loop)) as runner:
            loop = runner.get_loop()
            run_to_end(loop, loop.create_task(serve(chosen_runner(server))))
    except ImportError as exc:
        name = name_of(server)
        raise ConfigurationError(f"{exc.name} is not installed; install jackfield[fast] for server {name}.") from None
    except (Exception, SystemExit):
        # Each server has its own way to end after a start that failed; the reason is ours to tell.
        if app.lifespan.failure is None and not app.lifespan.interrupted:
            raise
    if app.lifespan.interrupted:
        raise Interrupted
    failure = app.lifespan.failure or app.kernel.failure
    if failure is not None:
        raise failure


def run_to_end(loop: asyncio.AbstractEventLoop, serving: asyncio.Task[None]) -> None:
    """Run the loop until this task is over.

    A `SystemExit` in any other task ends every event loop at once, before anybody who awaits that task hears of it. No
    task of a plugin may end the daemon, so the loop goes on.
    """
    while True:
        try:
            return loop.run_until_complete(serving)
        except (SystemExit, KeyboardInterrupt) as exc:
            if serving.done() or is_ctrl_c(exc):
                raise
            log.exception("A task ended with this; whoever waits for it gets the error, and the daemon goes on.")


def loop_factory(name: str) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is wanted and installed. Raises `ConfigurationError` when it is wanted by name and absent."""
    if name == "asyncio" or os.name != "posix":
        return None
    try:
        return cast("Callable[[], asyncio.AbstractEventLoop]", load("uvloop:new_event_loop"))
    except ImportError:
        if name == "uvloop":
            raise ConfigurationError("uvloop is not installed; install jackfield[fast].") from None
        return None
