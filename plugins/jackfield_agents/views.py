"""Agents as the API and the command line show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from jackfield.api.agents import Agent, Detection
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Profiles


async def profile_counts(context: PluginContext) -> Mapping[str, int]:
    """Agent -> its profiles; nothing where no plugin keeps profiles."""
    try:
        profiles = context.port(Profiles)
    except LookupError:
        return {}
    return Counter(profile.agent_id for profile in await profiles.all())


def item(agent: Agent, found: Detection, profiles: int) -> dict[str, Json]:
    return {**_both(agent, found), "profile_count": profiles}


def detail(agent: Agent, found: Detection) -> dict[str, Json]:
    return {
        **_both(agent, found),
        "binary": agent.binary,
        "profile_strategy": agent.profile.strategy,
        "supports_hooks": agent.supports_hooks,
        "supports_approvals": agent.supports_approvals,
        "default_model": agent.models.default,
        "supported_models": list(agent.models.supported),
        "dialect": agent.dialect,
        "headless": agent.headless is not None,
        "install": None if agent.install is None else agent.install.model_dump(),
    }


def _both(agent: Agent, found: Detection) -> dict[str, Json]:
    return {
        "id": agent.id,
        "name": agent.title,
        "installed": found.installed,
        "version": found.version,
        "binary_path": found.binary_path,
    }
