"""The usage that a caller may see: of profiles that its projects have.

Usage of no profile belongs to the shared project, as does the usage of an agent that was started by hand.
"""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield.api.placed_things import PlacedThings
from jackfield_telemetry.reports.queries import profile_names
from jackfield_telemetry.service import UsageService


async def seen_profiles(context: PluginContext) -> frozenset[str] | None:
    """For `UsageFilter.within`. Raises `StoreUnavailable`."""
    things = PlacedThings(context, "profile")
    if not await things.is_limited():
        return None
    names = await asyncio.to_thread(context.port(UsageService).ledger.read, profile_names)
    return frozenset(await things.seen(names))
