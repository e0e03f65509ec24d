"""Where tokens are made: in the daemon, or in a command beside it."""

from __future__ import annotations

from jackfield.api.context import PluginContext


class TokenPlace:
    """is_daemon: this process serves `/mcp`. A command such as `jackfield profiles run` does not, and its agent goes on
    when the daemon ends."""

    def __init__(self, context: PluginContext) -> None:
        self.is_daemon = False
