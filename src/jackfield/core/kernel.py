"""The kernel: assembles plugins into a daemon, starts it and stops it. Nothing is built at import time."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from jackfield.api.asgi import AsgiMount
from jackfield.api.bus import Bus
from jackfield.api.clock import Clock, SystemClock
from jackfield.api.context import Service
from jackfield.api.engine import Engine
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.events import STOPPING
from jackfield.api.files import sweep_private
from jackfield.api.hosts import HostCalls
from jackfield.api.http_client import is_loopback
from jackfield.api.process_containers import ProcessContainers
from jackfield.api.storage import ClaimedStore, Store
from jackfield.api.version import __version__

from .areas import PublicAreas
from .authentication import Authenticator
from .catalog import Catalog
from .checks.precedence import Precedence
from .context import Context, SharedServices
from .events import LossyEventBus
from .hosts.membership import Membership
from .hosts.worker_membership import WorkerMembership
from .kernel_parts.assembly import Assembled, Assembly
from .kernel_parts.health import Health
from .kernel_parts.plugin_lives import PluginLives
from .key_agreement import agree, follow
from .keys.record import KeyRecord
from .plugins import PluginHost
from .ports import Extensions, PortDirectory
from .process.loop_lag import LoopLag
from .process.memory import find_old_cycles, trim_forever
from .process.service_notice import ServiceNotice
from .process.watchdog import BlockingCode, Watchdog
from .projects.access import StoredAccess
from .redaction import Redactor
from .secrets import FileSecrets
from .settings import Settings
from .tables import (
    AreaSettings,
    DaemonSettings,
    HostsSettings,
    PluginsSettings,
    ProjectsSettings,
    ServerSettings,
)
from .tasks import Tasks
from .workers.link import WorkerLink
from .workers.workers import WorkerProcesses

if TYPE_CHECKING:
    from .hosts.event_relay import EventRelay

log = logging.getLogger("jackfield.kernel")
SWEEP_AFTER = 5.0
"""Seconds after the start until unfinished files are looked for."""
SWEEP_DEPTH = 2
"""Levels below the configuration directory: what is written atomically is not deeper."""


class Kernel:
    """One daemon's parts. `build` makes them, `start` opens them, `stop` closes them."""

    def __init__(
        self,
        config_dir: Path,
        host: PluginHost,
        settings: Settings,
        redactor: Redactor,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
        link: WorkerLink | None = None,
    ) -> None:
        """environment: for the master key; none without. link: of a worker process to the first one."""
        self.link = link
        self.workers: WorkerProcesses | None = None
        self.when_ready: Callable[[], None] = lambda: None
        self.config_dir = config_dir
        self.plugins = host
        self.settings = settings
        self.redactor = redactor
        self.clock = clock or SystemClock()
        self.events = LossyEventBus(self.clock)
        self.tasks = Tasks()
        self.precedence = Precedence(self._known_overrides(), host.is_own)
        self.ports = PortDirectory(host, self.precedence, self.context)
        self.nodes = Catalog(self._bad_node)
        self.authenticator = Authenticator(self.clock, host.report)
        self._extensions = Extensions(host, self.precedence)
        self.secrets = FileSecrets(config_dir, redactor, environment or {})
        self.key_record: KeyRecord | None = None
        self.service = self._service()
        membership = Membership if link is None else WorkerMembership
        self.hosts = membership(
            lambda: self.ports.get(Store),
            self.clock,
            self.service,
            settings.get(HostsSettings),
            settings.get(DaemonSettings).roles,
        )
        self.projects = StoredAccess(
            lambda: self.ports.get(Store), lambda: self.ports.get(Bus), self.clock, settings.get(ProjectsSettings)
        )
        self.loop_lag = LoopLag()
        self._watchdog: Watchdog | None = None
        self.event_relay: EventRelay | None = None
        """Where other daemons share the store."""
        self.failure: ConfigurationError | None = None
        self.stop_requested = asyncio.Event()
        self.mounts: list[AsgiMount] = []
        self.started_at = time.monotonic()
        self.ready = False
        self.draining = False
        self._stop_by: float | None = None
        self.health = Health(self)
        self._lives = PluginLives(host, settings, every=link is None)
        self._shared = SharedServices(
            self.service,
            self.clock,
            self.events,
            self.secrets,
            settings,
            self.tasks,
            self.ports,
            self._extensions,
        )
        self._contexts: dict[str, Context] = {}

    def _known_overrides(self) -> Mapping[str, str]:
        """Those whose plugin is loaded; the others would take a thing away and give nothing."""
        overrides = self.settings.get(PluginsSettings).overrides
        return {thing: plugin for thing, plugin in overrides.items() if plugin in self.plugins.classes}

    def idle_overrides(self) -> list[str]:
        """A sentence per override without effect."""
        return [
            f"plugins.overrides gives {thing} to {plugin}, but no such plugin is loaded."
            for thing, plugin in self.settings.get(PluginsSettings).overrides.items()
            if plugin not in self.plugins.classes
        ]

    @cached_property
    def areas(self) -> PublicAreas:
        """By which public hosts which areas are reached."""
        get = self.settings.get
        return PublicAreas(get(ServerSettings), get(DaemonSettings), get(AreaSettings))

    def _service(self) -> Service:
        server = self.settings.get(ServerSettings)
        shown = f"[{server.host}]" if ":" in server.host else server.host
        return Service(
            config_dir=self.config_dir,
            host=server.host,
            port=server.port,
            public_url=server.public_url.rstrip("/") or f"http://{shown}:{server.port}",
            version=__version__,
            loopback=is_loopback(server.host),
            trusted_proxies=tuple(server.trusted_proxies),
            worker=self.link.number if self.link is not None else 0,
            addressed=bool(server.public_url),
            inside=not self.areas.opens_agents,
        )

    def context(self, name: str) -> Context:
        if name not in self._contexts:
            self._contexts[name] = Context(name, self._shared)
        return self._contexts[name]

    def _bad_node(self, kind: str, error: BaseException) -> None:
        self.plugins.failed(self.precedence.owner(f"node:{kind}") or "", error, f"cannot give the node type {kind}")

    # -- life

    def assemble(self) -> None:
        """Make every plugin, and ask it for what a start needs."""
        parts = Assembled(
            self.plugins,
            self._shared,
            self.precedence,
            self.nodes,
            self.authenticator,
            self.hosts,
            self.link,
            self.projects,
            self.context,
            self._tell_workers,
        )
        self.mounts.extend(Assembly(parts).assemble())

    def _tell_workers(self, message: bytes) -> None:
        if self.workers is not None:
            self.workers.tell(message)

    def claim_store(self) -> None:
        """For this daemon alone, where the store can do that. Raises `ConfigurationError`."""
        store = self.ports.get(Store)
        if isinstance(store, ClaimedStore):
            store.claim()

    async def open_store(self) -> None:
        """Open the store and nothing else (commands beside a running daemon). Raises `ConfigurationError`, also when
        the store is sealed with another master key."""
        store = self.ports.get(Store)
        await store.open()
        try:
            self.key_record = await agree(store, self.secrets, self.clock)
        except BaseException:
            await store.close()
            raise

    async def start(self) -> None:
        """Open the store, start the plugins, resume open executions. Raises `ConfigurationError`."""
        self.secrets.check()
        for mistake in self.idle_overrides():
            log.warning(mistake)
        self._watch_loop()
        if self.link is not None:
            await self.link.open()
        await self.open_store()
        await self.ports.get(Bus).open()
        await self.projects.refresh()
        self.hosts.check()
        await self._lives.start()
        await self._refuse_open_bind()
        self.tasks.spawn("kernel.keys", self._follow_keys())
        self._relay_events()
        self.tasks.spawn("kernel.recover", self._recover())
        self.tasks.spawn("kernel.hosts", self.hosts.run())
        self.tasks.spawn("kernel.projects", self.projects.run(trims=self.link is None))
        if self.link is None:
            self.tasks.spawn("kernel.sweep", self._sweep())
        if self.workers is not None:
            await self.workers.start()
        interval = self.settings.get(DaemonSettings).trim_interval
        self.tasks.spawn("kernel.trim", trim_forever(self.clock, interval))
        self.tasks.spawn("kernel.cycles", find_old_cycles(self.clock, interval))
        self.ready = True
        notice = ServiceNotice(os.environ, self.clock)
        if notice.wanted and self.link is None:
            self.tasks.spawn("kernel.service", notice.run())
        self.when_ready()
        self.plugins.strict = False  # from now on a mistake is told, and ends nothing
        log.info("Jackfield %s is ready on %s.", __version__, self.service.public_url)
        if not self.service.loopback and self.link is None:
            for lack in self.areas.missing(self.settings.get(ServerSettings)):
                log.warning(lack)

    def _relay_events(self) -> None:
        """Where other daemons share the store."""
        store = self.ports.get(Store)
        if not store.exclusive:
            from .hosts.event_relay import EventRelay  # a daemon of its own does without
            from .hosts.news import HostNews

            inside = self.service.inside
            news = HostNews(self.clock, self.secrets.hide, inside=inside) if self.link is None else None
            bus = self.ports.get(Bus)
            relay = EventRelay(
                self.events, bus, store, self.clock, news, self.hosts, lambda: self.ports.find(HostCalls)
            )
            self.event_relay = relay
            self.tasks.spawn("kernel.events", relay.run())

    def _watch_loop(self) -> None:
        self.loop_lag.start(asyncio.get_running_loop())
        threshold = self.settings.get(DaemonSettings).loop_held_ms / 1000
        if threshold:
            self._watchdog = Watchdog(threshold, self.plugins.plugin_of, self._loop_blocked, self.clock)
            self._watchdog.start(asyncio.get_running_loop())

    def _loop_blocked(self, holder: BlockingCode, seconds: float) -> None:
        if not holder.loading:  # the log has it; nobody can do anything about it
            self.plugins.blocked_loop(holder.plugin, holder.node or holder.place, seconds)

    async def _refuse_open_bind(self) -> None:
        if not self.service.loopback and not await self.ports.get(Store).users():
            raise ConfigurationError(
                f"The address {self.service.host} is not loopback and there is no user; "
                "add one with `jackfield user add NAME --role admin` or listen on 127.0.0.1."
            )

    async def _recover(self) -> None:
        """Nothing is run again beside what a killed daemon has left running."""
        if self.link is None:
            await self.ports.get(ProcessContainers).end_leftovers()
        try:
            resumed = await self.ports.get(Engine).recover()
        except ConfigurationError as exc:
            log.error("%s", exc.message)
            self.fail(exc)
            return
        if resumed:
            log.info("%d open executions were resumed.", resumed)

    async def _follow_keys(self) -> None:
        known = self.key_record.fingerprint if self.key_record else ""
        try:
            await follow(self.ports.get(Store), self.secrets, self.clock, known)
        except ConfigurationError as exc:
            log.error("%s", exc.message)
            self.fail(exc)

    async def _sweep(self) -> None:
        """Some time after the start: nobody waits for it."""
        await self.clock.sleep(SWEEP_AFTER)
        swept = await asyncio.to_thread(sweep_private, self.config_dir, SWEEP_DEPTH)
        if swept:
            log.info("%d files that a killed daemon had not finished were removed.", swept)

    def fail(self, error: ConfigurationError) -> None:
        """A failure behind the start that prevents the service: stop, with this as the reason."""
        self.failure = self.failure or error
        self.stop_requested.set()

    def begin_stop(self) -> float:
        """From now on the stop's time runs; returns when it ends, on the monotonic clock."""
        if self._stop_by is None:
            self.draining = True
            if self.workers is not None:
                self.workers.begin_stop()
            self._stop_by = time.monotonic() + self.settings.get(DaemonSettings).shutdown_timeout
            self.events.publish("system", STOPPING, {})
            log.info("Stopping: no new work; requests and runs in flight get their time.")
        return self._stop_by

    async def stop(self) -> None:
        """Let runs in flight end, stop the plugins, close the store."""
        deadline = self.begin_stop()
        self.ready = False
        if self.workers is not None:
            await self.workers.stop(deadline)
        with suppress(JackfieldError, LookupError):
            left = await self.ports.get(Engine).drain(max(0.0, deadline - time.monotonic()))
            if left:
                log.info("%d executions are left to be resumed by the next start.", left)
        await self._lives.stop()
        await self.tasks.close()
        await self.hosts.leave()
        if (bus := self.ports.built(Bus)) is not None:
            await bus.close()
        if (store := self.ports.built(Store)) is not None:
            await store.close()
        if self.link is not None:
            self.link.close()
        self.loop_lag.stop()
        if self._watchdog is not None:
            self._watchdog.stop()
        log.info("Stopped.")
