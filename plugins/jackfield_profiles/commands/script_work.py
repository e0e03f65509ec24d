"""The work of `jackfield scripts test`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile
from jackfield.api.providers import Providers
from jackfield.api.records import record
from jackfield_profiles.generated.scripts import API_KEY, API_KEY_END, KEY_END, run_script, script_context
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.preferences import GITHUB_TOKEN, ServerPreferences, servers_for
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.views import masked_servers
from jackfield_profiles.wiring.access import NO_KEY, access_of


@record
class Trial:
    """A profile for which a script is tried. ctx: all that the script sees; placeholders: what takes the place of keys;
    servers: its MCP servers. Nobody may be shown any of them as they are."""

    profile: Profile
    ctx: Mapping[str, Json]
    placeholders: Mapping[str, str]
    servers: Mapping[str, Json]


async def generated(context: PluginContext, file: Path, alias: str) -> dict[str, Json]:
    """`files`, `env` and `args`, with placeholders as the script wrote them. Of MCP servers it sees what may be
    shown."""
    found = await run_script(context, file, _with_masks((await trial(context, alias)).ctx))
    return {"files": dict(found.files), "env": dict(found.env), "args": list(found.args)}


async def trial(context: PluginContext, alias: str) -> Trial:
    profile = await context.port(ProfileStore).find(alias)
    agent = await context.port(Agents).find(profile.agent_id)
    provider = await context.port(Providers).find(profile.provider_id)
    access = await access_of(context, agent, provider, profile, await context.port(KeyStore).key(profile))
    ctx = script_context(context, agent, provider, profile, access)
    key = access.secret or NO_KEY
    settings = context.settings(ServerPreferences)
    context.secrets.redact(*(value for value in (access.secret, settings.github_token) if value))
    placeholders = {API_KEY: key, API_KEY_END: key[-KEY_END:], GITHUB_TOKEN: settings.github_token}
    return Trial(profile, ctx, placeholders, servers_for(settings, profile))


def _with_masks(ctx: Mapping[str, Json]) -> Mapping[str, Json]:
    prefs = cast("Mapping[str, Json]", ctx["prefs"])  # `script_context` makes both
    servers = cast("Mapping[str, Json]", prefs["mcp_servers"])
    return {**ctx, "prefs": {**prefs, "mcp_servers": {**servers, "custom": masked_servers(servers["custom"])}}}
