"""The services of the plugin, as its own modules ask for them.

The first use makes the implementation of a service: a start needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from jackfield.api.jsontext import Json
from jackfield.api.profiles import HeadlessRequest, HeadlessResult, Launch, LaunchRequest, Profile, Sandbox
from jackfield.api.records import record
from jackfield.api.usage import RunUsage

if TYPE_CHECKING:
    from jackfield.api.agents import Agent
    from jackfield.api.providers import Provider

HooksDocument: TypeAlias = dict[str, Json]
"""`hooks_config`: event -> list of what is run."""


@record
class NewProfile:
    """The fields of a new profile; see `schemas.ProfileBody`."""

    agent_id: str
    alias: str
    provider_id: str
    endpoint_id: str | None = None
    model: str | None = None
    api_key: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    args: Sequence[str] = ()
    working_dir: str | None = None
    hooks_config: Mapping[str, Json] = field(default_factory=dict)
    mcp_servers: Mapping[str, Json] = field(default_factory=dict)
    proxy_config: Mapping[str, Json] | None = None
    sandbox: Sandbox = "off"
    limits: Mapping[str, Json] | None = None
    persist: bool | None = None
    answers: Mapping[str, Json] | None = None
    daemon_tools: Mapping[str, Json] | None = None
    approvals: str | None = None
    allow_missing: bool = False
    shim: bool = False


@record
class Written:
    """A profile as it was stored. warnings: sentences for whoever asked."""

    profile: Profile
    warnings: Sequence[str] = ()


@record
class Promised:
    """Agents and providers, by id, that are not here yet and come before the profile is made."""

    agents: Mapping[str, Agent] = field(default_factory=dict)
    providers: Mapping[str, Provider] = field(default_factory=dict)


class ProfileCreation(Protocol):
    """Makes profiles. A creation that fails leaves nothing."""

    async def create(self, asked: NewProfile) -> Written:
        """Raises `NotFound` (agent, provider), `InvalidInput`, `Conflict` (the alias is taken), and what a hook
        failed with."""

    async def create_from(self, body: Json) -> Written:
        """The same from a body in the form of `schemas.ProfileBody`."""

    async def check_from(self, body: Json, promised: Promised | None = None) -> Sequence[str]:
        """The warnings that a creation would give; nothing is made. Raises as `create`, but for what a hook does."""


class ProfileChanges(Protocol):
    """Changes stored profiles. A field that is not named stays."""

    async def change(self, alias: str, asked: Mapping[str, Json]) -> Written:
        """asked: fields of `schemas.ProfileChange` that were given. Raises `NotFound`, `InvalidInput`, `Conflict`;
        then nothing has changed."""

    async def change_from(self, alias: str, body: Json) -> Written:
        """The same from a body in the form of `schemas.ProfileChange`."""

    async def check_from(self, alias: str, body: Json) -> Sequence[str]:
        """The warnings that the change would give; nothing is changed. Raises as `change`."""

    async def set_proxy(self, alias: str, config: Mapping[str, Json] | None) -> Profile:
        """Raises as `change`."""

    async def with_proxy(self, alias: str, config: Mapping[str, Json]) -> Profile:
        """As it would be with this configuration; nothing is stored. Raises `NotFound`, `InvalidInput`."""

    async def check_proxy(self, alias: str, config: Mapping[str, Json]) -> Profile:
        """The same, and what `set_proxy` raises."""

    async def change_hooks(self, alias: str, change: Callable[[HooksDocument], None]) -> HooksDocument:
        """Let `change` alter the hooks as they are now; the result is checked. Raises as `change`."""

    async def check_hooks(self, alias: str, change: Callable[[HooksDocument], None]) -> HooksDocument:
        """The hooks as they would be; nothing is stored. Raises as `change`."""


@record
class PlannedRemoval:
    """The things that a deletion removes.

    `file`: of the profile. `key`: whether it has its own one. `shim`: its command. `home`: None: it stays. `home_kept`:
    why, where it was asked for. `sessions`: live ones, which are ended. `proxy`: whether there is an enabled one, which
    is stopped. `hooks`: commands of the agent that are run first.
    """

    file: Path
    key: bool
    shim: Path | None
    home: Path | None
    home_kept: str | None
    sessions: int
    proxy: bool
    hooks: Sequence[str]


class ProfileRemoval(Protocol):
    """Deletes profiles, and what crashes have left of them."""

    async def plan(self, alias: str, *, purge: bool, force: bool) -> PlannedRemoval:
        """The things that `delete` would remove; nothing is done. Raises as `delete`."""

    async def delete(self, alias: str, *, purge: bool, force: bool) -> Sequence[str]:
        """Gives what could not be removed, in sentences. Raises `NotFound`; `Conflict` with a live session or a damaged
        file, unless forced; and what a `delete` hook failed with, unless forced."""

    async def sweep(self) -> int:
        """Remove keys whose profile is gone; how many."""


class ProfileLaunching(Protocol):
    """Prepares and ends runs of agents."""

    async def environment(self, profile: Profile, *, secrets: bool = False) -> Mapping[str, str]:
        """The variables that the agent would run with, sorted. secrets: as they are, else masked.

        Raises `NotFound`, `InvalidInput`, `JackfieldError` (the script failed).
        """

    async def require_configurable(self, profile: Profile, agent: Agent, provider: Provider) -> None:
        """Raises `InvalidInput` when the agent's script refuses such a profile."""

    async def prepare(self, profile: Profile, request: LaunchRequest) -> Launch:
        """See `jackfield.api.profiles.Profiles.prepare`."""

    async def ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        """See `jackfield.api.profiles.Profiles.ended`."""

    async def given_up(self, launch: Launch) -> None:
        """A prepared agent was not started: its token counts no more, and nobody learns of a run."""

    async def completed(self, launch: Launch, exit_code: int) -> None:
        """The first half of `ended`: `post_run` hooks and the event."""

    async def recorded(self, launch: Launch, exit_code: int) -> RunUsage | None:
        """The second half of `ended`: the usage."""

    def started(self, launch: Launch, pid: int) -> None:
        """Tell who listens."""

    async def lifecycle(self, profile: Profile, when: Literal["create", "delete"]) -> None:
        """Run the agent's commands for it. Raises `JackfieldError` when creating fails."""


class HeadlessRuns(Protocol):
    """Runs agents without a terminal. busy: runs that go on here, or wait for their turn."""

    busy: int

    async def run(self, profile: Profile, request: HeadlessRequest) -> HeadlessResult:
        """See `jackfield.api.profiles.Profiles.run`."""

    async def settled(self, alias: str) -> None:
        """Wait until no run of the profile goes on or waits for its turn. Each has its own time limit."""
