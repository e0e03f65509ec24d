"""A request of an agent stays with the host that has the agent; everybody sees those of all hosts."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield_approvals.hub import AgentApprovalHub
from jackfield_approvals.paths import AGENTS


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(approval: str) -> bool:
        known = context.built_port(AgentApprovalHub)
        return known is not None and known.has(approval)

    return [HostResources("agent approval", has, [AGENTS], lists=[AGENTS])]
