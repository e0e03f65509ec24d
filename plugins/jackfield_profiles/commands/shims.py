"""`jackfield shims`: commands that are named like profiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.cli import Cli, config_dir_option, work_at

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
    work = work_at("jackfield_profiles.commands.shim_work:install", aliases, bin_dir)
    if not cli.run("profiles", work, config_dir=config_dir):
        raise SystemExit(1)


@shims.command()
@click.argument("aliases", nargs=-1)
@bin_dir_option
@config_dir_option
@click.pass_obj
def uninstall(cli: Cli, aliases: Sequence[str], bin_dir: Path | None, config_dir: Path | None) -> None:
    """Remove the commands of ALIASES, or all that were installed here."""
    cli.run(
        "profiles", work_at("jackfield_profiles.commands.shim_work:uninstall", aliases, bin_dir), config_dir=config_dir
    )
