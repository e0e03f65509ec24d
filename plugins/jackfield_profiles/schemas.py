"""Bodies of `/api/profiles`, in and out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints

from jackfield.api.schemas import Schema
from jackfield_profiles.mcp_servers import RemoteServer, ServerName, StdioServer

Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Model = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]*$")]
Variable = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^=\x00]*$")]
Text = Annotated[str, StringConstraints(max_length=131_072, pattern=r"^[^\x00]*$")]
Path = Annotated[str, StringConstraints(min_length=1, max_length=4096, pattern=r"^(/|~)[^\x00]*$")]
Environment = Annotated[dict[Variable, Text], Field(max_length=1000)]
Arguments = Annotated[list[Text], Field(max_length=1000)]
Sandbox = Literal["off", "standard", "strict"]
Approvals = Literal["inbox"]
LIMITS = "The limits of each of its runs and sessions; null: as the table [containers] says. It is replaced whole."
HOOKS = (
    "Event -> list of {matcher, hooks: [{type: command, command, timeout}]}; timeout is in seconds, 1 to 3600. "
    "Only for agents with hooks."
)
PERSIST = "Whether its terminal sessions survive the daemon; null: as terminal.persist says."
DAEMON_TOOLS = "Tools of this daemon for its agent. Default: the workflows that are offered as tools."
ANSWERS = (
    "The answers of its terminal sessions to dialogs of the agent: trusting (of the profile's own working directory) "
    "yes, asking (a permission) yes or no. Null or absent: they are reported and left to the caller. It is replaced "
    "whole."
)
APPROVALS = (
    "Where its runs and terminal sessions ask for permissions: inbox, the list of approvals; null: as the agent does "
    "by itself. Only for agents whose manifest has supports_approvals."
)
PROXY = "The profile's proxy: {enabled, port, routing: {strategy, rules}, model_aliases}; null removes it."


SERVERS = (
    "Its own MCP servers: name -> {command, args, env} or {url, type: http or sse, headers}. The value false: one of "
    "all profiles that this one is not to have. Stored in the clear. It is replaced whole."
)
Servers = Annotated[dict[ServerName, StdioServer | RemoteServer | Literal[False]], Field(max_length=100)]


class _Input(Schema):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class LimitsBody(Schema):
    """The resources that all processes of one run may take together."""

    model_config = ConfigDict(extra="forbid", strict=True)

    memory: int | None = Field(None, ge=1 << 20, le=1 << 50, description="Bytes.")
    processes: int | None = Field(None, ge=1, le=1_000_000, description="How many there may be.")
    cpu: float | None = Field(None, ge=0.01, le=4096, description="Processors.", allow_inf_nan=False)


class AnswersBody(Schema):
    """To dialogs that the agent's manifest knows."""

    model_config = ConfigDict(extra="forbid", strict=True)

    trusting: Literal["yes"] | None = Field(None, description="Whether the profile's working directory is trusted.")
    asking: Literal["yes", "no"] | None = Field(None, description="Every permission that the agent asks for.")


ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class DaemonToolsBody(_Input):
    """The MCP tools of the daemon that the profile's agent reaches, by a token of each run."""

    tools: list[ToolName] = Field(
        default_factory=list, description="Names of MCP tools of the daemon, such as run_workflow.", max_length=100
    )
    offered: bool = Field(True, description="Whether it has the workflows that are offered as tools.")
    without: list[ToolName] = Field(
        default_factory=list, description="Names of offered tools that it does not have.", max_length=100
    )


class ProfilePresets(_Input):
    """The fields that a template may give a new profile."""

    endpoint_id: Name | None = Field(None, description="Default: the provider's.")
    model: Model | None = Field(None, description="Default: the provider's, then the agent's.")
    env: Environment = Field(default_factory=dict, description="Variables for the agent, stored in the clear.")
    args: Arguments = Field(default_factory=list)
    working_dir: Path | None = Field(None, description="Default: the profile's home.")
    hooks_config: dict[str, JsonValue] = Field(default_factory=dict, description=HOOKS)
    mcp_servers: Servers = Field(default_factory=dict, description=SERVERS)
    proxy_config: dict[str, JsonValue] | None = Field(None, description=PROXY)
    sandbox: Sandbox = "off"
    limits: LimitsBody | None = Field(None, description=LIMITS)
    persist: bool | None = Field(None, description=PERSIST)
    answers: AnswersBody | None = Field(None, description=ANSWERS)
    daemon_tools: DaemonToolsBody | None = Field(None, description=DAEMON_TOOLS)
    approvals: Approvals | None = Field(None, description=APPROVALS)


class ProfileBody(ProfilePresets):
    """A new profile."""

    agent_id: Name
    alias: str = Field(description="Letters, digits, _ and -, the first a letter or a digit; at most 64.")
    provider_id: Name = Field(description="The template may give it instead.")
    template: Name | None = Field(None, description="Gives the fields that are not named here.")
    api_key: str | None = Field(None, description="Never given back.", json_schema_extra={"writeOnly": True})
    allow_missing: bool = Field(False, description="Whether the agent need not be installed.")
    shim: bool = Field(False, description="Whether a command of the profile's name is installed.")


