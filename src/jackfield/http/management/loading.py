"""The management side: Quart with the plugins' blueprints.

The daemon assembles it in a thread, at the first request for it or for a page that asks it. Loading Quart and the
routes takes longer than everything that a webhook call needs. It also takes as much memory as a third of the rest.
Where a plugin of another distribution gives routes, the daemon assembles it right behind the start, so that it reports
their mistakes then.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar, cast

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.headroom import is_memory_short
from jackfield.api.object_references import load
from jackfield.core.kernel import Kernel
from jackfield.core.process.memory import find_trim

if TYPE_CHECKING:
    from quart import Quart

    from ..dispatch import Counters

log = logging.getLogger("jackfield.http")


PATIENCE = 60.0
"""Seconds for which it waits for descriptors."""
_PAUSE = 0.25
T = TypeVar("T")


async def while_files_lack(make: Callable[[], Awaitable[T]], patience: float = PATIENCE) -> T:
    """The result of the call, which repeats while the system has no descriptor for it. Raises its other errors."""
    loop = asyncio.get_running_loop()
    deadline, told = loop.time() + patience, False
    while True:
        try:
            return await make()
        except Exception as exc:
            if not lacks_files(exc) or loop.time() > deadline:
                raise
        if not told:
            log.warning("The management API waits for open files: the limit (ulimit -n) is reached; raise it.")
            told = True
        await asyncio.sleep(_PAUSE)


def lacks_means(error: BaseException) -> bool:
    """Whether it is for a limit of the system, so that the same may go well another time."""
    return lacks_files(error) or is_memory_short(error)


def lacks_files(error: BaseException | None) -> bool:
    """Whether it, or what it came from, is for the limit of open files."""
    seen = 0
    while error is not None and seen < 16:
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


class Management:
    """A raw ASGI application in front of Quart."""

    def __init__(self, kernel: Kernel, counters: Counters) -> None:
        self._kernel = kernel
        self._counters = counters
        self._task: asyncio.Task[Quart] | None = None
        self._public: frozenset[str] | None = None
        self._opened = False

    def open(self) -> None:
        """From now on it may be asked."""
        self._opened = True
        plugins = self._kernel.plugins
        if any(not plugins.plugins[name].is_own for name in plugins.implementing("jackfield_blueprints")):
            self.begin()

    def expect(self) -> None:
        """Somebody is about to ask."""
        if self._opened:
            self.begin()

    def begin(self) -> None:
        """Start to assemble, unless that has begun."""
        if self._task is not None:
            return
        self._task = asyncio.get_running_loop().create_task(self._assemble(), name="management")
        self._task.add_done_callback(self._assembled)

    async def quart(self) -> Quart:
        """The application, as soon as it is there."""
        self.expect()
        if self._task is None:
            raise JackfieldError("The daemon has not started, or is about to end.")
        return await asyncio.shield(self._task)

    async def public(self) -> frozenset[str]:
        """Paths whose every operation is public."""
        if self._public is None:
            app = await self.quart()  # then the module is imported already
            public_paths = cast(
                "Callable[[Quart], frozenset[str]]", load("jackfield.http.management.quartapp:public_paths")
            )
            self._public = public_paths(app)
        return self._public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await self.quart()
        found = cast("Callable[[Quart, Scope], Scope]", load("jackfield.http.management.n8n_paths:as_n8n_has_it"))(
            app, scope
        )
        await app(found, receive, send)  # type: ignore[arg-type]

    async def close(self) -> None:
        self._opened = False
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()  # where it waits for descriptors
        await asyncio.wait([task])
        if not task.cancelled() and task.exception() is None:
            await task.result().shutdown()

    async def _assemble(self) -> Quart:
        app = await while_files_lack(lambda: asyncio.to_thread(self._make))
        await app.startup()
        return app

    def _make(self) -> Quart:
        make = cast("Callable[[Kernel, Counters], Quart]", load("jackfield.http.management.assembling:make_management"))
        made = make(self._kernel, self._counters)
        if (trim := find_trim()) is not None:
            trim()  # loading leaves some megabytes of freed pieces
        return made

    def _assembled(self, task: asyncio.Task[Quart]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, ConfigurationError):
            self._kernel.fail(error)
        elif error is not None:  # such as no memory: no reason to end what else the daemon does
            self._task = None
            log.error("The management API could not be assembled; the next request tries again.", exc_info=error)
