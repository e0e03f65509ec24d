"""Profiles stay with their host; a run begins on the best of those that have its profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from jackfield.api.context import PluginContext
from jackfield.api.hosts import Host, HostResources
from jackfield.api.profiles import profile_resources
from jackfield_profiles.launching.placement import AgentPlacement, labels_in


def resources(context: PluginContext) -> Sequence[HostResources]:
    def place(alias: str, query: Mapping[str, str], key: str) -> AbstractAsyncContextManager[Host]:
        return context.port(AgentPlacement).place(alias, labels_in(query.get("labels", "")), key)

    paths = ["/api/profiles"]
    return [
        profile_resources(context, paths=paths, lists=paths, places={"run": place}, makes={"/api/profiles": "alias"})
    ]
