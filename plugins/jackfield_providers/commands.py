"""`jackfield providers`: who serves models, and where."""

from __future__ import annotations

from pathlib import Path

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    config_dir_option,
    json_option,
    work_at,
)
from jackfield.api.daemon_commands import completed_of, read_or_ask, segment
from jackfield.api.manifest_checks.problems import files_argument, tell_or_exit

PATH = "/api/providers"
_COLUMNS = {"ID": "id", "NAME": "name", "TYPE": "type", "DEFAULT MODEL": "default_model"}


@click.group(cls=CommandGroup)
def providers() -> None:
    """Providers of models: list, show, validate."""


@providers.command("list")
@json_option
@config_dir_option
@click.pass_obj
def list_providers(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """List the providers."""
    work = work_at("jackfield_providers.command_work:listed")
    rows = read_or_ask(cli, config_dir, PATH, lambda: cli.run("providers", work, config_dir=config_dir))
    CommandOutput(as_json=as_json).table(_COLUMNS, rows, "There is no provider.")


@providers.command("show")
@click.argument("provider_id", metavar="ID", shell_complete=completed_of(PATH, key="id", about="name"))
@json_option
@config_dir_option
@click.pass_obj
def show_provider(cli: Cli, provider_id: str, as_json: bool, config_dir: Path | None) -> None:
    """Show the provider ID: its endpoints, its models, where its key comes from."""
    work = work_at("jackfield_providers.command_work:shown", provider_id)
    path = f"{PATH}/{segment(provider_id)}"
    shown = read_or_ask(cli, config_dir, path, lambda: (cli.run("providers", work, config_dir=config_dir), ()))
    CommandOutput(as_json=as_json).fields(shown)


@providers.command("validate")
@files_argument
@json_option
@config_dir_option
@click.pass_obj
def validate_providers(cli: Cli, files: tuple[Path, ...], as_json: bool, config_dir: Path | None) -> None:
    """Check manifests of providers before they are used: each mistake with its line and what is allowed there.

    Exit code 1 when a file has an error.
    """
    work = work_at("jackfield_providers.checking:validated", files)
    views = cli.run("providers", work, config_dir=config_dir)
    tell_or_exit(views, as_json=as_json)
