"""The kernel: assembles plugins into a daemon, starts it and stops it. Nothing is built at import time."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jackfield.api.asgi import AsgiMount
from jackfield.api.binary import BinarySettings
from jackfield.api.clock import Clock, SystemClock
from jackfield.api.context import Service
from jackfield.api.credentials import CredentialKind
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.errors import ConfigurationError, JackfieldError
from jackfield.api.events import STOPPING
from jackfield.api.files import private_directory, sweep_private
from jackfield.api.hooks import SettingsTable
from jackfield.api.http_client import is_loopback
from jackfield.api.proxy import Given
from jackfield.api.version import __version__

from .authentication import Authenticator
from .context import Context, Ports, Shared, Tasks
from .events import Bus
from .manifests import FileLayers, Library
from .memory import trim_forever
from .plugins import PluginHost
from .redaction import Redactor
from .secrets import FileSecrets
from .settings import Settings, load, read_toml
from .tables import CORE_TABLES, DaemonSettings, EngineSettings, PluginsSettings, ServerSettings, StoreSettings

if TYPE_CHECKING:
    from jackfield.api.proxy import RoutingCondition, RoutingStrategy
    from jackfield.api.telemetry import UsageReader

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
        self, config_dir: Path, host: PluginHost, settings: Settings, redactor: Redactor, clock: Clock | None = None
    ) -> None:
        self.config_dir = config_dir
        self.plugins = host
        self.settings = settings
        self.redactor = redactor
        self.clock = clock or SystemClock()
        self.events = Bus(self.clock)
        self.tasks = Tasks()
        self.ports = Ports()
        self.authenticator = Authenticator()
        self.secrets = FileSecrets(config_dir, redactor)
        self.service = self._service()
        self.failure: ConfigurationError | None = None
        self.stop_requested = asyncio.Event()
        self.mounts: list[AsgiMount] = []
        self.started_at = time.monotonic()
        self.ready = False
        self.draining = False
        self._stop_by: float | None = None
        self._checked: tuple[float, dict[str, str]] | None = None
        self._shared = Shared(
            self.service,
            self.clock,
            self.events,
            self.secrets,
            settings,
            self.tasks,
            self.ports,
            self.authenticator,
        )
        self._contexts: dict[str, Context] = {}

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
        )

    def context(self, name: str) -> Context:
        if name not in self._contexts:
            self._contexts[name] = Context(name, self._shared)
        return self._contexts[name]

    # -- assembly

    def assemble(self) -> None:
        """Ask every plugin what it gives."""
        host = self.plugins
        host.bind(self.context)
        for name, node in host.each("jackfield_nodes", "kind"):
            if not self.ports.nodes.add(node):
                host.failed(name, ValueError(f"node {node.kind} exists already"), "gave a node type twice")
        self.ports.triggers.extend(trigger for _, trigger in host.each("jackfield_triggers", "kind"))
        for _, engine in host.call("jackfield_script_engine"):
            self.ports.script_engines.setdefault(engine.language, engine)
        self._assemble_outbound()
        self._assemble_agents()
        self.authenticator.methods.extend(method for _, method in host.each("jackfield_auth_methods", "authenticate"))
        self.mounts.extend(mount for _, mount in host.each("jackfield_asgi", "segment"))
        for _, reader in host.call("jackfield_workflow_reader"):
            self.ports.workflows = self.ports.workflows or reader
        self.ports.store = self._choose("jackfield_store", self.settings.get(StoreSettings).name)
        self.ports.binary = self._choose("jackfield_binary_store", self.settings.get(BinarySettings).name)
        self.ports.engine = self._choose("jackfield_engine", self.settings.get(EngineSettings).name)

    def _assemble_outbound(self) -> None:
        """What reaches other servers, and the credentials for them."""
        host, ports = self.plugins, self.ports
        ports.find_credential_kinds = self._credential_kinds
        for _, client in host.call("jackfield_http_client"):
            ports.http = ports.http or client
        for _, credentials in host.call("jackfield_credentials"):
            ports.credentials = ports.credentials or credentials

    def _assemble_agents(self) -> None:
        """Agents, providers, profiles and what belongs to them. Nothing is read yet."""
        host, ports = self.plugins, self.ports
        ports.layers = FileLayers(self.config_dir)
        for name, kind in host.each("jackfield_manifest_kinds", "model"):
            if kind.name in ports.libraries:
                host.failed(name, ValueError(f"manifests {kind.name} exist already"), "gave manifests twice")
            else:
                ports.manifest_kinds[kind.name] = kind
                ports.libraries[kind.name] = Library(kind, self.config_dir, self._manifests_changed)
        for port in ("agents", "providers"):
            self._take_first(port, f"jackfield_{port.removesuffix('s')}_catalog")
        for port in ("profiles", "registry", "usage", "proxies", "terminals"):
            self._take_first(port, f"jackfield_{port}")
        ports.find_usage_readers = self._usage_readers
        ports.find_routing = self._routing
        ports.agent_adapters.extend(adapter for _, adapter in host.each("jackfield_agents", "agent_id"))
        ports.registry_sources.extend(source for _, source in host.each("jackfield_registry_sources", "schemes"))
        ports.telemetry_sinks.extend(sink for _, sink in host.each("jackfield_telemetry_sinks", "name"))

    def _manifests_changed(self, kind: str, ids: Sequence[str]) -> None:
        self.events.publish("agents", "manifests_changed", {"kind": kind, "ids": list(ids)})

    def _take_first(self, port: str, hook: str) -> None:
        """Of several plugins that give one port the first counts, and the others are reported."""
        for name, given in self.plugins.call(hook):
            if getattr(self.ports, port) is None:
                setattr(self.ports, port, given)
            else:
                self.plugins.failed(name, ValueError(f"another plugin gives {port} already"), f"failed in {hook}")

    def _usage_readers(self) -> list[UsageReader]:
        found: dict[str, UsageReader] = {}
        for name, reader in self.plugins.each("jackfield_usage_readers", "name"):
            if found.setdefault(reader.name, reader) is not reader:
                error = ValueError(f"usage reader {reader.name} exists already")
                self.plugins.failed(name, error, "gave a usage reader twice")
        return list(found.values())

    def _routing(self) -> tuple[dict[str, Given[RoutingStrategy]], dict[str, Given[RoutingCondition]]]:
        strategies = self._given("jackfield_proxy_strategies", "name", str.lower)
        return strategies, self._given("jackfield_proxy_conditions", "type", str)

    def _given(self, hook: str, attribute: str, folded: Callable[[str], str]) -> dict[str, Given[Any]]:
        """What the hook's plugins give, by a name of theirs. Any: each hook has its type."""
        found: dict[str, Given[Any]] = {}
        for plugin, thing in self.plugins.each(hook, attribute):
            name = folded(getattr(thing, attribute))
            if name in found:
                self.plugins.failed(plugin, ValueError(f"{name} exists already"), f"failed in {hook}")
            else:
                found[name] = Given(plugin, self.plugins.plugins[plugin].value, thing)
        return found

    def _credential_kinds(self) -> dict[str, CredentialKind]:
        """Asked for when somebody first wants them: there are many, and a start needs none."""
        found: dict[str, CredentialKind] = {}
        for name, kind in self.plugins.each("jackfield_credential_kinds", "name"):
            if found.setdefault(kind.name, kind) is not kind:
                error = ValueError(f"credential kind {kind.name} exists already")
                self.plugins.failed(name, error, "gave a kind of credentials twice")
        return found

    def _choose(self, hook: str, wanted: str) -> Any:
        """The port of this name. Any: the caller knows which port the hook gives."""
        found = {port.name: port for _, port in self.plugins.call(hook)}
        if wanted not in found:
            kind = hook.removeprefix("jackfield_").replace("_", " ")
            raise ConfigurationError(
                f"There is no {kind} named {wanted}; the plugins give: {', '.join(found) or 'none'}."
            )
        return found[wanted]

    # -- life

    async def open_store(self) -> None:
        """Open the store and nothing else (commands beside a running daemon)."""
        await self.context("kernel").store.open()

    async def start(self) -> None:
        """Open the store, start the plugins, resume open executions. Raises `ConfigurationError`."""
        self.secrets.check()
        await self.open_store()
        await self._call_each("jackfield_startup")
        await self._refuse_open_bind()
        self.tasks.spawn("kernel.recover", self._recover())
        self.tasks.spawn("kernel.sweep", self._sweep())
        interval = self.settings.get(DaemonSettings).trim_interval
        self.tasks.spawn("kernel.trim", trim_forever(self.clock, interval))
        self.ready = True
        log.info("Jackfield %s is ready on %s.", __version__, self.service.public_url)

    async def _call_each(self, hook: str) -> None:
        limit = self.settings.get(PluginsSettings).startup_timeout
        for name, result in self.plugins.call(hook):
            if inspect.isawaitable(result):
                try:
                    await asyncio.wait_for(result, limit)
                except ConfigurationError:
                    raise
                except Exception as exc:
                    self.plugins.failed(name, exc, f"failed in {hook}")

    async def _refuse_open_bind(self) -> None:
        if not self.service.loopback and not await self.context("kernel").store.users():
            raise ConfigurationError(
                f"The address {self.service.host} is not loopback and there is no user; "
                "add one with `jackfield user add NAME --role admin` or listen on 127.0.0.1."
            )

    async def _recover(self) -> None:
        resumed = await self.context("kernel").engine.recover()
        if resumed:
            log.info("%d open executions were resumed.", resumed)

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
            self._stop_by = time.monotonic() + self.settings.get(DaemonSettings).shutdown_timeout
            self.events.publish("system", STOPPING, {})
            log.info("Stopping: no new work; requests and runs in flight get their time.")
        return self._stop_by

    async def stop(self) -> None:
        """Let runs in flight end, stop the plugins, close the store."""
        deadline = self.begin_stop()
        self.ready = False
        with suppress(JackfieldError, LookupError):
            left = await self.context("kernel").engine.drain(max(0.0, deadline - time.monotonic()))
            if left:
                log.info("%d executions are left to be resumed by the next start.", left)
        await self._call_each("jackfield_shutdown")
        await self.tasks.close()
        if self.ports.store is not None:
            await self.ports.store.close()
        log.info("Stopped.")

    # -- state

    async def findings(self) -> list[Finding]:
        """What the plugins have to say to `jackfield doctor`. One that fails is a finding."""
        found: list[Finding] = []
        limit = self.settings.get(PluginsSettings).startup_timeout
        for name, given in self.plugins.call("jackfield_findings"):
            try:
                found.extend(await asyncio.wait_for(given, limit) if inspect.isawaitable(given) else given)
            except Exception as exc:
                found.append(Finding(f"plugin {name}", False, f"its diagnosis failed: {type(exc).__name__}: {exc}"))
        return found

    def metrics(self) -> list[Metric]:
        """The plugins' samples for `/metrics`."""
        return [metric for _, metric in self.plugins.each("jackfield_metrics", "kind")]

    async def checks(self) -> Mapping[str, str]:
        """What `/ready` shows: name -> `ok` or what is wrong."""
        now = time.monotonic()
        if self._checked is not None and now - self._checked[0] < CHECK_INTERVAL:
            return self._checked[1]
        found = {"store": await self._check_store(), "plugins": self._check_plugins(), "engine": self._check_engine()}
        self._checked = (now, found)
        return found

    async def _check_store(self) -> str:
        try:
            await self.context("kernel").store.check()
        except JackfieldError as exc:
            return exc.message
        return "ok"

    def _check_plugins(self) -> str:
        failed = self.plugins.failures()
        return "ok" if not failed else "failed: " + ", ".join(plugin.name for plugin in failed)

    def _check_engine(self) -> str:
        if self.draining or self.ports.engine is None:
            return "stopping" if self.draining else "missing"
        unsaved = self.ports.engine.state().get("unsaved", 0)
        return f"{unsaved} ended executions wait for the store" if unsaved else "ok"


