"""Agents in a sandbox of bubblewrap, as their profile wants it.

The sandbox has the session's own pseudo-terminal as its controlling terminal and no new session (`--new-session`), for
a shell's job control needs it. So a program could type into that terminal (TIOCSTI) where the kernel still allows it.
Only the sandbox itself reads there, neither before nor afterwards does anybody else, hence no filter is needed.

bubblewrap stands in the agent's foreground group. It must not die of a signal that the agent handles, or the agent dies
with it. So a shell starts it with these signals ignored, and inside they are restored before the agent starts.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jackfield
from jackfield.api.auth import Authentication
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import Launch, Profiles
from jackfield.api.projects import reaching
from jackfield.api.records import replace
from jackfield_terminal.sandbox.mounts import SandboxPaths, view_of
from jackfield_terminal.settings import SandboxSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BWRAP = "bwrap"
PROBE_TIMEOUT = 10.0
"""Seconds that the probe may take."""
_DEAF = 'trap "" HUP INT QUIT USR1 USR2 PIPE ALRM TERM TSTP TTIN TTOU; exec "$@"'
_NAMESPACES = (
    "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent",
    # The daemon may be root, who could undo the mounts.
    "--cap-drop", "ALL",
)  # fmt: skip
_ENV, _SHELL, _GO_ON = "/usr/bin/env", ("/bin/sh", "-c"), 'exec "$0" "$@"'
"""The shell: for `env`, a program with `=` in its path would be a variable."""
_HEARING = (_ENV, "--default-signal", *_SHELL)
_SAME_DIRECTORY = (
    '[ "$({stat} -c %d:%i .)" = {identity} ] || {{ echo "The working directory has changed." >&2; exit 126; }}; '
)
_OF_LOADERS = re.compile(
    r"(?:LD_|DYLD_|GLIBC_|PYTHON|BASH_).*|SHELLOPTS|BASHOPTS|ENV|PS4|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCPATH"
    r"|MALLOC_TRACE|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS",
    re.DOTALL,
).fullmatch
"""Variables by which a program loads, runs or writes what they name. The programs that make the sandbox are outside of
it, and what these name may be what the agent has made in its home."""
_REMEDY = (
    "Install bubblewrap, GNU env (coreutils 8.31) and prlimit (util-linux). Allow user namespaces "
    "(kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, no container without them). "
    "Or set the profile's sandbox to off."
)


class Sandbox:
    """Puts launches into their profile's sandbox. That it works at all is tried once, and again until it does."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(SandboxSettings)
        self._works = False

    async def confined(self, launch: Launch) -> Launch:
        """The launch in the profile's sandbox; as it is where that is off. The environment is the same, and none of it
        stands among the arguments but what loaders read. Raises `InvalidInput` when there is no sandbox, or not for
        this directory."""
        kind = launch.profile.sandbox
        if kind == "off":
            return launch
        reason = await self.unavailable()
        if reason is not None:
            raise InvalidInput(
                f"{_wanting(launch)} the sandbox {kind}, which does not work here: {reason} {_REMEDY}",
                code="SANDBOX_UNAVAILABLE",
            )
        # The agent shares our uid and our network: the gate must tell it from ourselves.
        self._context.port(Authentication).confine_agents()
        with reaching(None):  # also homes of projects that the caller does not see are hidden
            profiles = await self._context.port(Profiles).all()
        places = SandboxPaths(
            home=launch.profile.home,
            cwd=launch.cwd,
            program=Path(launch.argv[0]),
            config_dir=self._context.service.config_dir,
            user_home=Path.home(),
            others=[profile.home for profile in profiles if profile.alias != launch.profile.alias],
            daemon=_own_program(),
        )
        within = {name: value for name, value in launch.env.items() if _OF_LOADERS(name)}
        around = {name: value for name, value in launch.env.items() if name not in within}

        def command() -> tuple[str, ...]:
            view = view_of(kind, places, self._settings)
            mounts = view.arguments(self._settings.tmp_size)
            inside = (*_in_place(view.identity), *_with_variables(within))
            return (*_command(mounts, launch.cwd, self._settings), *inside)

        return replace(launch, argv=(*await asyncio.to_thread(command), *launch.argv), env=around)

    async def unavailable(self) -> str | None:
        """Why there can be no sandbox; None when there can."""
        if self._works:
            return None
        reason = await asyncio.to_thread(problem_of_sandbox, self._settings)
        self._works = reason is None
        return reason


def _wanting(launch: Launch) -> str:
    return "The shell needs" if launch.kind == "shell" else f"The profile {launch.profile.alias} wants"


def _in_place(identity: str) -> tuple[str, ...]:
    """A shell's words that go on in the directory of this identity alone; empty: in any."""
    check = _SAME_DIRECTORY.format(stat=shlex.quote(_path("stat")), identity=identity) if identity else ""
    return (check + _GO_ON,)


def _with_variables(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Set for the agent alone, after all that has to be looked at."""
    if not variables:
        return ()
    return (_ENV, *(f"{name}={value}" for name, value in variables.items()), *_SHELL, _GO_ON)


def _command(mounts: Sequence[str], cwd: Path, settings: SandboxSettings) -> tuple[str, ...]:
    """Up to the words of the shell inside."""
    inside = (*_limits(settings), *_HEARING)
    return ("/bin/sh", "-c", _DEAF, "sh", _path(BWRAP), *_NAMESPACES, *mounts, "--chdir", str(cwd), "--", *inside)


def _own_program() -> Sequence[Path]:
    """Where the daemon's interpreter, its packages and the built-in plugins are."""
    return [Path(sys.prefix), Path(sys.base_prefix), Path(jackfield.__file__).parent, Path(__file__).parents[2]]


def _path(program: str) -> str:
    """By the daemon's PATH: the agent's may begin with a directory that the agent can write to."""
    return shutil.which(program) or program


def _limits(settings: SandboxSettings) -> tuple[str, ...]:
    """Counted inside: the user's other processes are none of the sandbox's."""
    asked = (("--nproc", settings.processes), ("--data", settings.memory))
    given = tuple(f"{name}={value}" for name, value in asked if value)
    return (_path("prlimit"), *given) if given else ()


def problem_of_sandbox(settings: SandboxSettings) -> str | None:
    """Run a sandbox of the same kind; why it does not work. Blocks for some milliseconds."""
    if sys.platform != "linux":
        return "It needs Linux."
    if shutil.which(BWRAP) is None:
        return "bubblewrap (bwrap) is not installed."
    mounts = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--size", "4096", "--tmpfs", "/tmp"]  # noqa: S108
    command = (*_command(mounts, Path("/"), settings), _GO_ON, "true")
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it comes from outside
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_TIMEOUT,
            check=False,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        return f"bubblewrap (bwrap) cannot be run: {type(exc).__name__}."
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap says: {said[-1][:200] if said else f'exit code {done.returncode}'}."
