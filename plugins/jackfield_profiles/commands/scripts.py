"""`jackfield scripts`: trying scripts before agents depend on them."""

from __future__ import annotations

from pathlib import Path

import click

from jackfield.api.cli import Cli, config_dir_option, work_at


@click.group()
def scripts() -> None:
    """Scripts that make agents' configuration."""


@scripts.command("test")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--profile", "alias", required=True, help="Alias of the profile that the script is run for.")
@config_dir_option
@click.pass_obj
def try_script(cli: Cli, file: Path, alias: str, config_dir: Path | None) -> None:
    """Run the script FILE for a profile and print what it would write. Nothing is written, and no key is shown."""
    work = work_at("jackfield_profiles.commands.script_work:generated", file, alias)
    for line in cli.run("profiles", work, config_dir=config_dir):
        click.echo(line)