def load_plugins(
    config_dir: Path, environment: Mapping[str, str], overrides: Mapping[str, str]
) -> tuple[PluginHost, Settings]:
    """Find the plugins and read the settings of all of them."""
    file = read_toml(config_dir / "config.toml")
    core = {path: text for path, text in overrides.items() if path.startswith("plugins.")}
    first = load(
        [table for table in CORE_TABLES if table.path == "plugins"],
        {"plugins": file.get("plugins", {})},
        environment,
        core,
    )
    chosen = first.get(PluginsSettings)
    host = PluginHost(disabled=chosen.disabled, strict=chosen.strict)
    host.discover()
    tables = settings_tables(host)
    return host, load(tables, file, environment, overrides)


def settings_tables(host: PluginHost) -> Sequence[SettingsTable]:
    """The kernel's tables and those of the loaded plugins. A path that is taken is that plugin's failure."""
    tables = list(CORE_TABLES)
    for name, table in host.each("jackfield_settings", "model"):
        if any(known.path == table.path for known in tables):
            host.failed(name, ValueError(f"the settings table {table.path} exists already"), "gave settings twice")
        else:
            tables.append(table)
    return tables


def build(config_dir: Path, environment: Mapping[str, str], overrides: Mapping[str, str]) -> Kernel:
    """Everything up to, but not including, I/O on the store. Raises `ConfigurationError`."""
    private_directory(config_dir)
    redactor = Redactor()
    host, settings = load_plugins(config_dir, environment, overrides)
    for table in settings.tables:
        _redact_secrets(settings, table, redactor)
    kernel = Kernel(config_dir, host, settings, redactor)
    kernel.assemble()
    for path in settings.unknown_tables:
        log.warning("config.toml has a table [%s] that no loaded plugin knows.", path)
    for name in settings.unknown_variables:
        log.warning("The environment has %s, which is no setting of a loaded plugin.", name)
    return kernel


def _redact_secrets(settings: Settings, table: SettingsTable, redactor: Redactor) -> None:
    from .settings import keys

    for key in keys(table.path, table.model):
        if key.secret:
            value = settings.value(key.path)
            redactor.add(*([value] if isinstance(value, str) else map(str, value) if isinstance(value, list) else []))
