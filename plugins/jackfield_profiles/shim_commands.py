"""`jackfield shims`: commands that are named like profiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.cli import Cli, config_dir_option
from jackfield.api.context import PluginContext

bin_dir_option = click.option(
    "--bin-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory of the commands (default: the setting profiles.bin_dir, else ~/.local/bin or ~/bin).",
)


@click.group()
def shims() -> None:
    """Commands that run profiles: two-line scripts named like them."""


@shims.command()
@click.argument("aliases", nargs=-1)
@bin_dir_option
@config_dir_option
@click.pass_obj
def install(cli: Cli, aliases: Sequence[str], bin_dir: Path | None, config_dir: Path | None) -> None:
    """Install a command for each of ALIASES, or for every profile. A file of another program is never touched."""

    async def work(context: PluginContext) -> bool:
        from jackfield.api.errors import JackfieldError
        from jackfield_profiles.parts import Parts

        parts = context.port(Parts)
        wanted = aliases or [profile.alias for profile in await parts.profiles.all()]
        complete = True
        for alias in wanted:
            try:
                made = parts.shims.install((await parts.profiles.find(alias)).alias, bin_dir)
            except JackfieldError as exc:
                click.echo(f"jackfield: {exc.message}", err=True)
                complete = False
                continue
            hint = "" if made.on_path else f" ({made.path.parent} is not in PATH)"
            click.echo(f"{made.path}{hint}")
        return complete

    if not cli.run("profiles", work, config_dir=config_dir):
        raise SystemExit(1)


@shims.command()
@click.argument("aliases", nargs=-1)
@bin_dir_option
@config_dir_option
@click.pass_obj
def uninstall(cli: Cli, aliases: Sequence[str], bin_dir: Path | None, config_dir: Path | None) -> None:
    """Remove the commands of ALIASES, or all that were installed here."""

    async def work(context: PluginContext) -> None:
        from jackfield_profiles.parts import Parts

        ours = context.port(Parts).shims
        for alias in aliases or ours.installed(bin_dir):
            if ours.uninstall(alias, bin_dir):
                click.echo(f"The command {alias} was removed.")

    cli.run("profiles", work, config_dir=config_dir)
