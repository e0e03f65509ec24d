"""The plan of a profile's start: access, generated configuration, environment. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Mapping

from jackfield.api.agents import Agent, Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.profile_tools import TOOLS_SERVER, ProfileTools, ToolScope, tool_scope_of
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider, Providers
from jackfield.api.records import record
from jackfield_profiles.generated.scripts import API_KEY, API_KEY_END, KEY_END, Generated, ScriptFailed, generate
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.mcp_servers import secrets_of, taken
from jackfield_profiles.preferences import GITHUB_TOKEN, ServerPreferences, servers_for
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.wiring import environment as environments
from jackfield_profiles.wiring.access import NO_KEY, ProviderAccess, access_of, spoken, variables


@record
class LaunchPlan:
    """key: of the provider. placeholders: in the generated files. has_tools: the agent reaches tools of the daemon, and
    gets a token for them."""

    agent: Agent
    provider: Provider
    access: ProviderAccess
    generated: Generated
    env: Mapping[str, str]
    placeholders: Mapping[str, str]
    secrets: tuple[str, ...]
    key: str | None = None
    has_tools: bool = False


ANY_PROXY = "http://127.0.0.1:9"
"""Stands for a proxy that has no address yet."""


class LaunchPlanner:
    """Plans starts, by everything that is set now."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._keys = context.port(KeyStore)
        self._run = context.settings(RunSettings)

    async def plan(self, profile: Profile, tools: ToolScope | None = None) -> LaunchPlan:
        """Nothing is written, and no token is issued. tools: see `LaunchRequest`. Raises `NotFound`, `InvalidInput`,
        `JackfieldError` (the script failed)."""
        agent = await self._context.port(Agents).find(profile.agent_id)
        provider = await self._context.port(Providers).find(profile.provider_id)
        own = await self._keys.key(profile)
        access = await access_of(self._context, agent, provider, profile, own)
        given = await self._tools_server(agent, profile, tools)
        generated = await generate(self._context, agent, provider, profile, access, given)
        shared = self._context.settings(ServerPreferences)
        github = shared.github_token
        key = access.secret or NO_KEY
        placeholders = {API_KEY: key, API_KEY_END: key[-KEY_END:], GITHUB_TOKEN: github}
        of_servers = secrets_of(servers_for(shared, profile))
        secrets = tuple(value for value in (access.secret, access.hidden, github, *of_servers) if value)
        self._context.secrets.redact(*secrets)
        env = await self._environment(agent, provider, profile, access)
        env |= {name: _filled(value, placeholders) for name, value in generated.env.items()}
        env |= profile.env
        env["HOME"] = str(profile.home)
        return LaunchPlan(agent, provider, access, generated, env, placeholders, secrets, own, bool(given))

    async def _tools_server(self, agent: Agent, profile: Profile, asked: ToolScope | None) -> Mapping[str, Json]:
        """The server of the daemon's tools, by its name.

        None: the agent reaches no tools of the daemon, or its configuration has no place for them. `asked`: that the
        launch is for. Raises `InvalidInput` when another server has the name of the one that it is for: an agent that
        trusts these tools would trust that one.
        """
        tools = self._context.find_port(ProfileTools)
        if tools is None or not agent.profile.script:
            return {}
        settings, own = self._context.settings(ServerPreferences), profile.metadata.get("mcp_servers")
        hidden = TOOLS_SERVER in servers_for(settings, profile)
        hidden = hidden or settings.__pydantic_extra__.get(TOOLS_SERVER) is False
        if hidden or (isinstance(own, dict) and own.get(TOOLS_SERVER) is False):
            if asked is not None:
                raise InvalidInput(
                    f"The MCP server {TOOLS_SERVER} of {profile.alias} is another one, or switched off, but this agent "
                    "works with the daemon's.",
                    code="TOOLS_HIDDEN",
                    details={"mcp_servers": f"give the server {TOOLS_SERVER} another name, and do not switch it off"},
                )
            return {}
        server = await tools.server(tool_scope_of(profile) if asked is None else asked)
        return {} if server is None else taken(agent, {TOOLS_SERVER: dict(server)})

    async def require_configurable(self, profile: Profile, agent: Agent, provider: Provider) -> None:
        """The agent's script says whether it can serve such a profile; nothing is kept.

        Any other problem of the script shows when the profile runs. Raises `InvalidInput`.
        """
        access = ProviderAccess(provider.endpoint(profile.endpoint_id)[1], None, False, provider.dialect)
        if profile.proxy_enabled:
            access = ProviderAccess(ANY_PROXY, None, True, spoken(agent, provider))
        try:
            await generate(self._context, agent, provider, profile, access)
        except ScriptFailed as exc:
            if exc.refusal is not None:
                raise InvalidInput(exc.message, code="PROFILE_UNUSABLE") from None

    async def _environment(
        self, agent: Agent, provider: Provider, profile: Profile, access: ProviderAccess
    ) -> dict[str, str]:
        every = (await self._context.port(Providers).all()).values()
        keys = {one.auth.env_key for one in every if one.auth.env_key}
        made = environments.inherited(os.environ, self._run.inherit, keys)
        if access.proxied:
            made |= environments.around_web_proxies(made)
        dialect = None if access.dialect is None else self._context.port(Providers).dialect(access.dialect)
        made |= environments.of_home(profile.home, agent)
        return made | variables(access, provider, profile, dialect)


def _filled(text: str, placeholders: Mapping[str, str]) -> str:
    for name, value in placeholders.items():
        text = text.replace(name, value)
    return text
