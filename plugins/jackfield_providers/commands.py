"""`jackfield providers`: who serves models, and where."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackfield.api.cli import Cli, cell, config_dir_option, echo_fields, echo_json, echo_table
from jackfield.api.providers import Providers

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.jsontext import Json

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

    async def work(context: PluginContext) -> list[dict[str, Json]]:
        from jackfield_providers.views import item

        found = await context.port(Providers).all()
        for warning in context.port(Providers).warnings():
            click.echo(f"jackfield: {warning}", err=True)
        return [item(provider) for provider in found.values()]

    rows = cli.run("providers", work, config_dir=config_dir)
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

    async def work(context: PluginContext) -> dict[str, Json]:
        from jackfield_providers.views import detail

        return detail(await context.port(Providers).find(provider_id))

    shown = cli.run("providers", work, config_dir=config_dir)
    if as_json:
        echo_json(shown)
    else:
        echo_fields(shown)
