"""What `jackfield scripts test` does when it runs."""

from __future__ import annotations

from pathlib import Path

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.providers import Providers
from jackfield_profiles.generated.scripts import Generated, run_script, script_context
from jackfield_profiles.storage.profiles import ProfileStore
from jackfield_profiles.wiring.access import access_of


async def generated(context: PluginContext, file: Path, alias: str) -> list[str]:
    """The lines that are printed."""
    profile = await context.port(ProfileStore).find(alias)
    agent = await context.port(Agents).find(profile.agent_id)
    provider = await context.port(Providers).find(profile.provider_id)
    access = await access_of(context, agent, provider, profile, None)
    return printed(await run_script(context, file, script_context(context, agent, provider, profile, access)))


def printed(generated: Generated) -> list[str]:
    """Files, then variables, then arguments, with placeholders as the script wrote them."""
    lines: list[str] = []
    for path, text in generated.files.items():
        lines += [f"--- {path}", *text.splitlines()]
    if generated.env:
        lines += ["--- environment", *(f"{name}={value}" for name, value in generated.env.items())]
    if generated.args:
        lines += ["--- arguments", *generated.args]
    return lines or ["The script generates nothing for this profile."]
