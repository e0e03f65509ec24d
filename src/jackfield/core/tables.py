"""The kernel's own settings tables. Plugins bring theirs (`Plugin.settings`)."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from jackfield.api.admission.settings import ConnectionSettings
from jackfield.api.asgi import AREAS
from jackfield.api.binary import BinarySettings
from jackfield.api.hosts import ROLES, Role
from jackfield.api.process_containers import ContainerSettings
from jackfield.api.settings import SettingsTable

EVERY = "*"
_COUNT = "credentials that count there by a public host: session, jwt, api_key, basic, or a plugin's; `*`: all."


class KernelTable(BaseModel):
    """Base of the kernel's tables: an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class ServerSettings(KernelTable):
    """`[server]`"""

    host: str = Field("127.0.0.1", description="Address to listen on. Anything but loopback needs a user to exist.")
    port: int = Field(8765, ge=1, le=65535, description="TCP port to listen on.")
    name: Literal["auto", "hypercorn", "uvicorn"] = Field(
        "auto",
        description="HTTP server; auto takes uvicorn with httptools where they are installed and fit (extra "
        "`fast`), else Hypercorn.",
        json_schema_extra={"former": {"implementation": "0.3"}},
    )
    loop: Literal["auto", "asyncio", "uvloop"] = Field(
        "auto", description="Event loop; auto takes uvloop where it is installed."
    )
    public_hosts: list[str] = Field(
        default_factory=list,
        description="Host names (with the port, unless it is the scheme's own) under which a reverse proxy serves the "
        "daemon. They reach the areas that `[server.areas]` opens: by default webhooks and /api/v1.",
    )
    public_url: str = Field(
        "", description="Scheme, host and port that webhook URLs are shown with; default: the address listened on."
    )
    trusted_proxies: list[str] = Field(
        default_factory=list, description="Addresses or CIDR ranges of proxies whose X-Forwarded-For counts."
    )
    body_limit: int = Field(
        16 * 1024 * 1024, ge=1024, le=1 << 31, description="Largest body of a management request, in bytes."
    )
    body_memory: int = Field(
        512 * 1024 * 1024,
        ge=1024 * 1024,
        description="Bytes of memory that bodies may take together once they are parsed; further ones get 503. They "
        "are those of all requests, and of the executions that they started, as long as these are in memory. Bodies "
        "below 64 KiB do not count.",
    )
    body_memory_per_execution: int = Field(
        128 * 1024 * 1024,
        ge=1024 * 1024,
        description="Bytes of memory that the body of one request, and so of the execution that it starts, may take "
        "once it is parsed (413 above). It is estimated from the JSON before that: 1 MB of small objects becomes 10 to "
        "25 MB.",
    )
    body_timeout: float = Field(10.0, gt=0, le=3600, description="Time for a management request's body, in seconds.")
    header_limit: int = Field(16 * 1024, ge=4096, le=1 << 20, description="Largest request head, in bytes (431 above).")
    keep_alive: float = Field(75.0, gt=0, le=3600, description="How long an idle connection is kept, in seconds.")
    send_timeout: float = Field(
        20.0,
        ge=1,
        le=3600,
        description="How long a caller may leave unread what it was sent before it is cut off, in seconds (Linux).",
    )
    websocket_send_timeout: float = Field(
        300.0, ge=1, le=3600, description="The same for WebSockets, in seconds (Linux)."
    )
    websocket_compression: bool = Field(
        False,
        description="Whether WebSocket frames are compressed (permessage-deflate) for callers that offer it.",
    )
    backlog: int = Field(512, ge=1, le=65535, description="Connections that may wait to be accepted.")

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: list[str]) -> list[str]:
        return [str(ip_network(item, strict=False)) for item in value]


