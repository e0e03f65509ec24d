"""A home for programs that are only asked for their version. Many make directories and files at every start, and none
of them belongs in the user's home."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

XDG = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}
MANAGERS = {
    "ASDF_DATA_DIR": ".asdf",
    "BUN_INSTALL": ".bun",
    "FNM_DIR": ".local/share/fnm",
    "MISE_CONFIG_DIR": ".config/mise",
    "MISE_DATA_DIR": ".local/share/mise",
    "NVM_DIR": ".nvm",
    "PROTO_HOME": ".proto",
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "UV_TOOL_DIR": ".local/share/uv/tools",
    "VOLTA_HOME": ".volta",
    "npm_config_cache": ".npm",
}
"""Variables of programs that a tool on PATH may be a shim of, and where they look, below the home, without. In another
home the shim would find no tool, or fetch one."""


@contextlib.asynccontextmanager
async def scratch_home(own: Mapping[str, str], env: Mapping[str, str]) -> AsyncIterator[Mapping[str, str]]:
    """`env` with a home that is gone afterwards, whatever was left in it. own: the tool's variables, as its manifest
    has them. Where there is no room for one, it is the user's."""
    try:
        home = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="jackfield-detect-"))
    except OSError:
        yield env
        return
    try:
        variables = {name: value.replace("{home}", str(home)) for name, value in own.items()}
        await asyncio.to_thread(_make_directories, home, variables)
        yield {**_managers(env), **env, **_xdg(home), "HOME": str(home), **variables}
    finally:
        # Not given up when the detection is: what is left would stay.
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, home, ignore_errors=True))


def _xdg(home: Path) -> Mapping[str, str]:
    return {name: str(home / below) for name, below in XDG.items()}


def _managers(env: Mapping[str, str]) -> Mapping[str, str]:
    home = env.get("HOME")
    if not home:
        return {}
    places = {name: Path(home, below) for name, below in MANAGERS.items()}
    return {name: str(place) for name, place in places.items() if place.is_dir()}


def _make_directories(home: Path, variables: Mapping[str, str]) -> None:
    """Those that the variables name: some tools want them to exist."""
    for name, value in variables.items():
        path = Path(value)
        if name.endswith(("_HOME", "_DIR")) and path.is_relative_to(home) and ".." not in path.parts:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
