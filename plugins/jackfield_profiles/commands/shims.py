"""`jackfield shims`: commands that are named like profiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from jackfield.api.cli import Cli, CommandGroup, audited, config_dir_option, echo_error, echo_json, json_option, work_at
from jackfield_profiles.commands.aliases import aliases_argument

bin_dir_option = click.option(
    "--bin-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory of the commands (default: the setting profiles.bin_dir, else ~/.local/bin or ~/bin).",
)


@click.group(cls=CommandGroup)
def shims() -> None:
    """Commands that run profiles: two-line scripts named like them."""


@audited("profile.shim.create")
@shims.command()
@aliases_argument
@bin_dir_option
@json_option
@config_dir_option
@click.pass_obj
def install(cli: Cli, aliases: Sequence[str], bin_dir: Path | None, as_json: bool, config_dir: Path | None) -> None:
    """Install a command for each of ALIASES, or for every profile. A file of another program is never touched.

    Exit code 1 when one could not be installed."""
    work = work_at("jackfield_profiles.commands.shim_work:install", aliases, bin_dir)
    found = cli.run("profiles", work, config_dir=config_dir)
    if as_json:
        echo_json(found)
    for one in found if not as_json else ():
        if one["problem"] is not None:
            echo_error("SHIM_FAILED", one["problem"], as_json=False)
        else:
            click.echo(one["path"] if one["on_path"] else f"{one['path']} ({Path(one['path']).parent} is not in PATH)")
    if any(one["problem"] is not None for one in found):
        raise SystemExit(1)


@audited("profile.shim.delete")
@shims.command()
@aliases_argument
@bin_dir_option
@json_option
@config_dir_option
@click.pass_obj
def uninstall(cli: Cli, aliases: Sequence[str], bin_dir: Path | None, as_json: bool, config_dir: Path | None) -> None:
    """Remove the commands of ALIASES, or all that were installed here."""
    work = work_at("jackfield_profiles.commands.shim_work:uninstall", aliases, bin_dir)
    removed = cli.run("profiles", work, config_dir=config_dir)
    if as_json:
        echo_json({"removed": removed})
        return
    for alias in removed:
        click.echo(f"The command {alias} was removed.")
    if not removed:
        click.echo("There is no such command.", err=True)
