"""Terminal sessions, as the other plugins see them.

Source: docs/decisions.md, 'Terminals'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from .errors import InvalidInput

if TYPE_CHECKING:
    from .context import PluginContext
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


async def confined_launch(context: PluginContext, launch: Launch) -> Launch:
    """The launch in its profile's sandbox, for agents that run without a terminal.

    A caller who asked for a sandbox must not get a run without one. Raises `InvalidInput` (code `SANDBOX_UNAVAILABLE`).
    """
    if launch.profile.sandbox == "off":
        return launch
    terminals = context.find_port(Terminals)
    if terminals is None:
        raise InvalidInput(
            f"The profile {launch.profile.alias} wants the sandbox {launch.profile.sandbox}, which no plugin "
            "gives; set it to off, or enable jackfield_terminal.",
            code="SANDBOX_UNAVAILABLE",
        )
    return await terminals.confined(launch)
