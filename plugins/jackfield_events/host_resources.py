"""The status is that of the daemon that answers, but for counts of what hosts have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.jsontext import Json

_COUNTS = ("profiles_count", "active_proxies")


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(name: str) -> bool:
        return False  # nothing of it is named by a path

    return [HostResources("daemon", has, joins={"/api/daemon/status": status})]


def status(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/daemon/status`."""
    found = [part for part in parts if isinstance(part, dict)]
    return {**found[0], **{name: _sum(found, name) for name in _COUNTS}}


def _sum(parts: Sequence[Mapping[str, Json]], name: str) -> int:
    return sum(count for part in parts if isinstance(count := part.get(name), int))
