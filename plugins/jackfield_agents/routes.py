"""`/api/agents`: which agents there are, and what of them is installed."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.http import operation, success
from jackfield_agents.views import detail, item, profile_counts

TAGS = ("agents",)
_SCHEMAS = "jackfield_agents.schemas"


class AgentRoutes:
    """Views on agents."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation("List agents, and whether they are installed", scope=None, response=f"{_SCHEMAS}:AgentList", tags=TAGS)
    async def list_agents(self) -> Response:
        catalog = self._context.port(Agents)
        agents, found = await catalog.all(), await catalog.detect_all()
        counts = await profile_counts(self._context)
        rows = [item(agent, found[agent.id], counts.get(agent.id, 0)) for agent in agents.values() if agent.id in found]
        return success(rows, warnings=catalog.warnings())

    @operation("Read an agent", scope=None, response=f"{_SCHEMAS}:AgentAnswer", tags=TAGS)
    async def get_agent(self, agent_id: str) -> Response:
        catalog = self._context.port(Agents)
        agent = await catalog.find(agent_id)
        return success(detail(agent, await catalog.detect(agent)))


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = AgentRoutes(context)
    made = Blueprint("agents", __name__, url_prefix="/api/agents")
    made.add_url_rule("", view_func=views.list_agents, methods=["GET"])
    made.add_url_rule("/<agent_id>", view_func=views.get_agent, methods=["GET"])
    return [made]
