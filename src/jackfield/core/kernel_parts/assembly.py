"""Putting what the plugins give into a kernel that has not started."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from jackfield.api.asgi import AsgiMount
from jackfield.api.auth import Authentication, AuthMethod
from jackfield.api.binary import BinarySettings, BinaryStore
from jackfield.api.bus import Bus
from jackfield.api.engine import Engine
from jackfield.api.errors import ConfigurationError
from jackfield.api.extensions import PluginReports
from jackfield.api.hosts import Hosts, HostsAdministration
from jackfield.api.limits import guarded
from jackfield.api.manifests import MANIFEST_KINDS, Layers, ManifestLibraries
from jackfield.api.memos import Memos
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.changing import ChangingNodes
from jackfield.api.offers import Offer
from jackfield.api.process_containers import ContainerSettings, ProcessContainers
from jackfield.api.projects import ProjectAccess
from jackfield.api.records import record, replace
from jackfield.api.storage import ShareableStore, Store
from jackfield.api.triggers import TRIGGERS

from ..authentication import Authenticator
from ..bus import MemoryBus
from ..catalog import Catalog
from ..checks.precedence import NameTaken, Precedence
from ..checks.protocols import require
from ..checks.segments import check_segment
from ..containers.service import Containers
from ..context import Context, SharedServices
from ..hosts.membership import Membership
from ..hosts.roles import RefusingApp
from ..manifests import FileLayers, Libraries
from ..memos import LocalMemos
from ..packaged import PackagedDirectories
from ..plugins import PluginHost
from ..projects.access import StoredAccess
from ..projects.forwarding_store import scoped
from ..projects.scoped_store import ScopedStore
from ..reports import Reports
from ..tables import BusSettings, DaemonSettings, EngineSettings, StoreSettings
from ..workers.bus import ProcessBus
from ..workers.link import WorkerLink
from .node_types import NodeTypes


@record
class Assembled:
    """The assembled parts. `tell_workers`: a message of the bus."""

    plugins: PluginHost
    shared: SharedServices
    precedence: Precedence
    nodes: Catalog
    authenticator: Authenticator
    hosts: Membership
    link: WorkerLink | None
    projects: StoredAccess
    context: Callable[[str], Context]
    tell_workers: Callable[[bytes], None]


class Assembly:
    """Of one kernel. A part that fails is its plugin's failure, and is reported."""

    def __init__(self, parts: Assembled) -> None:
        self._parts = parts
        self._plugins = parts.plugins
        self._settings = parts.shared.settings
        self._precedence = parts.precedence
        self._ports = parts.shared.ports
        self._clock = parts.shared.clock
        self._extensions = parts.shared.extensions
        self._link = parts.link

    def assemble(self) -> Sequence[AsgiMount]:
        """Make every plugin, and ask it for what a start needs. The applications that count."""
        parts, ports, config_dir = self._parts, self._ports, self._parts.shared.service.config_dir
        self._plugins.bind(parts.context)
        packaged = PackagedDirectories(self._extensions, self._plugins.report)
        ports.put(Layers, FileLayers(config_dir, packaged))
        ports.put(Authentication, parts.authenticator)
        ports.put(NodeCatalog, parts.nodes)
        ports.put(ProjectAccess, parts.projects)
        ports.put(Hosts, parts.hosts)
        ports.put(HostsAdministration, parts.hosts)
        bounds = self._settings.get(ContainerSettings)
        ports.put(ProcessContainers, Containers(config_dir, bounds, self._clock, parts.shared.tasks.spawn))
        ports.put(PluginReports, Reports(self._plugins, self._precedence))
        ports.offer()
        ports.put(ManifestLibraries, Libraries(self._extensions, config_dir, self._manifests_changed, packaged))
        node_types = NodeTypes(self._plugins, self._precedence, parts.nodes, self._extensions)
        ports.put(ChangingNodes, node_types)
        node_types.assemble()
        self._extensions.given(TRIGGERS)
        self._extensions.given(MANIFEST_KINDS)
        packaged()
        self._assemble_authentication()
        mounts = list(self._mounts().values())
        self._choose_ports()
        return mounts

    def _choose_ports(self) -> None:
        """Those of which one counts, which the settings name."""
        ports, settings = self._ports, self._settings
        ports.put(Store, self._chosen_store())
        ports.put(ScopedStore, scoped(ports.get(Store), self._parts.projects))
        ports.put(Memos, self._memos(ports.get(Store)))
        ports.put(BinaryStore, self._choose("jackfield_binary_store", BinaryStore, settings.get(BinarySettings).name))
        ports.put(Engine, self._choose("jackfield_engine", Engine, settings.get(EngineSettings).name))
        ours = {MemoryBus.name: Offer(MemoryBus.name, self._own_bus)}
        ports.put(Bus, self._choose("jackfield_bus", Bus, settings.get(BusSettings).name, ours))

    def _chosen_store(self) -> Store:
        """One that a process has for itself is its first process's, which workers ask."""
        found = cast("Store", self._choose("jackfield_store", Store, self._settings.get(StoreSettings).name))
        if not found.exclusive:
            return found
        if self._link is not None:
            return self._link.store()
        if self._wanted_workers > 1 and isinstance(found, ShareableStore):
            found.share()
        return found

    @property
    def _wanted_workers(self) -> int:
        return 1 if self._link is not None else self._settings.get(DaemonSettings).workers

    def _own_bus(self) -> Bus:
        if self._link is not None:
            return self._link.bus(self._clock)
        return ProcessBus(self._clock, self._parts.tell_workers) if self._wanted_workers > 1 else MemoryBus(self._clock)

    def _memos(self, store: Store) -> Memos:
        """In the store, where other daemons share it."""
        return store if not store.exclusive and isinstance(store, Memos) else LocalMemos(self._clock)

    def _assemble_authentication(self) -> None:
        for name, method in self._plugins.each("jackfield_auth_methods", AuthMethod):
            try:
                claim = partial(self._precedence.claim, name)
                self._parts.authenticator.add(method, claim, is_own=self._plugins.is_own(name), plugin=name)
            except BaseException as exc:
                self._plugins.failed(name, exc, "failed in jackfield_auth_methods")

    def _mounts(self) -> dict[str, AsgiMount]:
        """Path -> the application that counts there."""
        found: dict[str, AsgiMount] = {}
        for name, mount in self._plugins.each("jackfield_asgi", AsgiMount):
            try:
                check_segment(mount.segment, is_own=self._plugins.is_own(name))
                self._claim_first(name, mount.segment)
                if self._precedence.claim(name, f"path:/{mount.segment}"):
                    own = self._plugins.is_own(name)
                    found[mount.segment] = self._served(mount if own else replace(mount, app=guarded(mount.app)))
            except BaseException as exc:
                self._plugins.failed(name, exc, "failed in jackfield_asgi")
        return found

    def _served(self, mount: AsgiMount) -> AsgiMount:
        has_role = mount.role is None or self._parts.hosts.has(mount.role)
        return mount if has_role else replace(mount, app=RefusingApp(mount.role or ""), access="public")

    def _claim_first(self, plugin: str, segment: str) -> None:
        """A stranger takes no piece of what another plugin serves. Jackfield's own mounts are known by now."""
        first, separator, _ = segment.partition("/")
        holder = self._precedence.owner(f"path:/{first}")
        wanted = self._precedence.chosen(f"path:/{segment}")
        if separator and holder not in (None, plugin) and not self._plugins.is_own(plugin) and wanted != plugin:
            raise NameTaken(
                f"path:/{first} is served by {holder}; mount the application elsewhere, or write "
                f'"path:/{segment}" = "{plugin}" under [plugins.overrides] in config.toml'
            )

    def _manifests_changed(self, kind: str, ids: Sequence[str]) -> None:
        self._parts.shared.events.publish("agents", "manifests_changed", {"kind": kind, "ids": list(ids)})

    def _choose(self, hook: str, protocol: object, wanted: str, ours: Mapping[str, Offer] | None = None) -> Any:
        """The port of this name. ours: what the kernel itself has. Any: the caller knows which port the hook gives."""
        found: dict[str, Any] = {}
        kind = hook.removeprefix("jackfield_").replace("_", " ")
        for name, port in self._plugins.call(hook):
            try:
                if not isinstance(port, Offer):
                    require(port, protocol)
                if self._precedence.claim(name, f"{kind}:{port.name}"):
                    found[port.name] = port
            except BaseException as exc:
                self._plugins.failed(name, exc, f"failed in {hook}")
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
