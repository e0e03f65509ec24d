"""The work of `jackfield init`."""

from __future__ import annotations

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield_profiles.ports import ProfileCreation
from jackfield_profiles.storage.profiles import ProfileStore


async def surroundings(context: PluginContext) -> dict[str, Json]:
    """`agents`: each with what is known of it; `profiles`: their aliases."""
    catalog = context.port(Agents)
    detected = await catalog.detect_all()
    agents: list[Json] = [
        {
            "id": agent.id,
            "name": agent.title,
            "installed": detected[agent.id].installed,
            "version": detected[agent.id].version,
            "install": agent.install.command if agent.install is not None else None,
        }
        for agent in (await catalog.all()).values()
        if agent.id in detected
    ]
    profiles: list[Json] = [profile.alias for profile in await context.port(ProfileStore).all()]
    return {"agents": agents, "profiles": profiles}


async def first_profile(
    context: PluginContext, agent: str, alias: str, provider: str, key: str | None
) -> dict[str, Json]:
    """`created` is false where a profile of the name is here; it stays."""
    try:
        await context.port(ProfileStore).find(alias)
    except NotFound:
        body: dict[str, Json] = {"agent_id": agent, "alias": alias, "provider_id": provider, "api_key": key}
        made = await context.port(ProfileCreation).create_from(body)
        return {"alias": alias, "created": True, "warnings": list(made.warnings)}
    return {"alias": alias, "created": False, "warnings": []}
