"""The findings of `jackfield doctor` about profiles, and their samples in `/metrics`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from jackfield.api.agents import Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider, Providers
from jackfield_profiles.generated.script_check import problems
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.mcp_servers import nameless
from jackfield_profiles.preferences import ServerPreferences, servers_for
from jackfield_profiles.storage.profiles import ProfileStore


async def findings(context: PluginContext) -> Sequence[Finding]:
    stored, keys = context.port(ProfileStore), context.port(KeyStore)
    profiles = await stored.all()
    found = [
        Finding("profiles", True, f"{len(profiles)} can be read"),
        *(Finding("profiles", False, warning) for warning in stored.warnings()),
    ]
    agents, providers = await context.port(Agents).all(), await context.port(Providers).all()
    for profile in profiles:
        found += [Finding(f"profile {profile.alias}", False, text) for text in _missing(profile, agents, providers)]
    servers = context.settings(ServerPreferences)
    for profile in profiles:
        if names := _untaken(profile, agents, servers):
            text = f"its agent does not take the MCP servers {', '.join(names)}; switch them off for the profile"
            found.append(Finding(f"profile {profile.alias}", True, text))
    for name in nameless(servers.custom, servers.__pydantic_extra__):
        text = f"the switch {name} names no server; add [mcp_servers.custom.{name}], or remove it"
        found.append(Finding("mcp_servers", False, text))
    lost = await asyncio.to_thread(_without_home, profiles)
    found += [Finding(f"profile {one.alias}", False, f"its home {one.home} is not there; create it") for one in lost]
    found += [Finding("keys of profiles", False, problem) for problem in await keys.problems()]
    found += [Finding("scripts", False, problem) for problem in await problems(context, agents.values())]
    return [*found, Finding("keys of profiles", True, f"new ones go to {await keys.place()}")]


def _missing(profile: Profile, agents: Mapping[str, Agent], providers: Mapping[str, Provider]) -> Sequence[str]:
    problems = []
    if profile.agent_id not in agents:
        problems.append(f"its agent {profile.agent_id} is not known; add agents.d/{profile.agent_id}.toml")
    provider = providers.get(profile.provider_id)
    if provider is None:
        problems.append(f"its provider {profile.provider_id} is not known; add providers.d/{profile.provider_id}.toml")
    elif profile.endpoint_id not in provider.endpoints:
        problems.append(f"its provider {provider.id} has no endpoint {profile.endpoint_id}; choose another")
    return problems


def _untaken(profile: Profile, agents: Mapping[str, Agent], settings: ServerPreferences) -> Sequence[str]:
    agent = agents.get(profile.agent_id)
    return [] if agent is None else agent.untaken_servers(servers_for(settings, profile))


def _without_home(profiles: Sequence[Profile]) -> Sequence[Profile]:
    return [profile for profile in profiles if not profile.home.is_dir()]


def metrics(context: PluginContext) -> Sequence[Metric]:
    """As of the last look; nothing is read for it."""
    known = context.port(ProfileStore)
    return [
        Metric("profiles", "Profiles that can be read, as of the last look.", "gauge", known.known()),
        Metric("profiles_damaged", "Stored profiles that cannot be read.", "gauge", len(known.warnings())),
    ]
