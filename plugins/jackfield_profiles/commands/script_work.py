"""What `jackfield scripts test` does when it runs."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profile
from jackfield.api.providers import Providers
from jackfield_profiles.generated.scripts import API_KEY, API_KEY_END, KEY_END, Generated, run_script, script_context
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.preferences import GITHUB_TOKEN, ServerPreferences
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.wiring.access import NO_KEY, access_of


async def generated(context: PluginContext, file: Path, alias: str) -> dict[str, Json]:
    """`files`, `env` and `args`, with placeholders as the script wrote them."""
    _, found, _ = await tried(context, file, alias)
    return {"files": dict(found.files), "env": dict(found.env), "args": list(found.args)}


async def tried(context: PluginContext, file: Path, alias: str) -> tuple[Profile, Generated, dict[str, str]]:
    """The profile, what the script makes of it, and what takes the place of keys; nobody may be shown that."""
    profile = await context.port(ProfileStore).find(alias)
    agent = await context.port(Agents).find(profile.agent_id)
    provider = await context.port(Providers).find(profile.provider_id)
    access = await access_of(context, agent, provider, profile, await context.port(KeyStore).key(profile))
    found = await run_script(context, file, script_context(context, agent, provider, profile, access))
    key = access.secret or NO_KEY
    github = context.settings(ServerPreferences).github_token
    context.secrets.redact(*(value for value in (access.secret, github) if value))
    return profile, found, {API_KEY: key, API_KEY_END: key[-KEY_END:], GITHUB_TOKEN: github}
