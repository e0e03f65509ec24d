"""What is done some time after a start, when nobody waits for it."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield_profiles.settings import ProfilesSettings

READ_AHEAD_SECONDS = 0.02
"""After the start, until profiles are read: `/ready` does not wait for it, and the first list, which waits for the
management API anyway, finds them read."""


def start(context: PluginContext) -> None:
    context.spawn("read ahead", read_ahead(context))
    context.spawn("sweep", sweep_later(context))


async def read_ahead(context: PluginContext) -> None:
    """So that `/metrics` knows how many there are, too."""
    await context.clock.sleep(READ_AHEAD_SECONDS)
    from jackfield_profiles.parts import Parts

    await context.port(Parts).profiles.all()


async def sweep_later(context: PluginContext) -> None:
    """What a crash has left is removed."""
    await context.clock.sleep(context.settings(ProfilesSettings).sweep_after)
    from jackfield_profiles.deleting import sweep
    from jackfield_profiles.parts import Parts

    parts = context.port(Parts)
    await parts.launcher.end_left()
    await sweep(context, parts.profiles, parts.keys)
