"""Proxies are with their profiles."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.profiles import profile_resources

_WORDS = ("status", "kinds", "shared", "stop-all")
"""The words that stand in place of a profile's name."""


def resources(context: PluginContext) -> Sequence[HostResources]:
    paths = ["/api/proxy", "/api/proxy/status"]
    return [profile_resources(context, paths=paths, words=_WORDS, lists=["/api/proxy/status"])]
