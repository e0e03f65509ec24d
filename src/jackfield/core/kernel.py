"""The kernel: assembles plugins into a daemon, starts it and stops it. Nothing is built at import time."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jackfield.api.asgi import AsgiMount
from jackfield.api.auth import Authentication, AuthMethod
from jackfield.api.binary import BinarySettings, BinaryStore
from jackfield.api.bus import Bus
from jackfield.api.clock import Clock, SystemClock
from jackfield.api.collector import PROCESS_COLLECTOR
from jackfield.api.containment import passes, told
from jackfield.api.context import Service
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.engine import Engine
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.events import STOPPING
from jackfield.api.extensions import PluginReports
from jackfield.api.files import sweep_private
from jackfield.api.hosts import HostCalls, Hosts, HostsAdministration
from jackfield.api.http_client import is_loopback
from jackfield.api.limits import guarded
from jackfield.api.manifests import MANIFEST_KINDS, Layers, ManifestLibraries
from jackfield.api.memos import Memos
from jackfield.api.nodes import NodeCatalog
from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin
from jackfield.api.process_containers import ContainerSettings, ProcessContainers
from jackfield.api.records import replace
from jackfield.api.storage import ClaimedStore, ShareableStore, Store
from jackfield.api.store_copies import DamageRecords
from jackfield.api.triggers import TRIGGERS
from jackfield.api.version import __version__

from .authentication import Authenticator
from .bus import MemoryBus
from .catalog import Catalog
from .checks.metric_values import SampleCheck
from .checks.precedence import NameTaken, Precedence
from .checks.protocols import require
from .checks.segments import check_segment
from .containers.service import Containers
from .context import Context, SharedServices
from .events import Bus as EventBus
from .hosts.membership import Membership
from .hosts.roles import RefusingApp
from .hosts.worker_membership import WorkerMembership
from .key_agreement import agree, follow
from .keys.record import KeyRecord
from .manifests import FileLayers, Libraries
from .memos import LocalMemos
from .packaged import PackagedDirectories
from .plugins import PluginHost, things_of
from .ports import Extensions, PortDirectory
from .process.alarm import alarm, bounded
from .process.memory import look_when_idle, trim_forever
from .process.watchdog import BlockingCode, Watchdog
from .redaction import Redactor
from .reports import Reports
from .secrets import FileSecrets
from .settings import Settings
from .tables import (
    BusSettings,
    DaemonSettings,
    EngineSettings,
    HostsSettings,
    PluginsSettings,
    ServerSettings,
    StoreSettings,
)
from .tasks import Tasks
from .workers.bus import ProcessBus
from .workers.link import WorkerLink
from .workers.workers import Workers

if TYPE_CHECKING:
    from .hosts.event_relay import EventRelay

log = logging.getLogger("jackfield.kernel")
CHECK_INTERVAL = 1.0
"""How long `/ready` may repeat its last look at the store, in seconds."""
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
        self.workers: Workers | None = None
        self.when_ready: Callable[[], None] = lambda: None
        self.config_dir = config_dir
        self.plugins = host
        self.settings = settings
        self.redactor = redactor
        self.clock = clock or SystemClock()
        self.events = EventBus(self.clock)
        self.tasks = Tasks()
        self.precedence = Precedence(self._known_overrides(), self._is_own)
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
        self._checked: tuple[float, dict[str, str]] | None = None
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

    def _is_own(self, plugin: str) -> bool:
        return self.plugins.plugins[plugin].is_own

    def _known_overrides(self) -> Mapping[str, str]:
        """Those whose plugin is loaded; the others would take a thing away and give nothing."""
        overrides = self.settings.get(PluginsSettings).overrides
        return {thing: plugin for thing, plugin in overrides.items() if plugin in self.plugins.classes}

    def idle_overrides(self) -> list[str]:
        """A sentence per override that counts for nothing."""
        return [
            f"plugins.overrides gives {thing} to {plugin}, but no such plugin is loaded."
            for thing, plugin in self.settings.get(PluginsSettings).overrides.items()
            if plugin not in self.plugins.classes
        ]

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
            inside=not self.settings.get(DaemonSettings).remote_agents,
        )

    def context(self, name: str) -> Context:
        if name not in self._contexts:
            self._contexts[name] = Context(name, self._shared)
        return self._contexts[name]

    # -- assembly

    def assemble(self) -> None:
        """Make every plugin, and ask it for what a start needs."""
        host, ports = self.plugins, self.ports
        host.bind(self.context)
        packaged = PackagedDirectories(self._extensions, host.report)
        ports.put(Layers, FileLayers(self.config_dir, packaged))
        ports.put(Authentication, self.authenticator)
        ports.put(NodeCatalog, self.nodes)
        ports.put(Hosts, self.hosts)
        ports.put(HostsAdministration, self.hosts)
        bounds = self.settings.get(ContainerSettings)
        ports.put(ProcessContainers, Containers(self.config_dir, bounds, self.clock, self.tasks.spawn))
        ports.put(PluginReports, Reports(host, self.precedence))
        ports.offer()
        ports.put(ManifestLibraries, Libraries(self._extensions, self.config_dir, self._manifests_changed, packaged))
        self._assemble_nodes()
        self._extensions.given(TRIGGERS)
        self._extensions.given(MANIFEST_KINDS)
        packaged()
        self._assemble_authentication()
        self.mounts.extend(self._mounts().values())
        ports.put(Store, self._chosen_store())
        ports.put(Memos, self._memos(ports.get(Store)))
        ports.put(
            BinaryStore, self._choose("jackfield_binary_store", BinaryStore, self.settings.get(BinarySettings).name)
        )
        ports.put(Engine, self._choose("jackfield_engine", Engine, self.settings.get(EngineSettings).name))
        ours = {MemoryBus.name: Offer(MemoryBus.name, self._own_bus)}
        ports.put(Bus, self._choose("jackfield_bus", Bus, self.settings.get(BusSettings).name, ours))

    def _chosen_store(self) -> Store:
        """One that a process has for itself is its first process's, which workers ask."""
        found = cast("Store", self._choose("jackfield_store", Store, self.settings.get(StoreSettings).name))
        if not found.exclusive:
            return found
        if self.link is not None:
            return self.link.store()
        if self._wanted_workers > 1 and isinstance(found, ShareableStore):
            found.share()
        return found

    @property
    def _wanted_workers(self) -> int:
        return 1 if self.link is not None else self.settings.get(DaemonSettings).workers

    def _own_bus(self) -> Bus:
        if self.link is not None:
            return self.link.bus(self.clock)
        return ProcessBus(self.clock, self._tell_workers) if self._wanted_workers > 1 else MemoryBus(self.clock)

    def _tell_workers(self, message: bytes) -> None:
        if self.workers is not None:
            self.workers.tell(message)

    def _memos(self, store: Store) -> Memos:
        """In the store, where other daemons share it."""
        return store if not store.exclusive and isinstance(store, Memos) else LocalMemos(self.clock)

    def _assemble_nodes(self) -> None:
        for name, node in self.plugins.sequence("jackfield_nodes"):
            try:
                self.nodes.check(node)
                if self.precedence.claim(name, f"node:{node.kind}"):
                    self.nodes.add(node)
            except BaseException as exc:
                self.plugins.failed(name, exc, "failed in jackfield_nodes")

    def _assemble_authentication(self) -> None:
        for name, method in self.plugins.each("jackfield_auth_methods", AuthMethod):
            try:
                claim = partial(self.precedence.claim, name)
                self.authenticator.add(method, claim, is_own=self._is_own(name), plugin=name)
            except BaseException as exc:
                self.plugins.failed(name, exc, "failed in jackfield_auth_methods")

    def _mounts(self) -> dict[str, AsgiMount]:
        """Path -> the application that counts there."""
        found: dict[str, AsgiMount] = {}
        for name, mount in self.plugins.each("jackfield_asgi", AsgiMount):
            try:
                check_segment(mount.segment, is_own=self._is_own(name))
                self._claim_first(name, mount.segment)
                if self.precedence.claim(name, f"path:/{mount.segment}"):
                    own = self._is_own(name)
                    found[mount.segment] = self._served(mount if own else replace(mount, app=guarded(mount.app)))
            except BaseException as exc:
                self.plugins.failed(name, exc, "failed in jackfield_asgi")
        return found

    def _served(self, mount: AsgiMount) -> AsgiMount:
        has_role = mount.role is None or self.hosts.has(mount.role)
        return mount if has_role else replace(mount, app=RefusingApp(mount.role or ""), access="public")

    def _claim_first(self, plugin: str, segment: str) -> None:
        """A stranger takes no piece of what another plugin serves. Jackfield's own mounts are known by now."""
        first, separator, _ = segment.partition("/")
        holder = self.precedence.owner(f"path:/{first}")
        wanted = self.precedence.chosen(f"path:/{segment}")
        if separator and holder not in (None, plugin) and not self._is_own(plugin) and wanted != plugin:
            raise NameTaken(
                f"path:/{first} is served by {holder}; mount the application elsewhere, or write "
                f'"path:/{segment}" = "{plugin}" under [plugins.overrides] in config.toml'
            )

    def _bad_node(self, kind: str, error: BaseException) -> None:
        self.plugins.failed(self.precedence.owner(f"node:{kind}") or "", error, f"cannot give the node type {kind}")

    def _manifests_changed(self, kind: str, ids: Sequence[str]) -> None:
        self.events.publish("agents", "manifests_changed", {"kind": kind, "ids": list(ids)})

    def _choose(self, hook: str, protocol: object, wanted: str, ours: Mapping[str, Offer] | None = None) -> Any:
        """The port of this name. ours: what the kernel itself has. Any: the caller knows which port the hook gives."""
        found: dict[str, Any] = {}
        kind = hook.removeprefix("jackfield_").replace("_", " ")
        for name, port in self.plugins.call(hook):
            try:
                if not isinstance(port, Offer):
                    require(port, protocol)
                if self.precedence.claim(name, f"{kind}:{port.name}"):
                    found[port.name] = port
            except BaseException as exc:
                self.plugins.failed(name, exc, f"failed in {hook}")
        found.update(ours or {})
        if wanted not in found:
            raise ConfigurationError(
                f"There is no {kind} named {wanted}; the plugins give: {', '.join(found) or 'none'}."
            )
        chosen = found[wanted]
        if not isinstance(chosen, Offer):
            return chosen
        made = chosen.make()
        require(made, protocol)
        return made

    # -- life

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
        self.hosts.check()
        await self._start_plugins()
        await self._refuse_open_bind()
        self.tasks.spawn("kernel.keys", self._follow_keys())
        self._relay_events()
        self.tasks.spawn("kernel.recover", self._recover())
        self.tasks.spawn("kernel.hosts", self.hosts.run())
        if self.link is None:
            self.tasks.spawn("kernel.sweep", self._sweep())
        if self.workers is not None:
            await self.workers.start()
        interval = self.settings.get(DaemonSettings).trim_interval
        self.tasks.spawn("kernel.trim", trim_forever(self.clock, interval))
        self.tasks.spawn("kernel.cycles", look_when_idle(self.clock, interval, PROCESS_COLLECTOR.look_at_all))
        self.ready = True
        self.when_ready()
        self.plugins.strict = False  # from now on a mistake is told, and ends nothing
        log.info("Jackfield %s is ready on %s.", __version__, self.service.public_url)

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
        threshold = self.settings.get(DaemonSettings).loop_held_ms / 1000
        if threshold:
            self._watchdog = Watchdog(threshold, self.plugins.plugin_of, self._loop_blocked, self.clock)
            self._watchdog.start(asyncio.get_running_loop())

    def _loop_blocked(self, holder: BlockingCode, seconds: float) -> None:
        self.plugins.blocked_loop(holder.plugin, holder.node or holder.place, seconds)

    async def _start_plugins(self) -> None:
        for name, plugin in self._living_plugins():
            await self._bounded(name, plugin.start, "failed to start")

    def _living_plugins(self) -> list[tuple[str, Plugin]]:
        """Those with a start and a stop in this process."""
        every = self.plugins.instances.items()
        return [(name, each) for name, each in every if self.link is None or not each.first_process_only]

    async def _stop_plugins(self) -> None:
        for name, plugin in reversed(self._living_plugins()):
            try:
                await self._bounded(name, plugin.stop, "failed to stop")
            except ConfigurationError as exc:  # the others stop all the same
                log.error("Plugin %s failed to stop: %s", name, exc.message)

    async def _bounded(self, name: str, act: Callable[[], Awaitable[None] | None], what: str) -> None:
        """Whatever a plugin does at its start or stop concerns that plugin alone."""
        limit = self.settings.get(PluginsSettings).startup_timeout
        try:
            with alarm(limit):
                awaited = act()
            if awaited is not None:
                await bounded(limit, awaited)
        except ConfigurationError as exc:
            self.plugins.failed(name, exc, what)  # raises
        except asyncio.CancelledError as exc:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            self.plugins.failed(name, exc, what)
        except BaseException as exc:
            self.plugins.failed(name, exc, what)

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
        """What came up behind the start and prevents the service: stop, with this as the reason."""
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
        await self._stop_plugins()
        await self.tasks.close()
        await self.hosts.leave()
        if (bus := self.ports.built(Bus)) is not None:
            await bus.close()
        if (store := self.ports.built(Store)) is not None:
            await store.close()
        if self.link is not None:
            self.link.close()
        if self._watchdog is not None:
            self._watchdog.stop()
        log.info("Stopped.")

    # -- state

    async def findings(self) -> list[Finding]:
        """What the plugins have to say to `jackfield doctor`. One that fails is a finding."""
        found: list[Finding] = []
        limit = self.settings.get(PluginsSettings).startup_timeout
        for name, given in self.plugins.call("jackfield_findings"):
            try:
                given = await bounded(limit, given) if inspect.isawaitable(given) else given
                with alarm(limit):
                    findings = things_of(given)
                    for finding in findings:
                        require(finding, Finding)
                found.extend(findings)
            except BaseException as exc:
                if passes(exc):
                    raise
                found.append(Finding(f"plugin {name}", False, f"its diagnosis failed: {told(exc)}"))
        return found

    def metrics(self) -> list[Metric]:
        """The plugins' samples for `/metrics`; one that Prometheus could not read is left out and reported."""
        return [metric for _, metric in self.plugins.each("jackfield_metrics", Metric, SampleCheck())]

    def standing(self) -> Mapping[str, str]:
        """What `/ready` shows of plugins and workers: name -> `ok` or what is wrong."""
        given = (one for _, one in self.plugins.each("jackfield_standing", Finding))
        found = {one.subject: "ok" if one.good else one.message for one in given}
        return found if self.workers is None else {**found, "workers": self.workers.standing()}

    async def checks(self) -> Mapping[str, str]:
        """What `/ready` shows: name -> `ok` or what is wrong."""
        now = time.monotonic()
        if self._checked is not None and now - self._checked[0] < CHECK_INTERVAL:
            return self._checked[1]
        found = {"store": await self._check_store(), "engine": self._check_engine()}
        if self.workers is not None and not self.workers.serve:
            found["workers"] = self.workers.standing()
        self._checked = (now, found)
        return found

    async def _check_store(self) -> str:
        try:
            await self.ports.get(Store).check()
        except JackfieldError as exc:
            return exc.message
        return "ok"

    def plugin_state(self) -> str:
        """What `/ready` shows beside its checks: the service is ready without a plugin that failed."""
        failed = self.plugins.failures()
        return "ok" if not failed else "failed: " + ", ".join(plugin.name for plugin in failed)

    def data_state(self) -> str:
        """What `/ready` shows of damage; the service goes on with what is left."""
        store = self.ports.built(Store)
        count = len(store.known_damage()) if isinstance(store, DamageRecords) else 0
        return f"{count} findings of damage; `jackfield doctor` names them" if count else "ok"

    def _check_engine(self) -> str:
        engine = self.ports.built(Engine)
        if self.draining or engine is None:
            return "stopping" if self.draining else "missing"
        unsaved = engine.state().get("unsaved", 0)
        return f"{unsaved} ended executions wait for the store" if unsaved else "ok"