class ProfileChange(_Input):
    """A field that is not named stays. env, args, hooks_config and proxy_config are replaced whole."""

    endpoint_id: Name | None = Field(None, description="null: the provider's default.")
    model: Model | None = Field(None, description="null: the default.")
    env: Environment = Field(default_factory=dict, description="A value *** keeps the stored one.")
    args: Arguments = Field(default_factory=list)
    working_dir: Path | None = Field(None, description="null: the profile's home.")
    api_key: str | None = Field(
        None, description="null removes the profile's own key.", json_schema_extra={"writeOnly": True}
    )
    hooks_config: dict[str, JsonValue] = Field(default_factory=dict, description=HOOKS)
    mcp_servers: Servers = Field(default_factory=dict, description=SERVERS + " A value *** keeps the stored one.")
    proxy_config: dict[str, JsonValue] | None = Field(None, description=PROXY)
    sandbox: Sandbox = "off"
    limits: LimitsBody | None = Field(None, description=LIMITS)
    persist: bool | None = Field(None, description=PERSIST)
    answers: AnswersBody | None = Field(None, description=ANSWERS)
    daemon_tools: DaemonToolsBody | None = Field(None, description=DAEMON_TOOLS)
    approvals: Approvals | None = Field(None, description=APPROVALS)


class ListQuery(Schema):
    model_config = ConfigDict(extra="ignore")

    agent: str | None = Field(None, description="Only profiles of this agent.")


class ProviderKeySource(Schema):
    source: Literal["stored", "environment"] | None = Field(
        description="stored: put here; environment: in the daemon's variable; null: there is none."
    )


class ProviderKeyShown(Schema):
    success: Literal[True]
    data: ProviderKeySource


class ProfileItem(Schema):
    alias: str
    agent_id: str
    provider_id: str
    endpoint_id: str
    model: str
    last_used: str | None
    host: str | None = Field(None, description="In a list that is joined over hosts: the host that has it.")


class ProfileDetail(ProfileItem):
    created_at: str | None
    profile_home: str
    env: dict[str, str] = Field(description="A value that looks secret is ***.")
    args: list[str]
    working_dir: str | None
    sandbox: Sandbox
    limits: LimitsBody
    persist: bool | None = Field(description=PERSIST)
    answers: AnswersBody = Field(description=ANSWERS)
    daemon_tools: DaemonToolsBody = Field(description=DAEMON_TOOLS)
    approvals: Approvals | None = Field(description=APPROVALS)
    hooks_config: dict[str, JsonValue]
    mcp_servers: dict[str, JsonValue] = Field(description="Values of env and headers are ***.")
    proxy_config: dict[str, JsonValue] | None
    warning: str | None = Field(None, description="Of a change: it was made, and something else is wrong.")
    has_key: bool = Field(description="Whether it has its own key.")


class ProfileList(Schema):
    success: Literal[True]
    data: list[ProfileItem]
    warnings: list[str] | None = None
    missing_hosts: list[str] | None = Field(None, description="Hosts that did not answer.")


class ProfileShown(Schema):
    success: Literal[True]
    data: ProfileDetail


class Created(Schema):
    alias: str
    message: str
    warning: str | None = None


class CreatedShown(Schema):
    success: Literal[True]
    data: Created


class MessageShown(Schema):
    success: Literal[True]
    data: dict[str, str]
    warnings: list[str] | None = None


class RemovalShown(Schema):
    """`file`: of the profile. `key`: whether its own key is removed. `shim`: its command. `home`: the directory that is
    removed. `home_kept`: why it stays, where its removal was asked for. `sessions`: live ones that are ended. `proxy`:
    whether an enabled one is stopped. `hooks`: commands that are run first.
    """

    file: str
    key: bool
    shim: str | None
    home: str | None
    home_kept: str | None
    sessions: int
    proxy: bool
    hooks: list[str]


class DeletionShown(Schema):
    success: Literal[True]
    data: RemovalShown


class EnvironmentShown(Schema):
    success: Literal[True]
    data: dict[str, str]


class HooksShown(Schema):
    success: Literal[True]
    data: dict[str, JsonValue]


class ProxyErrorShown(Schema):
    """time: ISO 8601. status: that the agent got."""

    time: str
    status: int
    message: str
    provider: str | None
    model: str | None
    attempts: int


class RunResult(Schema):
    """`success`: it ended by itself, with exit code 0. `usage`: null where nothing tells it. `proxy_error`: the last
    request of the run that the profile's proxy could not serve. `output_cut`, `errors_cut`: bytes of the beginning that
    were not kept, since there was more than `profiles.run.output_limit`.
    """

    success: bool
    exit_code: int
    output: str
    errors: str
    timed_out: bool
    duration_ms: int
    result: str | None = None
    session: str | None = None
    data: JsonValue = None
    usage: dict[str, JsonValue] | None = None
    proxy_error: ProxyErrorShown | None = None
    output_cut: int = 0
    errors_cut: int = 0


class ProfileRunShown(Schema):
    """success: false for a run that was stopped at its time limit; `error` and `code` (`RUN_TIMED_OUT`) say so."""

    success: bool
    data: RunResult
    error: str | None = None
    code: str | None = None
