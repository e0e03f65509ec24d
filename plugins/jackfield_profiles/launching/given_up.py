"""A prepared agent that does not begin."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from jackfield.api.profiles import Launch
from jackfield_profiles.ports import ProfileLaunching


@contextlib.asynccontextmanager
async def begun_or_given_up(launching: ProfileLaunching, launch: Launch) -> AsyncIterator[None]:
    """Where the agent of a prepared launch is to begin. When that fails, its token counts no more."""
    try:
        yield
    except BaseException:
        await launching.given_up(launch)
        raise
