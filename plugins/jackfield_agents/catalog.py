"""`jackfield.api.agents.Agents` over manifests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from jackfield.api.agents import Agent, Detection
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.manifests import ManifestLibraries
from jackfield.api.similar_names import did_you_mean
from jackfield_agents.detection import Detector
from jackfield_agents.kind import AGENTS


class AgentCatalog:
    """Every agent that a manifest describes."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.detector = Detector(context)

    async def all(self) -> Mapping[str, Agent]:
        return await self._context.port(ManifestLibraries).of(AGENTS).all()

    async def find(self, id: str) -> Agent:
        agents = await self.all()
        if id not in agents:
            known = ", ".join(agents)
            raise NotFound(
                f"There is no agent {id}; there are: {known}{did_you_mean(id, agents)}", code="AGENT_NOT_FOUND"
            )
        return agents[id]

    async def detect(self, agent: Agent) -> Detection:
        return (await self.detector.detect([agent]))[agent.id]

    async def located(self, agent: Agent) -> Detection:
        return await self.detector.located(agent)

    async def detect_all(self, *, again: bool = False) -> Mapping[str, Detection]:
        if again:
            await asyncio.to_thread(self.detector.cache.refresh)
            self.detector.cache.clear()
        return await self.detector.detect(list((await self.all()).values()))

    def warnings(self) -> Sequence[str]:
        return self._context.port(ManifestLibraries).of(AGENTS).warnings()
