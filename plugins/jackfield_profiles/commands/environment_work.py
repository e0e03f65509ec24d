"""The work of `jackfield env`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.profiles import Launch, Profile
from jackfield.api.similar_names import did_you_mean
from jackfield_profiles.generated.home_files import HomeFiles
from jackfield_profiles.launching.foreground import run_here
from jackfield_profiles.launching.launcher import require_no_sandbox
from jackfield_profiles.launching.lifecycle_hooks import SHELL
from jackfield_profiles.launching.shells import own_shell
from jackfield_profiles.ports import ProfileLaunching
from jackfield_profiles.storage.profiles import ProfileStore


async def setup(context: PluginContext, alias: str, task: str) -> int:
    """The task's exit code. Raises `NotFound`."""
    async with context.port(ProfileStore).running_here(alias) as profile:
        agent = await context.port(Agents).find(profile.agent_id)
        found = agent.setup_tasks.get(task)
        if found is None:
            known = f"; there are: {', '.join(agent.setup_tasks)}" if agent.setup_tasks else "; it has none"
            raise NotFound(f"The agent {agent.id} has no task {task}{known}{did_you_mean(task, agent.setup_tasks)}")
        return await _run(context, profile, (SHELL, "-c", found.command))


async def shell(context: PluginContext, alias: str) -> int:
    """The shell's exit code."""
    async with context.port(ProfileStore).running_here(alias) as profile:
        return await _run(context, profile, (own_shell(),))


async def _run(context: PluginContext, profile: Profile, argv: Sequence[str]) -> int:
    """In this terminal, in the profile's directory or home. Raises `InvalidInput`."""
    require_no_sandbox(profile)
    environment = await context.port(ProfileLaunching).environment(profile, secrets=True)
    await asyncio.to_thread(_make_home, profile.home)
    directory = Path(profile.working_dir) if profile.working_dir else profile.home
    now = context.clock.now_ms()
    return await run_here(Launch(new_id(), profile, "profile_run", argv, environment, directory, now))


def _make_home(home: Path) -> None:
    with HomeFiles(home):
        pass