class AreaSettings(KernelTable):
    """`[server.areas]`"""

    webhooks: list[str] = Field(
        default_factory=lambda: [EVERY],
        description="Public hosts that reach addresses of webhooks, forms, chats and MCP triggers, each of which has "
        "its own authentication; `*`: all of `server.public_hosts`.",
    )
    api: list[str] = Field(
        default_factory=lambda: [EVERY],
        description="Public hosts that reach /api/v1, n8n's public API, /mcp and its OAuth; `*`: all.",
    )
    ui: list[str] = Field(
        default_factory=list,
        description="Public hosts that reach the browser interface, /ws, /docs, /openapi.json and /metrics; `*`: all.",
    )
    agents: list[str] = Field(
        default_factory=list,
        description="Public hosts that reach agents, profiles, proxies' management and terminals; `*`: all.",
    )
    api_methods: list[str] = Field(default_factory=lambda: [EVERY], min_length=1, description=f"Of `api`, the {_COUNT}")
    ui_methods: list[str] = Field(default_factory=lambda: [EVERY], min_length=1, description=f"Of `ui`, the {_COUNT}")
    agents_methods: list[str] = Field(
        default_factory=lambda: [EVERY], min_length=1, description=f"Of `agents`, the {_COUNT}"
    )

    @field_validator(*AREAS)
    @classmethod
    def _names(cls, value: list[str]) -> list[str]:
        for name in value:
            if "/" in name or name.strip() != name or not name:
                raise ValueError(f"{name!r} is no host; write a name such as jackfield.example.com, without https://")
        return [name.lower() for name in value]


class DaemonSettings(KernelTable):
    """`[daemon]`"""

    model_config = ConfigDict(
        json_schema_extra={
            "foreign": {
                "http_port": "the port is server.port",
                "idle_timeout_secs": "the daemon runs until it is stopped",
            }
        }
    )

    roles: list[Role] = Field(
        default_factory=lambda: list(ROLES),
        min_length=1,
        description="Work of this daemon among those that share a store. `ingress`: calls of webhooks, forms and "
        "chats; `flows`: executions; `agents`: profiles, terminals, proxies; `ui`: the browser interface.",
    )
    remote_agents: bool = Field(
        False, description="Whether every area of `[server.areas]` is open to all public hosts."
    )
    workers: int = Field(
        1,
        ge=1,
        le=64,
        description="Processes that take webhook calls and run executions. 1: the daemon's own alone. From 2 on as "
        "many worker processes beside it, which has the store and all the rest; about one for each core (Linux).",
    )
    shutdown_timeout: float = Field(
        30.0, ge=0, le=3600, description="How long a stop waits for requests and runs in flight, in seconds."
    )
    loop_held_ms: int = Field(
        50,
        ge=0,
        le=600_000,
        description="Processor time from which on the log and `jackfield doctor` name the code that holds the event "
        "loop, in ms; 0: never. They name code that waits from 500 ms on.",
    )
    disk_reserve: int = Field(
        1024 * 1024,
        ge=0,
        le=1 << 30,
        description="Room that the configuration directory keeps for a start on a full disk, in bytes; 0: none.",
    )
    memory_reserve: int = Field(
        64 * 1024 * 1024,
        ge=0,
        le=1 << 34,
        description="With a limit of the address space (`ulimit -v`): requests get 503 while less than this is left, "
        "in bytes.",
    )
    trim_interval: float = Field(
        30.0,
        ge=1,
        le=86400,
        description="Time between two returns of freed memory to the system (glibc only), in seconds. The daemon is "
        "idle for as long before it looks for old garbage.",
    )


class PluginsSettings(KernelTable):
    """`[plugins]`"""

    strict: bool = Field(False, description="Whether a plugin that fails to load or start stops the daemon.")
    disabled: list[str] = Field(default_factory=list, description="Names of plugins that are not loaded.")
    overrides: dict[str, str] = Field(
        default_factory=dict,
        description='Things of others that a plugin may replace, such as "node:set" = "my_plugin"; '
        "the report of `jackfield plugins` names the line to write.",
    )
    startup_timeout: float = Field(
        30.0,
        gt=0,
        le=600,
        description="Time for one plugin to be imported, to start or to stop, and for each of its hooks, in seconds.",
    )


class StoreSettings(KernelTable):
    """`[store]`"""

    name: str = Field("sqlite", description="Which store keeps the data.")


class BusSettings(KernelTable):
    """`[bus]`"""

    name: str = Field(
        "memory",
        description="The way in which daemons that share a store hear of changes. `memory`: they look for themselves, "
        "each second; `pg`: over the store's PostgreSQL; `nats`: over NATS.",
    )


