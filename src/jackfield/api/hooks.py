"""Every hook, with its contract. A plugin implements those that it needs as methods of its `Plugin` class. The kernel
calls each separately. It reports one that raises (`jackfield plugins`, `/ready`, the log), and the others go on.

Hooks register objects, synchronously and cheaply: no I/O, no imports of heavy libraries (`jackfield.api.plugin.later`
puts them off). The host checks each object against its Protocol. Of two things with the same name Jackfield's own
counts, or else the first; the other is reported, unless `[plugins.overrides]` says otherwise.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from quart import Blueprint

    from .agent_protocols import AgentProtocol
    from .agents import AgentAdapter
    from .asgi import AsgiMount
    from .auth import AuthMethod
    from .binary import BinaryStore
    from .browser import BrowserExtension
    from .bus import Bus
    from .credentials import CredentialKind
    from .diagnosis import Finding, Metric
    from .engine import Engine
    from .hosts import HostResources
    from .logins import PasswordLogin, RedirectLogin, SecondFactor
    from .manifests import Manifest, ManifestDirectory, ManifestKind
    from .nodes import NodeOffer, NodeType
    from .offers import Offer
    from .proxy import RoutingCondition, RoutingStrategy
    from .registry import RegistrySource
    from .resealing import KeyUse, SealedValues
    from .scripts import RhaiFunction, ScriptEngine
    from .secret_sources import SecretSourceKind
    from .storage import Store
    from .telemetry import TelemetrySink, UsageReader
    from .triggers import Trigger
    from .webhooks import WebhookPreset

PROJECT = "jackfield"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Hooks:
    """The specifications. Plugins of Jackfield's own and of strangers see the same. Their bodies are empty, which mypy
    minds and pluggy wants."""

    @hookspec
    def jackfield_store(self) -> Store | Offer:  # type: ignore[empty-body]
        """A store, not yet opened; used if its name is `store.name` in the settings. An `Offer` is made only then."""

    @hookspec
    def jackfield_binary_store(self) -> BinaryStore | Offer:  # type: ignore[empty-body]
        """Where the files of items are kept; used if its name is `binary.name` in the settings; or an `Offer` of it."""

    @hookspec
    def jackfield_auth_methods(self) -> Sequence[AuthMethod]:  # type: ignore[empty-body]
        """Ways to authenticate to `/api/v1` and the gated paths."""

    @hookspec
    def jackfield_password_logins(self) -> Sequence[PasswordLogin]:  # type: ignore[empty-body]
        """Directories of names and passwords that users may log in with. Asked for at the first login."""

    @hookspec
    def jackfield_redirect_logins(self) -> Sequence[RedirectLogin]:  # type: ignore[empty-body]
        """Providers to which the browser is sent for a login. Asked for at the first login."""

    @hookspec
    def jackfield_second_factors(self) -> Sequence[SecondFactor]:  # type: ignore[empty-body]
        """Further proofs that a login asks for behind the password. Asked for at the first login."""

    @hookspec
    def jackfield_triggers(self) -> Sequence[Trigger]:  # type: ignore[empty-body]
        """Kinds of triggers; an `OfferedTrigger` stands for one that is made with the first workflow that it serves.
        Asked for at the start."""

    @hookspec
    def jackfield_webhook_presets(self) -> Sequence[WebhookPreset]:  # type: ignore[empty-body]
        """How senders of webhooks sign their calls. Called when one is needed first, maybe on a thread."""

    @hookspec
    def jackfield_nodes(self) -> Sequence[NodeType | NodeOffer]:  # type: ignore[empty-body]
        """Node types; a `NodeOffer` names one that is made when a workflow uses it first. Asked for at the start."""

    @hookspec
    def jackfield_credential_kinds(self) -> Sequence[CredentialKind]:  # type: ignore[empty-body]
        """Kinds of credentials: their fields and how they get onto requests. Called when a credential is used first,
        maybe on a thread."""

    @hookspec
    def jackfield_secret_sources(self) -> Sequence[SecretSourceKind]:  # type: ignore[empty-body]
        """Kinds of places where secrets of credentials are kept. Called when one is needed first, on a thread."""

    @hookspec
    def jackfield_script_engines(self) -> Sequence[ScriptEngine]:  # type: ignore[empty-body]
        """Languages for expressions and Code nodes."""

    @hookspec
    def jackfield_rhai_functions(self) -> Sequence[RhaiFunction]:  # type: ignore[empty-body]
        """Functions for scripts in Rhai. Asked for with the first script, on a thread."""

    @hookspec
    def jackfield_engine(self) -> Engine | Offer:  # type: ignore[empty-body]
        """An execution engine; used if its `name` is `engine.name` in the settings; or an `Offer` of it."""

    @hookspec
    def jackfield_bus(self) -> Bus | Offer:  # type: ignore[empty-body]
        """How daemons that share a store tell each other of changes; used if its `name` is `bus.name` in the settings;
        or an `Offer` of it. `jackfield.api.bus_drivers` has bases."""

    @hookspec
    def jackfield_manifest_kinds(self) -> Sequence[ManifestKind[Manifest]]:  # type: ignore[empty-body]
        """Kinds of manifests; a plugin reads them with `context.port(ManifestLibraries).of(kind)`. `jackfield doctor`
        and the registry know them by this."""

    @hookspec
    def jackfield_manifest_directories(self) -> Sequence[ManifestDirectory]:  # type: ignore[empty-body]
        """Directories of manifests and scripts that the plugin's package brings. They come after the user's, the synced
        registry's and the shipped ones. Asked for at the start."""

    @hookspec
    def jackfield_agents(self) -> Sequence[AgentAdapter]:  # type: ignore[empty-body]
        """Adapters for the behavior of agents that manifests cannot describe."""

    @hookspec
    def jackfield_agent_protocols(self) -> Sequence[AgentProtocol]:  # type: ignore[empty-body]
        """Protocols in which agents are spoken to without a terminal. Asked for with the first such session."""

    @hookspec
    def jackfield_registry_sources(self) -> Sequence[RegistrySource]:  # type: ignore[empty-body]
        """Where a registry can come from, by URL scheme."""

    @hookspec
    def jackfield_usage_readers(self) -> Sequence[UsageReader]:  # type: ignore[empty-body]
        """Log formats of agents. Called when one is needed first, and in worker processes, where the plugin's context
        refuses every use."""

    @hookspec
    def jackfield_telemetry_sinks(self) -> Sequence[TelemetrySink]:  # type: ignore[empty-body]
        """Where records of runs, executions and proxied requests go beside our own files. Asked for at the start."""

    @hookspec
    def jackfield_proxy_strategies(self) -> Sequence[RoutingStrategy]:  # type: ignore[empty-body]
        """Ways in which proxies choose among rules.

        Called in the daemon when somebody first configures a profile's proxy, and in the process of each proxy that
        uses one. There, the plugin's context refuses every use.
        """

    @hookspec
    def jackfield_proxy_conditions(self) -> Sequence[RoutingCondition]:  # type: ignore[empty-body]
        """Types of conditions of proxies' rules; called as `jackfield_proxy_strategies` is."""

    @hookspec
    def jackfield_sealed_values(self) -> Sequence[SealedValues]:  # type: ignore[empty-body]
        """The values that the plugin keeps sealed. Called by `jackfield keys` alone."""

    @hookspec
    def jackfield_key_uses(self) -> Sequence[KeyUse]:  # type: ignore[empty-body]
        """Uses of keys by name that may need earlier ones. Called by `jackfield keys forget` alone."""

    @hookspec
    def jackfield_findings(self) -> Sequence[Finding] | Awaitable[Sequence[Finding]]:  # type: ignore[empty-body]
        """The findings for `jackfield doctor`.

        Called with the store open, beside a running daemon or without one. Sync or async.
        """

    @hookspec
    def jackfield_standing(self) -> Sequence[Finding]:  # type: ignore[empty-body]
        """The parts of the plugin that work now, and those that do not, for `/ready`, which anybody may ask.

        They come from memory, and hold nothing secret. A part that does not work makes the daemon `degraded`, and never
        unready.
        """

    @hookspec
    def jackfield_metrics(self) -> Sequence[Metric]:  # type: ignore[empty-body]
        """Samples for `/metrics`, from memory."""

    @hookspec
    def jackfield_blueprints(self) -> Sequence[Blueprint]:  # type: ignore[empty-body]
        """Quart blueprints with their full url_prefix; views carry `jackfield.api.http.operation`."""

    @hookspec
    def jackfield_browser_extensions(self) -> Sequence[BrowserExtension]:  # type: ignore[empty-body]
        """Pages, icons and controls for the browser interface. Asked for when a browser asks first."""

    @hookspec
    def jackfield_host_resources(self) -> Sequence[HostResources]:  # type: ignore[empty-body]
        """Things that stay with the host that has them, by the paths that name them. Asked for with the first request
        while other hosts are there."""

    @hookspec
    def jackfield_asgi(self) -> Sequence[AsgiMount]:  # type: ignore[empty-body]
        """Raw ASGI applications for hot paths and the UI."""
