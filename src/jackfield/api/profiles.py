"""Profiles: an agent bound to a provider, an endpoint and a model, with its own home.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

from .errors import AccessDenied, Conflict, InvalidInput, JackfieldError, NotFound
from .hosts import HostResources, Place
from .jsontext import Json
from .process_containers import ProcessLimits
from .proxy import ProxyFailure
from .records import record, replace
from .tool_scopes import ToolScope
from .tracing import OpenSpan
from .usage import RunUsage

if TYPE_CHECKING:
    from .context import PluginContext

Sandbox: TypeAlias = Literal["off", "standard", "strict"]
INBOX = "inbox"
"""Of `Profile.approvals`: what the agent would ask its user is asked in the inbox of approvals."""
NOT_STARTED = 127
"""Exit code of a run whose agent could not be started, as a shell gives it."""
RunKind: TypeAlias = Literal["profile_run", "terminal_session", "agent_session", "workflow", "shell"]
"""shell: a terminal session without an agent. It has no stored profile, no usage and no hooks."""


@record
class Profile:
    """One stored profile; times are ISO 8601 UTC. metadata: as stored, with what is unknown here."""

    alias: str
    agent_id: str
    provider_id: str
    endpoint_id: str
    model: str
    env: Mapping[str, str] = field(default_factory=dict)
    args: Sequence[str] = ()
    working_dir: str | None = None
    sandbox: Sandbox = "off"
    limits: ProcessLimits = ProcessLimits()
    metadata: Mapping[str, Json] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return Path(str(self.metadata["profile_home"]))

    @property
    def proxy_config(self) -> Mapping[str, Json] | None:
        """The stored proxy configuration; None when there is none."""
        found = self.metadata.get("proxy_config")
        return found if isinstance(found, dict) else None

    @property
    def approvals(self) -> str | None:
        """Where its runs and terminal sessions ask for permissions: `INBOX`; None: as the agent by itself does."""
        return INBOX if self.metadata.get("approvals") == INBOX else None

    @property
    def proxy_enabled(self) -> bool:
        return bool((self.proxy_config or {}).get("enabled"))


@record
class LaunchRequest:
    """How a profile is to be run.

    `args`: after the profile's and the script's own. `leading`: before them. `prompt`: headless, else None.
    `working_dir`: before the profile's. `resume`: the agent's own name of the session that goes on. `tools`: what its
    token reaches of the daemon's MCP tools; None: what the profile says. `execution_id`: of the workflow that starts it
    here. `depth`: how many executions stand above it.
    """

    kind: RunKind
    args: Sequence[str] = ()
    prompt: str | None = None
    working_dir: str | None = None
    resume: str | None = None
    leading: Sequence[str] = ()
    tools: ToolScope | None = None
    execution_id: str = ""
    depth: int = 0


@record
class Launch:
    """A prepared start: what the operating system is given, and what belongs to the run's end. argv[0] is the binary's
    path. `env`: the whole environment, secrets in it. `stdin`: what a headless agent reads. `secrets`: values that must
    not be shown. `session`: the tool's own name of the run's session, once it is known. `alone`: no other run of the
    profile has been going on meanwhile, so that all of its log in this time is the run's. `execution_id`: of the
    workflow that has started it at this host; empty: none, or it is not known here.
    """

    run_id: str
    profile: Profile
    kind: RunKind
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    started_ms: int
    stdin: bytes | None = None
    secrets: Sequence[str] = ()
    session: str | None = None
    alone: bool = True
    execution_id: str = ""
    span: OpenSpan | None = None
    """Of the run; its environment names it. None: nothing is traced."""


def with_least_sandbox(launch: Launch, least: Sandbox) -> Launch:
    """The same in this sandbox, unless the profile's is stricter."""
    return replace(launch, profile=replace(launch.profile, sandbox=stricter(launch.profile.sandbox, least)))


def stricter(one: Sandbox, other: Sandbox) -> Sandbox:
    """That of the two which lets through less."""
    return max(one, other, key=get_args(Sandbox).index)


def require_sandbox(sandbox: Sandbox, least: Sandbox, setting: str) -> None:
    """For callers from the network, who must not act in a session that lets through more than one of theirs would.

    `sandbox`: of the session. `setting`: its name, which says `least`. Raises `AccessDenied` (code
    `SESSION_NOT_SANDBOXED`).
    """
    if stricter(sandbox, least) != sandbox:
        raise AccessDenied(
            f"The session has the sandbox {sandbox}, and a caller from the network needs {least}. "
            f"Start a session of your own, call from the daemon's machine without a proxy, or lower {setting}.",
            code="SESSION_NOT_SANDBOXED",
        )


@record
class ShellRequest:
    """`program`: absolute path of the shell; None: the user's own.

    `working_dir`: None: the home. `sandbox`: other than `off`, the shell has its own home, since the user's is hidden
    from it.
    """

    program: str | None = None
    working_dir: str | None = None
    sandbox: Sandbox = "off"


@record
class HeadlessRequest:
    """`prompt`: None when `args` say all.

    `timeout`: seconds; None: `profiles.run.timeout`. `key`: the same for the same work; None: the run begins anew. A
    crash or a stop of the daemon may interrupt a run. It goes on with its agent's session when you ask for it again
    with its key. `sandbox`: the least that it has, whatever its profile says. `tools`: see `LaunchRequest`.
    `execution_id`: of the workflow that starts it. `depth`: how many executions stand above it.
    """

    prompt: str | None = None
    args: Sequence[str] = ()
    timeout: float | None = None
    working_dir: str | None = None
    kind: RunKind = "profile_run"
    key: str | None = None
    sandbox: Sandbox = "off"
    tools: ToolScope | None = None
    execution_id: str = ""
    depth: int = 0


