"""The plan that a proxy's process gets from the daemon: everything that it needs to serve one profile. It goes over the
pipe and nowhere else, since keys are in it.

Source: docs/decisions.md, 'Proxies'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from jackfield.api.proxy import Rule, Target
from jackfield.api.records import record

__all__ = [
    "BACKLOG",
    "CONNECTION_RULES",
    "HOST",
    "LIMITS",
    "Concurrency",
    "ConnectionRules",
    "PluginSource",
    "ProxyLimits",
    "ProxyPlan",
    "Refusal",
    "Rule",
    "Stickiness",
    "Target",
    "Upstream",
]

HOST = "127.0.0.1"
"""Proxies of profiles listen here and nowhere else."""
BACKLOG = 512
"""Connections that wait until they are accepted, also while a process is started again."""


@record
class Concurrency:
    """limit: requests in flight to one provider. queue: how many more may wait, and timeout: for how long, seconds."""

    limit: int
    queue: int = 64
    timeout: float = 30.0


@record
class Upstream:
    """A provider as the proxy reaches it.

    `url`: with the query that every request has. `{model}` in it is the model. `native`: the vendor's own API, not one
    that is compatible with it. `keys`: none when the provider asks for none; of several each has its turn.
    `concurrency`: None: no limit. `auth`, `header`: how a key is shown, in the words of manifests; empty: as the vendor
    of the family has it. `headers`: that every request has. `responses`: globs of the models that take Responses alone.
    `cache_control`: its Chat Completions take Anthropic's marks for a cache. `platform`: a cloud that has its own
    paths. `region`, `service`: that signatures for AWS name.
    """

    id: str
    family: Literal["anthropic", "openai", "gemini"]
    url: str
    native: bool = False
    keys: Sequence[str] = ()
    models: Sequence[str] = ()
    concurrency: Concurrency | None = None
    auth: str = ""
    header: str = "api-key"
    headers: Mapping[str, str] = field(default_factory=dict)
    responses: Sequence[str] = ()
    cache_control: bool = False
    platform: Literal["", "bedrock", "vertex"] = ""
    region: str = ""
    service: str = ""


@record
class ProxyLimits:
    """Seconds and bytes; see the settings table `proxy`, whose names these are."""

    body_limit: int = 32 * 2**20
    upload_limit: int = 512 * 2**20
    head_timeout: float = 10.0
    max_connections: int = 1000
    connect_timeout: float = 10.0
    first_byte_timeout: float = 600.0
    opening_timeout: float = 5.0
    idle_timeout: float = 180.0
    count_timeout: float = 5.0
    retries: int = 2
    retry_after_limit: float = 60.0
    breaker_failures: int = 4
    breaker_open: float = 30.0
    key_pause: float = 300.0
    script_timeout: float = 2.0
    stop_grace: float = 2.0
    key_timeout: float = 5.0
    reserved_output: int = 4096
    cache_size: int = 64 * 2**20
    cache_key_share: float = 0.25


@record
class ConnectionRules:
    """Shares of connections, and seconds; see the settings table `server.connections`, whose names these are."""

    owner_share: float = 0.25
    user_share: float = 0.5
    first_byte_timeout: float = 10.0
    request_timeout: float = 600.0


@record
class Stickiness:
    """Requests of one conversation stay with one target. ttl: seconds without a request after which it may change."""

    ttl: float = 300.0


@record
class Refusal:
    """Nothing is served until then: a budget is used up. until_ms: Unix ms; message: for the client."""

    message: str
    until_ms: int


@record
class PluginSource:
    """A plugin that gives a strategy or conditions that the plan names. entry: its entry point; root: the directory
    that its package was found in."""

    name: str
    entry: str
    root: str


LIMITS = tuple(ProxyLimits.__annotations__)
CONNECTION_RULES = tuple(ConnectionRules.__annotations__)


@record
class ProxyPlan:
    """One profile's proxy.

    `port`: asked for; 0: any free one. `provider`: the profile's own, which gets the requests that no rule takes.
    `environment`: web proxies on the way to providers, which may have passwords, and where Google's credentials are.
    `plugins`: beside our own. `keys`: virtual keys count here too. `budgeted`: each request has to be reserved.
    `members`: of the shared listener, whose own plan has no token and no providers, the plan of each profile by its
    alias. `host`: where it listens. `earlier_tokens`: they count as the token does. Environments that were given away
    have them.
    """

    alias: str
    token: str
    provider: str
    port: int = 0
    strategy: str = "Conditional"
    rules: Sequence[Rule] = ()
    aliases: Mapping[str, Target] = field(default_factory=dict)
    upstreams: Mapping[str, Upstream] = field(default_factory=dict)
    limits: ProxyLimits = field(default_factory=ProxyLimits)
    connections: ConnectionRules = field(default_factory=ConnectionRules)
    environment: Mapping[str, str] = field(default_factory=dict)
    sticky: Stickiness | None = None
    refusal: Refusal | None = None
    plugins: Sequence[PluginSource] = ()
    keys: bool = False
    budgeted: bool = False
    members: Mapping[str, ProxyPlan] = field(default_factory=dict)
    host: str = HOST
    earlier_tokens: Sequence[str] = ()

    @property
    def several_accounts(self) -> bool:
        """Whether it matters which key has made what a provider keeps."""
        return len(self.upstreams) > 1 or any(len(one.keys) > 1 for one in self.upstreams.values())
