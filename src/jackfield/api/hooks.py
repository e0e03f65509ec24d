"""Every hook, with its contract. A plugin implements those that it needs; each is called on its own, so that one that
raises is reported (`jackfield plugins`, `/ready`, the log) and the others go on.

Hooks register objects, synchronously and cheaply: no I/O, no imports of heavy libraries. `context` is the plugin's own
`PluginContext`; ports of other plugins are in it from `jackfield_startup` on. A hook may leave out arguments.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

import pluggy

from .records import record

if TYPE_CHECKING:
    import click
    from pydantic import BaseModel
    from quart import Blueprint

    from .agents import AgentAdapter, Agents
    from .asgi import AsgiMount
    from .auth import AuthMethod
    from .binary import BinaryStore
    from .context import PluginContext, WorkflowReader
    from .credentials import CredentialKind, Credentials
    from .diagnosis import Finding, Metric
    from .engine import Engine
    from .http_client import HttpClient
    from .manifests import Manifest, ManifestKind
    from .nodes import NodeType
    from .profiles import Profiles
    from .providers import Providers
    from .proxy import Proxies, RoutingCondition, RoutingStrategy
    from .registry import Registry, RegistrySource
    from .scripts import ScriptEngine
    from .storage import Store
    from .telemetry import TelemetrySink, Usage, UsageReader
    from .terminals import Terminals
    from .triggers import Trigger

PROJECT = "jackfield"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@record
class SettingsTable:
    """One table of config.toml. path: dotted, such as `security.jwt`; unknown keys in it are errors. A field's
    description, default, unit and range are what `jackfield config` and the documentation show; `secret=True` in
    json_schema_extra hides its value, `former={"old_name": "0.3"}` has the old key read until version 0.3."""

    path: str
    model: type[BaseModel]


@hookspec
def jackfield_settings() -> Sequence[SettingsTable]:  # type: ignore[empty-body]
    """The plugin's settings tables."""


@hookspec
def jackfield_store(context: PluginContext) -> Store:  # type: ignore[empty-body]
    """A store, not yet opened; used if its name is `store.name` in the settings."""


@hookspec
def jackfield_binary_store(context: PluginContext) -> BinaryStore:  # type: ignore[empty-body]
    """Where the files of items are kept; used if its name is `binary.name` in the settings."""


@hookspec
def jackfield_auth_methods(context: PluginContext) -> Sequence[AuthMethod]:  # type: ignore[empty-body]
    """Ways to authenticate to `/api/v1` and the gated paths."""


@hookspec
def jackfield_triggers(context: PluginContext) -> Sequence[Trigger]:  # type: ignore[empty-body]
    """Kinds of triggers."""


@hookspec
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:  # type: ignore[empty-body]
    """Node types. Of two with the same kind the first registered wins and the other is reported."""


@hookspec
def jackfield_credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:  # type: ignore[empty-body]
    """Kinds of credentials: their fields and how they get onto requests. Called when a credential is used first, maybe
    on a thread. Of two with the same name the first registered wins and the other is reported."""


@hookspec
def jackfield_credentials(context: PluginContext) -> Credentials:  # type: ignore[empty-body]
    """Opens stored credentials for nodes; one plugin gives it."""


@hookspec
def jackfield_http_client(context: PluginContext) -> HttpClient:  # type: ignore[empty-body]
    """The guarded way to other servers; one plugin gives it."""


@hookspec
def jackfield_script_engine(context: PluginContext) -> ScriptEngine:  # type: ignore[empty-body]
    """A language for expressions and Code nodes."""


@hookspec
def jackfield_workflow_reader(context: PluginContext) -> WorkflowReader:  # type: ignore[empty-body]
    """Parses and loads workflow documents for the other plugins; one plugin gives it."""


@hookspec
def jackfield_engine(context: PluginContext) -> Engine:  # type: ignore[empty-body]
    """An execution engine; used if its `name` is `engine.name` in the settings."""


