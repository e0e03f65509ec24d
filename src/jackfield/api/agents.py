"""Command-line coding agents: how each is found, kept apart, configured and run without a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from .agent_screens import ScreenLooks
from .extensions import ExtensionPoint
from .jsontext import Json
from .manifests import Manifest
from .providers import DialectName
from .records import record

if TYPE_CHECKING:
    from .profiles import Launch, Profile


McpTransport: TypeAlias = Literal["stdio", "http", "sse"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True, defer_build=True)


class Detect(_Part):
    """commands: each is run, 5 s at most; one that succeeds means installed. files: any that exists means installed."""

    commands: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Isolation(_Part):
    """`strategy`: `home-wrapper`, HOME is the profile's own directory.

    `source_home`: its path, with `{alias}` and a leading `~`. `script`: of the folder `scripts`, generates
    configuration. `env`: variables by which the tool itself is moved, `{home}` stands for the profile's home:
    `CLAUDE_CONFIG_DIR = "{home}/.claude"`.
    """

    strategy: Literal["home-wrapper"] = "home-wrapper"
    source_home: str = ""
    script: str | None = None
    env: Mapping[str, str] = Field(default_factory=dict)


class AgentModels(_Part):
    default: str | None = None
    supported: tuple[str, ...] = ()


class LifecycleHooks(_Part):
    """Commands for `/bin/sh -c` in the profile's home and environment."""

    create: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    pre_run: tuple[str, ...] = ()
    post_run: tuple[str, ...] = ()


class Resume(_Part):
    """How the agent goes on with its own session that was interrupted.

    `args`: in place of `headless.args`, `{session}` stands for the session, `{prompt}` and `{model}` as there. A new
    name of a session is not given. `prompt`: the text that it gets instead of the prompt, which its session has.
    `exists`: a pattern of files (`*` and `**`), of which one is there when the session can be resumed. `{home}` and
    `{session}` stand in it; None: a session that was named in the output can.
    """

    args: tuple[str, ...] = Field(min_length=1)
    prompt: str = Field(
        "The computer stopped while you were at work. Look at how far you came, go on from there, and finish the task.",
        min_length=1,
    )
    exists: str | None = None


class Headless(_Part):
    """How the agent answers one prompt and ends.

    `args`: in place of the interactive ones, `{prompt}` stands for the prompt and `{model}` for the model; without
    `{prompt}` the prompt goes to standard input. `output`: `text`, one `json` object, or `json-lines`. `result`: dotted
    path of the answer's text in the object or, for lines, in the last line that has it. `session`: the same for the
    session's id. `session_args`: what gives the tool a session of our naming, `{session}` stands for a new UUID. Left
    out when the profile or the caller gives one of the options session_unless, which choose a session by themselves.
    `resume`: None: an interrupted run begins anew.
    """

    args: tuple[str, ...]
    output: Literal["text", "json", "json-lines"] = "text"
    result: str | None = None
    session: str | None = None
    session_args: tuple[str, ...] = ()
    session_unless: tuple[str, ...] = ()
    resume: Resume | None = None


class OwnProtocol(_Part):
    """How the agent is spoken to in its own protocol (docs/agent-sessions.md).

    `name`: of an `AgentProtocol`. `args`: what makes it speak that, before the profile's arguments. `resume_args`:
    behind them where a session goes on, `{session}` stands for it; empty: the protocol itself says it. `trust_args`:
    behind them where the agent may use the tools of an MCP server, `{server}`, without asking. Empty: it asks, or needs
    no argument for it. `options`: what else the protocol's beginning says, as the protocol documents it.
    """

    name: str = Field(min_length=1)
    args: tuple[str, ...] = ()
    resume_args: tuple[str, ...] = ()
    trust_args: tuple[str, ...] = ()
    options: Mapping[str, JsonValue] = Field(default_factory=dict)


class Install(_Part):
    """How one gets the tool: shown, never run. command: one line for a shell. homepage: of the tool or its maker."""

    command: str | None = Field(None, max_length=1_000, pattern=r"^[^\x00-\x1f\x7f-\x9f]+$")
    homepage: str | None = Field(None, max_length=1_000, pattern=r"^https?://[^\s\x00-\x1f\x7f-\x9f]+$")


class UsageLog(_Part):
    """reader: name of a `UsageReader`. directory: of the tool's data, `{home}` stands for the profile's home."""

    reader: str
    directory: str


class SetupTask(_Part):
    """A command for `/bin/sh -c` that a person has run once in a profile's home and environment: `jackfield env
    setup`."""

    description: str = ""
    command: str = Field(min_length=1)


class Agent(Manifest):
    """One agent.

    `dialect`: of the providers that it can use by itself; None: any. `mcp`: transports of the MCP servers that its
    script writes; None: nothing is said of them, and its script gets all. `supports_approvals`: whether it is started
    so that it asks in the inbox of approvals, where a profile wants that. `screen`: how its terminal looks; None: it
    counts as waiting when nothing changes.
    """

    binary: str = Field(min_length=1)
    version_flag: str = "--version"
    detect: Detect = Detect()
    profile: Isolation = Isolation()
    models: AgentModels = AgentModels()
    hooks: LifecycleHooks = LifecycleHooks()
    setup_tasks: Mapping[str, SetupTask] = Field(default_factory=dict)
    supports_hooks: bool = False
    supports_approvals: bool = False
    mcp: tuple[McpTransport, ...] | None = None
    dialect: DialectName | None = None
    headless: Headless | None = None
    protocol: OwnProtocol | None = None
    usage: UsageLog | None = None
    install: Install | None = None
    screen: ScreenLooks | None = None

    def untaken_servers(self, servers: Mapping[str, Json]) -> list[str]:
        """The names of those of a profile's MCP servers that it cannot have; `false`, switched off, is none."""
        known = self.mcp
        if known is None:
            return []
        return [name for name, one in servers.items() if isinstance(one, dict) and _transport(one) not in known]


def _transport(server: Mapping[str, Json]) -> Json:
    return "stdio" if "command" in server else server.get("type") or "http"


@record
class Detection:
    """An installation on this machine. `version`: the first dotted number that the tool prints."""

    installed: bool
    version: str | None = None
    binary_path: str | None = None


class Agents(Protocol):
    """The port; a plugin names it in `provides`."""

    async def all(self) -> Mapping[str, Agent]: ...

    async def find(self, id: str) -> Agent:
        """Raises `NotFound` (code `AGENT_NOT_FOUND`)."""

    async def detect(self, agent: Agent) -> Detection:
        """From the cache unless the binary has changed since. A program that is there and has not told its version in
        time (`agents.detection_wait`) counts as installed."""

    async def located(self, agent: Agent) -> Detection:
        """As `detect`, without waiting for a program."""

    async def detect_all(self, *, again: bool = False) -> Mapping[str, Detection]:
        """All of them, in parallel. again: every program is asked, whatever the cache says."""

    def warnings(self) -> Sequence[str]:
        """Broken files, as `Manifests.warnings`."""


class AgentAdapter(Protocol):
    """The behavior of an agent that no manifest can describe (`jackfield_agents`)."""

    agent_id: str

    async def adjust(self, launch: Launch, profile: Profile) -> Launch:
        """The last word on how the agent is started. Raises `JackfieldError` to refuse the start."""


AGENT_ADAPTERS = ExtensionPoint("jackfield_agents", AgentAdapter, "agent_id")
