"""What `jackfield shims` does when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield_profiles.shims import Shims
from jackfield_profiles.storage.profiles import ProfileStore


async def install(context: PluginContext, aliases: Sequence[str], bin_dir: Path | None) -> bool:
    """aliases: none is every profile. Whether all could be installed; each is told."""
    store = context.port(ProfileStore)
    complete = True
    for alias in aliases or [profile.alias for profile in await store.all()]:
        try:
            made = context.port(Shims).install((await store.find(alias)).alias, bin_dir)
        except JackfieldError as exc:
            click.echo(f"jackfield: {exc.message}", err=True)
            complete = False
            continue
        hint = "" if made.on_path else f" ({made.path.parent} is not in PATH)"
        click.echo(f"{made.path}{hint}")
    return complete


async def uninstall(context: PluginContext, aliases: Sequence[str], bin_dir: Path | None) -> None:
    """aliases: none is every one that was installed here."""
    shims = context.port(Shims)
    for alias in aliases or shims.installed(bin_dir):
        if shims.uninstall(alias, bin_dir):
            click.echo(f"The command {alias} was removed.")
