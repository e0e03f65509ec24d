"""What `jackfield scripts test` does when it runs."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.providers import Providers
from jackfield_profiles.generated.scripts import run_script, script_context
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.wiring.access import access_of


async def generated(context: PluginContext, file: Path, alias: str) -> dict[str, Json]:
    """`files`, `env` and `args`, with placeholders as the script wrote them."""
    profile = await context.port(ProfileStore).find(alias)
    agent = await context.port(Agents).find(profile.agent_id)
    provider = await context.port(Providers).find(profile.provider_id)
    access = await access_of(context, agent, provider, profile, None)
    found = await run_script(context, file, script_context(context, agent, provider, profile, access))
    return {"files": dict(found.files), "env": dict(found.env), "args": list(found.args)}
