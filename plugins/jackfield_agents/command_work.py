"""The work of `jackfield agents` when it runs."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield_agents import views


async def listed(context: PluginContext, again: bool) -> tuple[list[dict[str, Json]], Sequence[str]]:
    """Rows, and what is wrong with manifests."""
    catalog = context.port(Agents)
    found = await catalog.detect_all(again=again)
    counts = await views.profile_counts(context)
    known = await catalog.all()
    rows = [
        views.item(agent, found[agent.id], counts.get(agent.id, 0)) for agent in known.values() if agent.id in found
    ]
    return rows, catalog.warnings()


async def shown(context: PluginContext, agent_id: str) -> dict[str, Json]:
    catalog = context.port(Agents)
    agent = await catalog.find(agent_id)
    return views.detail(agent, await catalog.detect(agent))
