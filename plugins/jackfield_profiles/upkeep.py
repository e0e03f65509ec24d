"""The upkeep that runs some time after a start, when nobody waits for it."""

from __future__ import annotations

import asyncio
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.hosts import Hosts, Slots
from jackfield.api.object_references import load
from jackfield.api.profiles import Profiles
from jackfield_profiles.ports import HeadlessRuns, ProfileRemoval
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.settings import ProfilesSettings

if TYPE_CHECKING:
    from jackfield_profiles.launching.interrupted import InterruptedRuns

READ_AHEAD_SECONDS = 1.0
"""After the start, until profiles are read: neither `/ready` nor the first requests wait for it."""
_SERVICE = "jackfield_profiles.service"
_INTERRUPTED = "jackfield_profiles.launching.interrupted:InterruptedRuns"


def start(context: PluginContext) -> None:
    context.port(Hosts).count("agents", partial(_slots, context))
    context.spawn("read ahead", read_ahead(context))
    context.spawn("sweep", sweep_later(context))


def _slots(context: PluginContext) -> Slots:
    runs = context.built_port(HeadlessRuns)
    return Slots(0 if runs is None else runs.busy, context.settings(RunSettings).slots)


async def read_ahead(context: PluginContext) -> None:
    """So that `/metrics` knows how many there are, too."""
    await context.clock.sleep(READ_AHEAD_SECONDS)
    await asyncio.to_thread(import_module, _SERVICE)
    await context.port(Profiles).all()


async def sweep_later(context: PluginContext) -> None:
    """The remains of a crash are removed."""
    await context.clock.sleep(context.settings(ProfilesSettings).sweep_after)
    await context.port(ProfileRemoval).sweep()
    kind = cast("type[InterruptedRuns]", await asyncio.to_thread(load, _INTERRUPTED))
    runs = kind(context.service.config_dir, context.settings(RunSettings).resume_within)
    await asyncio.to_thread(runs.sweep)
