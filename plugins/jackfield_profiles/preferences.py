"""The tables `hooks`, `mcp_servers` and `custom` of config.toml: what a person wants in every generated configuration.

Scripts see them as `ctx.prefs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from jackfield_profiles.mcp_servers import Server, ServerName, of_profile, shared, taken

if TYPE_CHECKING:
    from jackfield.api.agents import Agent
    from jackfield.api.context import PluginContext
    from jackfield.api.jsontext import Json
    from jackfield.api.profiles import Profile

GITHUB_TOKEN = "${GITHUB_TOKEN}"  # noqa: S105 - the place of a token, not one
"""The text that scripts see and write in place of `mcp_servers.github_token`."""


class HookPreference(BaseModel):
    """A hook for all profiles whose agent knows hooks."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    matcher: str = "*"
    type: Literal["command"] = "command"
    command: Annotated[str, StringConstraints(min_length=1)]
    timeout: int | None = Field(None, ge=1, le=3600)


class HookPreferences(BaseModel):
    """Hooks of all profiles."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    auto_format: bool = Field(False, description="Whether scripts tell the agent to format files that it has written.")
    auto_lint: bool = Field(False, description="Whether scripts tell the agent to lint files that it has written.")
    custom: dict[str, list[HookPreference]] = Field(
        default_factory=dict,
        description="Event name to a list of {matcher, type, command, timeout in seconds}, added to every profile's.",
    )


class ServerPreferences(BaseModel):
    """MCP servers of all profiles. Any further key switches the server of its name on or off; `filesystem` and `github`
    need no more than that."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    __pydantic_extra__: dict[str, bool] = Field(init=False)

    github_token: str = Field(
        "",
        description="Token for a GitHub server; scripts write ${GITHUB_TOKEN} in its place.",
        json_schema_extra={"secret": True},
    )
    custom: dict[ServerName, Server] = Field(
        default_factory=dict, description="Name to {command, args, env} of servers of your own."
    )


class CustomPreferences(BaseModel):
    """Free keys and values for scripts; they are not checked."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)
    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)


def preferences(context: PluginContext, agent: Agent, profile: Profile, own: Mapping[str, Json]) -> dict[str, Json]:
    """The preferences that scripts see as `ctx.prefs`.

    MCP servers are there that the agent takes. own: the daemon's own, each unless somebody has another one of its name.
    No secret of config.toml is in it.
    """
    return {
        "hooks": context.settings(HookPreferences).model_dump(mode="json", exclude_none=True),
        "mcp_servers": _servers(context.settings(ServerPreferences), agent, profile, own),
        "custom": context.settings(CustomPreferences).model_dump(mode="json"),
    }


def servers_for(settings: ServerPreferences, profile: Profile) -> dict[str, Json]:
    """Those that the profile is to have, switched on, by name."""
    return of_profile(
        _given(settings, profile), profile.metadata.get("mcp_servers"), profile.metadata.get("enabled_mcp_servers")
    )


def switched_on(settings: ServerPreferences) -> dict[str, Json]:
    """Those of all profiles, by name."""
    return shared(settings.custom, settings.__pydantic_extra__, "")


def _given(settings: ServerPreferences, profile: Profile) -> dict[str, Json]:
    return shared(settings.custom, settings.__pydantic_extra__, profile.working_dir or str(profile.home))


def _servers(settings: ServerPreferences, agent: Agent, profile: Profile, own: Mapping[str, Json]) -> dict[str, Json]:
    """`custom` has those that the profile is to have, switched on, and no others."""
    switches, given = settings.__pydantic_extra__, _given(settings, profile)
    found = taken(agent, {**own, **servers_for(settings, profile)})
    # A switch that names no server may mean something to somebody's own script.
    switched = {**switches, **{name: name in found for name in {**given, **found}}}
    return {**switched, "github_token": GITHUB_TOKEN if settings.github_token else None, "custom": found}


def hooks_of(config: Mapping[str, Json], wanted: HookPreferences) -> dict[str, Json]:
    """A profile's hooks and those of all profiles, in the shape of `hooks_config`. Events without any are left out."""
    made: dict[str, Json] = {}
    for event in {**config, **wanted.custom}:
        own = config.get(event)
        entries: list[Json] = list(own) if isinstance(own, list) else []
        for hook in wanted.custom.get(event, ()):
            action = hook.model_dump(mode="json", exclude_none=True, exclude={"matcher"})
            entries.append({"matcher": hook.matcher, "hooks": [action]})
        if entries:
            made[event] = entries
    return made
