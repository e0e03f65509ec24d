"""The work of `jackfield profiles run` and `jackfield profiles env`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.profiles import LaunchRequest
from jackfield_profiles.launching.foreground import run_here
from jackfield_profiles.launching.given_up import begun_or_given_up
from jackfield_profiles.launching.launcher import require_no_sandbox
from jackfield_profiles.ports import ProfileLaunching
from jackfield_profiles.storage.profiles import ProfileStore


async def run(context: PluginContext, alias: str, args: Sequence[str], working_dir: Path | None) -> int:
    """The agent's exit code."""
    launching = context.port(ProfileLaunching)
    async with context.port(ProfileStore).running_here(alias) as profile:
        directory = working_dir or (None if profile.working_dir else Path.cwd())
        where = None if directory is None else str(directory.absolute())
        require_no_sandbox(profile)
        launch = await launching.prepare(profile, LaunchRequest(kind="profile_run", args=args, working_dir=where))
        async with begun_or_given_up(launching, launch):
            code = await run_here(launch)
        await launching.ended(launch, code)
    return code


async def environment(context: PluginContext, alias: str, show_secrets: bool) -> Mapping[str, str]:
    profile = await context.port(ProfileStore).find(alias)
    return await context.port(ProfileLaunching).environment(profile, secrets=show_secrets)
