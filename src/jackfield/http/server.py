"""Running the application: Hypercorn from code, or uvicorn or granian, which come with extras."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from jackfield.api.errors import ConfigurationError
from jackfield.core.tables import DaemonSettings, ServerSettings

from .app import Application

log = logging.getLogger("jackfield.server")


def listen(server: ServerSettings) -> socket.socket:
    """Bind before anything else is started, so that a busy port is an error at once. Raises `ConfigurationError`."""
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((server.host, server.port))
        sock.listen(server.backlog)
    except OSError as exc:
        sock.close()
        raise ConfigurationError(
            f"{server.host}:{server.port} cannot be listened on: {exc.strerror}. Choose another --port."
        ) from None
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Connections inherit it. A caller who reads nothing would hold its connection, the files that it is sent, and
        # with them a stop, for ever: a closed transport waits until everything is sent.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(server.send_timeout * 1000))
    sock.setblocking(False)
    return sock


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
    held = None
    try:
        held = socket.socket(socket.AF_INET6 if ":" in other else socket.AF_INET, socket.SOCK_STREAM)
        held.bind((other, port))  # not to be shared: without SO_REUSEADDR
    except OSError as exc:
        if held is not None:
            held.close()
        if exc.errno != errno.EADDRINUSE:  # no IPv6 here
            return None
        shown = f"[{other}]" if ":" in other else other
        raise ConfigurationError(
            f"{shown}:{port} is another program's, which a browser would take for this daemon at localhost:{port}. "
            "End it, or choose another --port."
        ) from None
    return held


async def stop_signal(app: Application) -> None:
    """Return at SIGTERM, SIGINT or a failure that came up behind the start."""
    stop = app.kernel.stop_requested
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    app.kernel.begin_stop()


async def hypercorn(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """The default. Raises `ConfigurationError`: another Hypercorn is installed than ours was written for."""
    from .fitting import require_fit

    require_fit()
    from hypercorn.asyncio import serve
    from hypercorn.typing import ASGIFramework
    from hypercorn.utils import LifespanFailureError

    from .hypercorn_parts import OwnConfig, cut_off_stalled, install

    install()
    config = OwnConfig()
    config.bind = [f"fd://{sock.detach()}"]
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.graceful_timeout = app.kernel.settings.get(DaemonSettings).shutdown_timeout
    config.shutdown_timeout = config.graceful_timeout + 30
    config.startup_timeout = 120
    config.keep_alive_timeout = server.keep_alive
    config.h11_max_incomplete_size = server.header_limit
    config.websocket_max_message_size = 1024 * 1024
    config.websocket_ping_interval = 20
    config.websocket_compression = server.websocket_compression
    config.send_timeout = server.send_timeout
    config.websocket_send_timeout = server.websocket_send_timeout
    config.include_server_header = False
    config.backlog = server.backlog
    framework: ASGIFramework = app  # type: ignore[assignment]

    cutting: list[asyncio.Task[None]] = []

    async def stop() -> None:
        await stop_signal(app)
        cutting.append(asyncio.create_task(cut_off_stalled(config)))

    asyncio.get_running_loop().set_exception_handler(without_timeouts)
    with contextlib.suppress(LifespanFailureError):
        await serve(framework, config, shutdown_trigger=stop, mode="asgi")
    for task in cutting:
        task.cancel()


def without_timeouts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Hypercorn leaves a connection that timed out to the loop, which would tell of it as of a failure. Any: as asyncio
    has it."""
    if "transport" not in context or not isinstance(context.get("exception"), TimeoutError):
        loop.default_exception_handler(context)


async def uvicorn(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Extra `uvicorn`."""
    import uvicorn as library

    config = library.Config(
        app,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_keep_alive=round(server.keep_alive),
        timeout_graceful_shutdown=round(app.kernel.settings.get(DaemonSettings).shutdown_timeout) or None,
        h11_max_incomplete_event_size=server.header_limit,
        ws_max_size=1024 * 1024,
        ws_per_message_deflate=server.websocket_compression,
        backlog=server.backlog,
    )
    runner = library.Server(config)
    runner.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    runner.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment]

    async def stop() -> None:
        await stop_signal(app)
        runner.should_exit = True

    waiting = asyncio.create_task(stop())
    try:
        await runner.serve(sockets=[sock])
    finally:
        waiting.cancel()


async def granian(app: Application, sock: socket.socket, server: ServerSettings) -> None:
    """Extra `granian` (its embedded server)."""
    from granian.constants import HTTPModes, Interfaces
    from granian.server.embed import Server

    # It binds by itself; the socket has only proved that the address is free.
    sock.close()
    runner = Server(
        app,
        address=server.host,
        port=server.port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        log_enabled=False,
        backlog=server.backlog,
    )

    async def stop() -> None:
        await stop_signal(app)
        runner.stop()  # type: ignore[no-untyped-call]

    waiting = asyncio.create_task(stop())
    try:
        await runner.serve()
    finally:
        waiting.cancel()


Runner = Callable[[Application, socket.socket, ServerSettings], Awaitable[None]]
RUNNERS: dict[str, Runner] = {"hypercorn": hypercorn, "uvicorn": uvicorn, "granian": granian}


def run(app: Application, sock: socket.socket) -> None:
    """Serve until a signal. Raises `ConfigurationError` when the start failed or the server is not installed."""
    server = app.kernel.settings.get(ServerSettings)
    try:
        with asyncio.Runner(loop_factory=loop_factory(server.loop)) as runner:
            runner.run(RUNNERS[server.implementation](app, sock, server))  # type: ignore[arg-type]
    except ImportError as exc:
        name = server.implementation
        raise ConfigurationError(f"{exc.name} is not installed; install jackfield[{name}] for server {name}.") from None
    except (Exception, SystemExit):
        # Each server has its own way to end after a start that failed; the reason is ours to tell.
        if app.lifespan.failure is None:
            raise
    failure = app.lifespan.failure or app.kernel.failure
    if failure is not None:
        raise failure


def loop_factory(name: str) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is wanted and installed. Raises `ConfigurationError` when it is wanted by name and absent."""
    if name == "asyncio" or os.name != "posix":
        return None
    try:
        import uvloop
    except ImportError:
        if name == "uvloop":
            raise ConfigurationError("uvloop is not installed; install jackfield[uvloop].") from None
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
