"""The usage that a caller may see: of profiles that its projects have.

Usage of no profile belongs to the shared project, as does the usage of an agent that was started by hand.
"""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield.api.placed_things import PlacedThings
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield_telemetry.reports.queries import profile_names
from jackfield_telemetry.service import UsageService


async def seen_profiles(context: PluginContext, project_id: str = "") -> frozenset[str] | None:
    """For `UsageFilter.within`. project_id: only profiles that belong to it, and none that is shared with it, so that
    projects add up; empty: all. Raises `NotFound` for a project that the caller is not in, `StoreUnavailable`."""
    access = context.find_port(ProjectAccess)
    await ask_about(access, project_id or None)
    things = PlacedThings(context, "profile")
    divided = bool(project_id) and access is not None and access.in_use
    if not divided and not await things.is_limited():
        return None
    names = await asyncio.to_thread(context.port(UsageService).ledger.read, profile_names)
    seen = await things.seen(names)
    if not divided or access is None:
        return frozenset(seen)
    return frozenset([name for name in seen if await access.project_of("profile", name) == project_id])
