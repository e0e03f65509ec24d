"""The management side: Quart with the plugins' blueprints.

It is assembled right behind the start, in a thread: loading Quart and the routes takes longer than everything that a
webhook call needs. A request that comes earlier waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.core.kernel import Kernel
from jackfield.core.tables import ServerSettings

if TYPE_CHECKING:
    from quart import Quart

    from .dispatch import Counters

log = logging.getLogger("jackfield.http")


class Management:
    """A raw ASGI application in front of Quart."""

    def __init__(self, kernel: Kernel, counters: Counters) -> None:
        self._kernel = kernel
        self._counters = counters
        self._task: asyncio.Task[Quart] | None = None
        self._public: frozenset[str] | None = None

    def begin(self) -> None:
        """Start to assemble."""
        self._task = asyncio.get_running_loop().create_task(self._assemble(), name="management")
        self._task.add_done_callback(self._assembled)

    async def quart(self) -> Quart:
        """The application, as soon as it is there."""
        if self._task is None:
            raise JackfieldError("The daemon has not started.")
        return await asyncio.shield(self._task)

    async def public(self) -> frozenset[str]:
        """Paths whose every operation is public."""
        from .quartapp import public_paths

        if self._public is None:
            self._public = public_paths(await self.quart())
        return self._public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (await self.quart())(scope, receive, send)  # type: ignore[arg-type]

    async def close(self) -> None:
        if self._task is not None and not self._task.cancelled():
            await asyncio.wait([self._task])
            if self._task.exception() is None:
                await self._task.result().shutdown()

    async def _assemble(self) -> Quart:
        app = await asyncio.to_thread(self._make)
        await app.startup()
        return app

    def _make(self) -> Quart:
        from quart import Blueprint

        from . import system
        from .quartapp import make_quart

        plugins = self._kernel.plugins
        given = list(plugins.each("jackfield_blueprints", Blueprint))
        own = [made for name, made in given if plugins.plugins[name].is_own]
        kernels = system.blueprint(self._kernel, lambda: app, self._counters)
        app = make_quart(
            [*own, kernels],
            [(name, made) for name, made in given if not plugins.plugins[name].is_own],
            self._kernel.settings.get(ServerSettings),
            lambda name, mistake: plugins.report(name, f"its routes are left out: {mistake.rstrip('.')}"),
        )
        return app

    def _assembled(self, task: asyncio.Task[Quart]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, ConfigurationError):
            self._kernel.fail(error)
        elif error is not None:
            log.error("The management API could not be assembled.", exc_info=error)
            self._kernel.fail(ConfigurationError("The management API could not be assembled; the log says why."))
