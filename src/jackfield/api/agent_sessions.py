"""Agent sessions, as the other plugins see them.

Source: docs/agent-sessions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class AgentSessions(Protocol):
    """The port; a plugin names it in `provides`."""

    def live(self, alias: str) -> Sequence[str]:
        """Ids of the profile's agent sessions that have not ended."""

    async def end(self, alias: str) -> None:
        """End the profile's agent sessions, and return when they have."""