class HostsSettings(KernelTable):
    """`[hosts]`"""

    name: str = Field(
        "",
        pattern=r"^([a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?)?$",
        description="Name of this daemon among those that share its store: a to z, digits, dots and hyphens. Default: "
        "the machine's, and four digits for the configuration directory.",
    )
    address: str = Field(
        "",
        pattern=r"^(https?://[^/?#\s]+)?$",
        description="Scheme, host and port where the other daemons reach this one; default: the address listened on, "
        "with the machine's name where that is every address.",
    )
    labels: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._=/-]{0,99}$")]] = Field(
        default_factory=list,
        max_length=50,
        description='Words by which agents choose hosts, such as "gpu" or "zone=eu".',
    )
    lease: float = Field(
        10.0, ge=1, le=3_600, description="Seconds without a renewal after which the others take this daemon for gone."
    )
    renewal_interval: float = Field(
        1.0,
        gt=0,
        le=600,
        description="Seconds between two renewals, which also tell of the others. A quarter of `hosts.lease` at most, "
        "whatever stands here.",
    )
    answer_timeout: float = Field(
        3.0,
        gt=0,
        le=60,
        description="Seconds that another daemon has to say whether it has something, and to give its part of a list.",
    )


class ProjectsSettings(KernelTable):
    """The table `[projects]`."""

    refresh_interval: float = Field(
        2.0,
        ge=0.1,
        le=60,
        description="Seconds after which a daemon at the latest knows of members and projects that another one has "
        "changed, without a bus between them.",
    )
    cached: int = Field(
        10_000, ge=100, description="How many workflows, credentials and others the daemon remembers the projects of."
    )


class EngineSettings(KernelTable):
    """`[engine]`"""

    name: str = Field("embedded", description="Which engine runs executions.")


class LogSettings(KernelTable):
    """`[logs]`"""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least severe level that is kept.")
    max_bytes: int = Field(10 * 1024 * 1024, ge=65536, description="Size at which a log file is rotated, in bytes.")
    backups: int = Field(5, ge=0, le=1000, description="Rotated log files that are kept.")
    queue: int = Field(10_000, ge=100, description="Log lines that may wait to be written; more are counted and lost.")


class CorsSettings(KernelTable):
    """`[security.cors]`"""

    enabled: bool = Field(False, description="Whether pages of other origins may use /api/v1.")
    allowed_origins: list[str] = Field(default_factory=list, description="Exact origins, or * for every one.")
    allowed_methods: list[str] = Field(
        default_factory=lambda: ["GET", "POST", "PUT", "PATCH", "DELETE"], description="Methods that they may use."
    )
    allowed_headers: list[str] = Field(
        default_factory=lambda: ["Content-Type", "Authorization", "X-API-Key", "X-N8N-API-KEY", "If-Match"],
        description="Request headers that they may send.",
    )
    allow_credentials: bool = Field(False, description="Whether they may send cookies; never together with *.")
    max_age: int = Field(600, ge=0, le=86400, description="How long a browser may keep a permission, in seconds.")

    @model_validator(mode="after")
    def _no_credentials_for_all(self) -> CorsSettings:
        if self.enabled and self.allow_credentials and "*" in self.allowed_origins:
            raise ValueError("allow_credentials cannot be used together with the origin *; name the origins")
        return self


class RateLimitSettings(KernelTable):
    """`[security.rate_limit]`"""

    enabled: bool = Field(False, description="Whether /api/v1 is limited per client address.")
    requests: int = Field(600, ge=1, le=1_000_000, description="Requests per window.")
    window: int = Field(60, ge=1, le=86400, description="Length of the sliding window, in seconds.")


class AuthSettings(KernelTable):
    """`[security.auth]`"""

    body_limit: int = Field(
        1024 * 1024,
        ge=0,
        le=1 << 28,
        description="Largest body that is read to authenticate its request, in bytes. Only plugins' methods that "
        "verify signatures of bodies read one.",
    )


CORE_TABLES = (
    SettingsTable("server", ServerSettings),
    SettingsTable("server.connections", ConnectionSettings),
    SettingsTable("server.areas", AreaSettings),
    SettingsTable("daemon", DaemonSettings),
    SettingsTable("plugins", PluginsSettings),
    SettingsTable("store", StoreSettings),
    SettingsTable("binary", BinarySettings),
    SettingsTable("engine", EngineSettings),
    SettingsTable("bus", BusSettings),
    SettingsTable("hosts", HostsSettings),
    SettingsTable("projects", ProjectsSettings),
    SettingsTable("containers", ContainerSettings),
    SettingsTable("logs", LogSettings),
    SettingsTable("security.auth", AuthSettings),
    SettingsTable("security.cors", CorsSettings),
    SettingsTable("security.rate_limit", RateLimitSettings),
)
