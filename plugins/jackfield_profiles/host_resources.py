"""Profiles stay with their host."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.profiles import profile_resources


def resources(context: PluginContext) -> Sequence[HostResources]:
    return [profile_resources(context, paths=["/api/profiles"], lists=["/api/profiles"])]
