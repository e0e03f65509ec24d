"""`jackfield providers`: who serves models, and where."""

from __future__ import annotations

from pathlib import Path

import click

from jackfield.api.cli import Cli, cell, config_dir_option, echo_fields, echo_json, echo_table, work_at

json_option = click.option("--json", "as_json", is_flag=True, help="For programs.")


@click.group()
def providers() -> None:
    """Providers of models: list, show."""


@providers.command("list")
@json_option
@config_dir_option
@click.pass_obj
def list_providers(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """List the providers."""

    rows, warnings = cli.run("providers", work_at("jackfield_providers.command_work:listed"), config_dir=config_dir)
    for warning in warnings:
        click.echo(f"jackfield: {warning}", err=True)
    if as_json:
        echo_json(rows)
    else:
        names = ("id", "name", "type", "default_model")
        echo_table(["ID", "NAME", "TYPE", "DEFAULT MODEL"], [[cell(row[name]) for name in names] for row in rows])


@providers.command("show")
@click.argument("provider_id", metavar="ID")
@json_option
@config_dir_option
@click.pass_obj
def show_provider(cli: Cli, provider_id: str, as_json: bool, config_dir: Path | None) -> None:
    """Show the provider ID: its endpoints, its models, where its key comes from."""
    work = work_at("jackfield_providers.command_work:shown", provider_id)
    shown = cli.run("providers", work, config_dir=config_dir)
    if as_json:
        echo_json(shown)
    else:
        echo_fields(shown)
