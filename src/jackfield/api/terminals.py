"""Terminal sessions, as the other plugins see them.

Source: docs/decisions.md, 'Terminals'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .profiles import Launch


class Terminals(Protocol):
    """The port; a plugin names it in `provides`."""

    def live(self, alias: str) -> Sequence[str]:
        """Ids of the profile's sessions that have not ended."""

    async def end(self, alias: str) -> None:
        """End the profile's sessions, and return when they have."""

    async def confined(self, launch: Launch) -> Launch:
        """The launch inside of its profile's sandbox; as it is where that is off. For runs without a terminal as well.
        Raises `InvalidInput` (code `SANDBOX_UNAVAILABLE`, `SANDBOX_DIRECTORY`) when the sandbox is not to be had: the
        agent must not be started then."""
