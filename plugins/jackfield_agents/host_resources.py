"""Which agents there are, each host knows of itself; their profiles are those of all hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.jsontext import Json

_COUNT = "profile_count"


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(name: str) -> bool:
        return False  # an agent that a path names is that of the host that is asked

    return [HostResources("agent", has, joins={"/api/agents": agents})]


def agents(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/agents`: those of this host."""
    counts = Counter[str]()
    for row in (row for part in parts if isinstance(part, list) for row in part):
        if isinstance(row, dict) and isinstance(count := row.get(_COUNT), int):
            counts[str(row.get("id"))] += count
    own = parts[0] if isinstance(parts[0], list) else []
    return [{**row, _COUNT: counts[str(row.get("id"))]} if isinstance(row, dict) else row for row in own]