@record
class HeadlessResult:
    """`exit_code`: 128+n for a signal.

    `output`, `errors`: what was printed, UTF-8 with replacement, the last `profiles.run.output_limit` bytes of each.
    `result`: the answer, where the agent's manifest says how to find it. `data`: its JSON output parsed, where it gives
    any. `usage`: None where nothing tells it. `proxy_error`: the last request of the run that its proxy could not
    serve. `output_cut`, `errors_cut`: bytes of the beginning of each that were not kept.
    """

    exit_code: int
    output: str
    errors: str
    timed_out: bool
    duration_ms: int
    result: str | None = None
    session: str | None = None
    data: Json = None
    usage: RunUsage | None = None
    proxy_error: ProxyFailure | None = None
    output_cut: int = 0
    errors_cut: int = 0

    @property
    def success(self) -> bool:
        """It ended by itself, with 0."""
        return self.exit_code == 0 and not self.timed_out


class Profiles(Protocol):
    """The port; a plugin names it in `provides`."""

    async def all(self) -> Sequence[Profile]:
        """Every readable one, by alias."""

    async def find(self, alias: str) -> Profile:
        """Raises `NotFound` (code `PROFILE_NOT_FOUND`)."""

    async def with_proxy_config(self, alias: str, config: Mapping[str, Json]) -> Profile:
        """The profile as it would be with this configuration of its proxy; nothing is stored. Raises `NotFound`,
        `InvalidInput` that names the field."""

    async def check_proxy_config(self, alias: str, config: Mapping[str, Json]) -> Profile:
        """As `save_proxy_config`, and nothing is stored: the profile as it would be."""

    async def save_proxy_config(self, alias: str, config: Mapping[str, Json] | None) -> Profile:
        """Store the proxy's configuration. Raises `NotFound`."""

    async def key(self, profile: Profile) -> str | None:
        """The profile's provider key: its own, else the daemon's environment's; None: there is none. It may go to the
        profile's own provider only."""

    async def provider_key(self, provider_id: str) -> str | None:
        """The key of a provider that is not a profile's own: stored for the provider, else from its `env_key`."""

    async def prepare(self, alias: str, request: LaunchRequest) -> Launch:
        """Write the generated configuration, run the agent's `pre_run` hooks, and give what is to be started. Raises
        `NotFound`, `InvalidInput` (agent not installed, no key, bad directory), `JackfieldError` (a script or hook
        failed)."""

    async def ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        """After the agent has ended: `post_run` hooks, the usage of the run and its line in the log of sessions."""

    async def run(self, alias: str, request: HeadlessRequest) -> HeadlessResult:
        """Prepare, run without a terminal, end. Cancelled, it returns when no process of the
        run is left."""

    def warnings(self) -> Sequence[str]:
        """One sentence for each stored profile that cannot be read, as of the last look."""


async def has_profile(profiles: Profiles, alias: str) -> bool:
    """Whether this host has the profile, damaged or not."""
    try:
        await profiles.find(alias)
    except NotFound:
        return False
    except Conflict:
        return True
    return True


def profile_resources(
    context: PluginContext,
    *,
    paths: Sequence[str] = (),
    words: Collection[str] = (),
    lists: Sequence[str] = (),
    starts: Mapping[str, str] | None = None,
    places: Mapping[str, Place] | None = None,
    makes: Mapping[str, str] | None = None,
) -> HostResources:
    """The resources that profiles name, for `jackfield_host_resources`; see `HostResources`."""

    async def has(alias: str) -> bool:
        found = context.find_port(Profiles)
        return found is not None and await has_profile(found, alias)

    return HostResources("profile", has, paths, words, lists, starts or {}, places=places or {}, makes=makes or {})


class ProviderKeys(Protocol):
    """The port: keys that are stored for providers, each under the provider's id."""

    async def remove_provider_key(self, provider_id: str) -> None:
        """A key that is not there counts as removed.

        Raises `JackfieldError` when the keyring must be used and does not answer.
        """


class Shells(Protocol):
    """The port: the user's shell, as profiles' agents are prepared."""

    async def prepare(self, request: ShellRequest) -> Launch:
        """A login shell with the environment that agents inherit; its profile has no alias. Raises `InvalidInput` that
        names the field (`shell`, `working_dir`)."""


@asynccontextmanager
async def starting(profiles: Profiles, launch: Launch) -> AsyncIterator[AsyncExitStack]:
    """Where the agent of a prepared launch is started. When that fails, what was pushed on the stack is undone and the
    launch has ended. Raises `JackfieldError` (code `START_FAILED`) for an `OSError`, `InvalidInput` for a
    `ValueError`."""
    async with AsyncExitStack() as undo:
        undo.push_async_callback(profiles.ended, launch, NOT_STARTED)
        try:
            yield undo
        except OSError as exc:
            raise JackfieldError(f"The agent cannot be started: {exc.strerror}.", code="START_FAILED") from exc
        except ValueError as exc:  # a NUL in an argument or in the environment
            raise InvalidInput("An argument or variable has a character that no program can be given.") from exc
        undo.pop_all()