@hookspec
def jackfield_manifest_kinds() -> Sequence[ManifestKind[Manifest]]:  # type: ignore[empty-body]
    """Kinds of manifests that the plugin reads with `context.manifests(kind)`; `jackfield doctor` and the registry know
    them by this."""


@hookspec
def jackfield_agent_catalog(context: PluginContext) -> Agents:  # type: ignore[empty-body]
    """Knows the agents; one plugin gives it."""


@hookspec
def jackfield_agents(context: PluginContext) -> Sequence[AgentAdapter]:  # type: ignore[empty-body]
    """What manifests cannot say about agents."""


@hookspec
def jackfield_provider_catalog(context: PluginContext) -> Providers:  # type: ignore[empty-body]
    """Knows the providers of models; one plugin gives it."""


@hookspec
def jackfield_profiles(context: PluginContext) -> Profiles:  # type: ignore[empty-body]
    """Keeps and runs profiles; one plugin gives it."""


@hookspec
def jackfield_registry(context: PluginContext) -> Registry:  # type: ignore[empty-body]
    """Syncs published content; one plugin gives it."""


@hookspec
def jackfield_registry_sources(context: PluginContext) -> Sequence[RegistrySource]:  # type: ignore[empty-body]
    """Where a registry can come from, by URL scheme."""


@hookspec
def jackfield_usage(context: PluginContext) -> Usage:  # type: ignore[empty-body]
    """Keeps the usage of agents; one plugin gives it."""


@hookspec
def jackfield_usage_readers() -> Sequence[UsageReader]:  # type: ignore[empty-body]
    """Log formats of agents. Called when one is needed first, also in worker processes."""


@hookspec
def jackfield_telemetry_sinks(context: PluginContext) -> Sequence[TelemetrySink]:  # type: ignore[empty-body]
    """Where figures of runs go beside our own files."""


@hookspec
def jackfield_proxies(context: PluginContext) -> Proxies:  # type: ignore[empty-body]
    """Runs the profiles' proxies; one plugin gives it."""


@hookspec
def jackfield_proxy_strategies() -> Sequence[RoutingStrategy]:  # type: ignore[empty-body]
    """Ways in which proxies choose among rules. Called in the daemon when a profile's proxy is first configured, and in
    the process of each proxy that uses one, where no other plugin is loaded."""


@hookspec
def jackfield_proxy_conditions() -> Sequence[RoutingCondition]:  # type: ignore[empty-body]
    """Types of conditions of proxies' rules; called as `jackfield_proxy_strategies` is."""


@hookspec
def jackfield_terminals(context: PluginContext) -> Terminals:  # type: ignore[empty-body]
    """Runs terminal sessions; one plugin gives it."""


@hookspec
def jackfield_findings(context: PluginContext) -> Sequence[Finding] | Awaitable[Sequence[Finding]]:  # type: ignore[empty-body]
    """What `jackfield doctor` shall say. Called with the store open, beside a running daemon or without one. Sync or
    async."""


@hookspec
def jackfield_metrics(context: PluginContext) -> Sequence[Metric]:  # type: ignore[empty-body]
    """Samples for `/metrics`, from memory."""


@hookspec
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:  # type: ignore[empty-body]
    """Quart blueprints with their full url_prefix; views carry `jackfield.api.http.operation`."""


@hookspec
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:  # type: ignore[empty-body]
    """Raw ASGI applications for hot paths and the UI."""


@hookspec
def jackfield_commands() -> Sequence[click.Command]:  # type: ignore[empty-body]
    """Commands under `jackfield`; a group of a name that exists is merged into it."""


@hookspec
def jackfield_startup(context: PluginContext) -> Awaitable[None] | None:
    """Called when the store is open and every port is assembled, before the first request. Sync or async."""


@hookspec
def jackfield_shutdown(context: PluginContext) -> Awaitable[None] | None:
    """Called after the last request and before the store closes, in reverse order. Sync or async."""
