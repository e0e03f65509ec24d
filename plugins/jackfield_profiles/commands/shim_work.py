"""The work of `jackfield shims`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield_profiles.shims import Shims
from jackfield_profiles.storage.profiles import ProfileStore


async def install(context: PluginContext, aliases: Sequence[str], bin_dir: Path | None) -> list[dict[str, Json]]:
    """aliases: none is every profile. For each `alias`, `path`, `on_path`, and a `problem` if it was not installed."""
    store = context.port(ProfileStore)
    return [
        await _installed(context, alias, bin_dir)
        for alias in aliases or [profile.alias for profile in await store.all()]
    ]


async def _installed(context: PluginContext, alias: str, bin_dir: Path | None) -> dict[str, Json]:
    try:
        found = await context.port(ProfileStore).find(alias)
        made = context.port(Shims).install(found.alias, bin_dir)
    except JackfieldError as exc:
        return {"alias": alias, "path": None, "on_path": False, "problem": exc.message}
    return {"alias": alias, "path": str(made.path), "on_path": made.on_path, "problem": None}


async def uninstall(context: PluginContext, aliases: Sequence[str], bin_dir: Path | None) -> list[str]:
    """aliases: none is every one that was installed here. The aliases whose commands were removed."""
    shims = context.port(Shims)
    return [alias for alias in aliases or shims.installed(bin_dir) if shims.uninstall(alias, bin_dir)]
