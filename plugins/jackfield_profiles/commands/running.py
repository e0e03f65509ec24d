"""`jackfield profiles run` and `jackfield profiles env`, for the group `profiles`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from jackfield.api.cli import Cli, config_dir_option, work_at


@click.command("run", context_settings={"ignore_unknown_options": True})
@click.argument("alias")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--working-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the agent starts (default: the profile's directory, else the present one).",
)
@config_dir_option
@click.pass_obj
def run(cli: Cli, alias: str, args: tuple[str, ...], working_dir: Path | None, config_dir: Path | None) -> None:
    """Run the agent of the profile ALIAS in this terminal; ends with the agent's exit code. Arguments for the agent
    come after `--`."""
    work = work_at("jackfield_profiles.commands.running_work:run", alias, args, working_dir)
    sys.exit(cli.run("profiles", work, config_dir=config_dir))


@click.command("env")
@click.argument("alias")
@click.option("--show-secrets", is_flag=True, help="Print keys and tokens as they are.")
@config_dir_option
@click.pass_obj
def env(cli: Cli, alias: str, show_secrets: bool, config_dir: Path | None) -> None:
    """Print the environment of the profile ALIAS as lines for a shell: `eval "$(jackfield profiles env ALIAS
    --show-secrets)"`."""
    work = work_at("jackfield_profiles.commands.running_work:environment", alias, show_secrets)
    for line in exports(cli.run("profiles", work, config_dir=config_dir)):
        click.echo(line)


def exports(environment: Mapping[str, str]) -> list[str]:
    """One line for each variable; names that no shell takes are left out."""
    return [f"export {name}={shlex.quote(value)}" for name, value in environment.items() if name.isidentifier()]
