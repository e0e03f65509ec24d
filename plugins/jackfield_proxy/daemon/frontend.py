"""The parts that stay while a proxy's processes come and go: the port, and somebody who speaks where no process
does."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield.api.dialects.model import DialectError
from jackfield.api.errors import JackfieldError
from jackfield_proxy.daemon import health
from jackfield_proxy.daemon.addresses import ProxyAddressBook
from jackfield_proxy.daemon.crashes import LONGEST_PAUSE
from jackfield_proxy.daemon.listener import ProxyListener
from jackfield_proxy.daemon.process import ProxyProcess
from jackfield_proxy.daemon.subjects import ProxySubject
from jackfield_proxy.daemon.takeover import ConnectionTakeover, DescriptorBudget
from jackfield_proxy.takeover import InheritedDescriptors

SOON = 1.0
"""Seconds; clients do not wait for a process that comes later than that."""


class ProxyFrontend:
    """Of one proxy. budget: for duplicates of connections, of all proxies."""

    def __init__(
        self, context: PluginContext, subject: ProxySubject, addresses: ProxyAddressBook, budget: DescriptorBudget
    ) -> None:
        self._context = context
        self._alias = subject.name
        self._addresses = addresses
        self._budget = budget
        self._listener = ProxyListener(context.spawn, subject.host)
        self._speaking: set[asyncio.Task[None]] = set()

    async def open(self, chosen: int, known: int) -> int:
        """The port; it stays as it is when it is open already, and connections wait from now on.

        `chosen`: by the profile. `known`: that it had before; 0 for none. Raises `JackfieldError`: the chosen port is
        taken. Raises OSError.
        """
        if self._listener.port and self._listener.port == (chosen or known):
            self._listener.let_wait()
            return self._listener.port
        wanted = chosen or known or await self._addresses.port(self._alias)
        try:
            self._listener.open(wanted)
        except OSError as exc:
            if chosen:
                reason = f"the port {chosen} cannot be used: {exc.strerror or exc}"
                raise JackfieldError(reason, code="PROXY_PORT_TAKEN") from None
            self._listener.open(0)
        if not chosen and not await self._comes_back(wanted):
            await self._addresses.keep(self._alias, self._listener.port)
        return self._listener.port

    def close(self) -> None:
        """Nobody listens from the moment on at which no process does."""
        self._listener.close()

    async def begin(self) -> tuple[ProxyProcess, ConnectionTakeover | None]:
        """A process that accepts what comes, and who speaks for it. Raises OSError."""
        inherited = InheritedDescriptors(self._listener.fileno())
        try:
            takeover = ConnectionTakeover(self._budget)
        except OSError as exc:
            self._context.log.warning("Nobody can speak for the proxy of %s if it dies: %s", self._alias, exc.strerror)
            return await ProxyProcess.started(inherited), None
        try:
            process = await ProxyProcess.started(takeover.inherited(inherited))
        except BaseException:
            takeover.close()
            raise
        takeover.follow()
        return process, takeover

    def end(self, takeover: ConnectionTakeover | None, *, wanted: bool) -> None:
        """The process has ended. wanted: it should not have."""
        if takeover is None:
            return
        crashed = DialectError(502, "The proxy's process ended before the answer was complete.")
        stopped = DialectError(503, "The proxy is being stopped.", "overloaded_error")
        task = self._context.spawn("speak for a proxy", takeover.speak(crashed if wanted else stopped))
        self._speaking.add(task)
        task.add_done_callback(self._speaking.discard)

    async def settled(self) -> None:
        """Until all clients have got an answer."""
        if self._speaking:
            await asyncio.wait(self._speaking)

    async def wait(self, seconds: float) -> None:
        """Until the next process: connections wait for it as well once it is near."""
        clock = self._context.clock
        until = clock.monotonic() + seconds
        if seconds > SOON:
            self._listener.answer(lambda: _unavailable("is started again soon", until - clock.monotonic()))
            await clock.sleep(seconds - SOON)
            self._listener.let_wait()
        await clock.sleep(until - clock.monotonic())

    def fail(self) -> None:
        """There is no other process until somebody starts one."""
        self._listener.answer(lambda: _unavailable("has failed, and its log says why", LONGEST_PAUSE))

    async def _comes_back(self, wanted: int) -> bool:
        """Whether a command beside the daemon has the port that was wanted, for as long as it runs."""
        return wanted != self._listener.port and await asyncio.to_thread(health.is_ours, wanted)


def _unavailable(why: str, seconds: float) -> DialectError:
    """seconds: after which another try makes sense."""
    return DialectError(503, f"The proxy {why}.", "overloaded_error", retry_after=seconds)
