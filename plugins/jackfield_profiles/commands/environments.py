"""`jackfield env`: programs in a profile's environment, in this terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from jackfield.api.cli import Cli, CommandGroup, audited, config_dir_option, work_at
from jackfield_profiles.commands.aliases import alias_argument

_WORK = "jackfield_profiles.commands.environment_work"


@click.group("env", cls=CommandGroup)
def env_group() -> None:
    """A profile's environment: setup, shell."""


@audited("profile.setup", subject="alias")
@env_group.command()
@alias_argument
@click.argument("task")
@config_dir_option
@click.pass_obj
def setup(cli: Cli, alias: str, task: str, config_dir: Path | None) -> None:
    """Run TASK of the manifest (`setup_tasks`) in the home and environment of ALIAS; ends with its exit code."""
    sys.exit(cli.run("profiles", work_at(f"{_WORK}:setup", alias, task), config_dir=config_dir))


@audited("profile.shell", subject="alias")
@env_group.command()
@alias_argument
@config_dir_option
@click.pass_obj
def shell(cli: Cli, alias: str, config_dir: Path | None) -> None:
    """Start your shell in the environment of ALIAS: what its agent sees, with its key; ends with the shell's code."""
    sys.exit(cli.run("profiles", work_at(f"{_WORK}:shell", alias), config_dir=config_dir))
