"""Each host has a registry on its own disk; a sync and a pin hold for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(name: str) -> bool:
        return False  # nothing of it is named by a path

    return [HostResources("registry", has, everywhere=["/api/registry/sync", "/api/registry/pin"])]
