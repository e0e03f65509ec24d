"""The listener that all proxies share, from the daemon's start on: where it cannot run it is tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.errors import JackfieldError
from jackfield.api.http_client import is_loopback
from jackfield.api.jsontext import Json
from jackfield_proxy.daemon.supervisor import UP, ProxySupervisor
from jackfield_proxy.settings import ProxySettings

FIRST_PAUSE = 1.0
"""Seconds before the second try; each further pause is twice as long."""


class SharedListener:
    """supervisor: of its process."""

    def __init__(self, context: PluginContext, supervisor: ProxySupervisor) -> None:
        self._context = context
        self._settings = context.settings(ProxySettings)
        self._supervisor = supervisor
        self._failures = 0
        self._again_ms: int | None = None
        self._keeping: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Until it runs, or has failed for the first time; from then on it is kept."""
        if not self._settings.shared_port:
            return
        if not is_loopback(self._settings.shared_host):
            self._context.log.warning("Proxies are open to the network at %s, without TLS.", self._settings.shared_host)
        tried = asyncio.Event()
        self._keeping = self._context.spawn("keep the shared listener", self._keep(tried))
        await tried.wait()

    async def close(self) -> None:
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait([self._keeping])
        await self._supervisor.stop()

    async def push(self) -> None:
        """The set of profiles that it serves may have changed. Raises `JackfieldError`."""
        if self._supervisor.status in UP:
            await self._supervisor.push()

    def view(self, profiles: Sequence[str]) -> dict[str, Json]:
        """`status` is `off` where none is configured. profiles: that it serves."""
        settings, found = self._settings, self._supervisor
        return {
            "status": found.status if settings.shared_port else "off",
            "host": settings.shared_host,
            "port": settings.shared_port or None,
            "restarts": found.restarts,
            "profiles": list(profiles),
            "error": found.failure,
            "failures": self._failures,
            "retry_at": None if self._again_ms is None else iso(self._again_ms),
        }

    def findings(self) -> Sequence[Finding]:
        """For `/ready`, which is public: nothing of addresses."""
        if not self._settings.shared_port:
            return ()
        works = self._supervisor.status in UP
        return [Finding("proxy.shared", works, "ok" if works else f"is {self._supervisor.status} and tried again")]

    def metrics(self) -> Sequence[Metric]:
        if not self._settings.shared_port:
            return ()
        up = int(self._supervisor.status in UP)
        failed = "Starts of the shared listener that have failed."
        return [
            Metric("proxy_shared_listener_up", "Whether the listener that all proxies share runs.", "gauge", up),
            Metric("proxy_shared_listener_failures_total", failed, "counter", self._failures),
        ]

    async def _keep(self, tried: asyncio.Event) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await self._supervisor.start()
                pause = FIRST_PAUSE
                tried.set()
                await self._supervisor.over()
                continue
            except JackfieldError as exc:
                self._failures += 1
                self._context.log.warning("The shared listener is tried again in %g s: %s", pause, exc.message)
            finally:
                tried.set()
            await self._rest(pause)
            pause = min(2 * pause, self._settings.shared_retry)

    async def _rest(self, seconds: float) -> None:
        self._again_ms = self._context.clock.now_ms() + round(seconds * 1000)
        await self._context.clock.sleep(seconds)
        self._again_ms = None
