"""The user's shell in a terminal session, without an agent."""

from __future__ import annotations

import asyncio
import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.ids import new_id
from jackfield.api.placed_things import PlacedThings
from jackfield.api.profiles import Launch, Profile, ShellRequest
from jackfield.api.providers import Providers
from jackfield_profiles.generated.home_files import HomeFiles
from jackfield_profiles.launching.lifecycle_hooks import SHELL
from jackfield_profiles.running_settings import RunSettings
from jackfield_profiles.wiring import environment as environments
from jackfield_profiles.working_directory import existing_directory

HOME_DIRECTORY = "shell"
"""The home of shells in a sandbox, in the configuration directory: the user's own is hidden from them."""
LOGIN = "-l"
"""The daemon's environment need not be the user's: a login shell makes it so."""
LISTED = Path("/etc/shells")


class ShellLauncher:
    """`jackfield.api.profiles.Shells`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._things = PlacedThings(context, "profile")

    async def prepare(self, request: ShellRequest) -> Launch:
        every = (await self._context.port(Providers).all()).values()
        keys = {one.auth.env_key for one in every if one.auth.env_key}
        inherit = self._context.settings(RunSettings).inherit
        inherited = environments.inherited(os.environ, inherit, keys)
        project = await self._things.target()
        return await asyncio.to_thread(self._launch, request, inherited, project)

    def _launch(self, request: ShellRequest, inherited: Mapping[str, str], project: str) -> Launch:
        config_dir = self._context.service.config_dir
        program = shell_program(request.program)
        home, exempt = Path.home(), None
        if request.sandbox != "off":
            home = exempt = config_dir / HOME_DIRECTORY
            with HomeFiles(home):
                pass
        cwd = home if request.working_dir is None else existing_directory(request.working_dir, config_dir, exempt)
        profile = Profile(
            "", "", "", "", "", sandbox=request.sandbox, metadata={"profile_home": str(home), "project": project}
        )
        env = {**inherited, "HOME": str(home), "SHELL": program}
        return Launch(new_id(), profile, "shell", (program, LOGIN), env, cwd, self._context.clock.now_ms())


def shell_program(asked: str | None) -> str:
    """The shell's path. Raises `InvalidInput` for one that is neither the user's nor in /etc/shells. Blocks."""
    own = own_shell()
    if asked is None or asked == own:
        return own
    if asked not in _listed() or not os.access(asked, os.X_OK):
        raise InvalidInput(
            f"{asked[:200]} is no shell of this machine.",
            code="UNKNOWN_SHELL",
            details={"shell": f"give a path that {LISTED} has, or leave it out for {own}"},
        )
    return asked


def own_shell() -> str:
    """The user's: by SHELL, else by the table of users; `/bin/sh` where that is none to work in. Blocks."""
    candidates = [os.environ.get("SHELL", "")]
    try:
        by_table = pwd.getpwuid(os.geteuid()).pw_shell
    except KeyError:  # a container's user
        by_table = ""
    if by_table in _listed():  # nologin and the like are not
        candidates.append(by_table)
    return next((path for path in candidates if path.startswith("/") and os.access(path, os.X_OK)), SHELL)


def _listed() -> frozenset[str]:
    try:
        lines = LISTED.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return frozenset(line.strip() for line in lines if line.startswith("/"))
