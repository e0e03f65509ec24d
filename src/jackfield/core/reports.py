"""The plugins' reports of each other's mistakes."""

from __future__ import annotations

from contextlib import suppress

from jackfield.api.errors import ConfigurationError

from .checks.precedence import Precedence
from .plugins import PluginHost

LONGEST = 1000
"""Characters of one mistake; the rest is cut off."""


class Reports:
    """`jackfield.api.extensions.PluginReports`."""

    def __init__(self, host: PluginHost, precedence: Precedence) -> None:
        self._host = host
        self._precedence = precedence

    def report(self, plugin: str, mistake: str) -> None:
        if plugin in self._host.plugins:
            with suppress(ConfigurationError):  # of strict plugins: it is noted, and the caller is at work
                self._host.report(plugin, mistake[:LONGEST])

    def plugin_of_node(self, kind: str) -> str | None:
        return self._precedence.owner(f"node:{kind}")
