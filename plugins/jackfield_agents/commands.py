"""`jackfield agents`: which there are, what is installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackfield.api.agents import Agents
from jackfield.api.cli import Cli, cell, config_dir_option, echo_fields, echo_json, echo_table

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.jsontext import Json

json_option = click.option("--json", "as_json", is_flag=True, help="For programs.")


@click.group()
def agents() -> None:
    """Coding agents: list, show."""


@agents.command("list")
@click.option("--detect-again", is_flag=True, help="Ask every program for its version, whatever is known.")
@json_option
@config_dir_option
@click.pass_obj
def list_agents(cli: Cli, detect_again: bool, as_json: bool, config_dir: Path | None) -> None:
    """List the agents, and which are installed."""

    async def work(context: PluginContext) -> list[dict[str, Json]]:
        from jackfield_agents.catalog import AgentCatalog
        from jackfield_agents.views import item, profile_counts

        catalog = context.port(Agents)
        if detect_again and isinstance(catalog, AgentCatalog):
            await catalog.forget()
        found = await catalog.detect_all()
        counts = await profile_counts(context)
        for warning in catalog.warnings():
            click.echo(f"jackfield: {warning}", err=True)
        known = await catalog.all()
        return [item(agent, found[agent.id], counts.get(agent.id, 0)) for agent in known.values() if agent.id in found]

    rows = cli.run("agents", work, config_dir=config_dir)
    if as_json:
        echo_json(rows)
        return
    cells = [
        [cell(row["id"]), cell(row["name"]), _version(row), cell(row["profile_count"]), cell(row["binary_path"])]
        for row in rows
    ]
    echo_table(["ID", "NAME", "VERSION", "PROFILES", "PROGRAM"], cells, right=["PROFILES"])


@agents.command("show")
@click.argument("agent_id", metavar="ID")
@json_option
@config_dir_option
@click.pass_obj
def show_agent(cli: Cli, agent_id: str, as_json: bool, config_dir: Path | None) -> None:
    """Show the agent ID: where its program is, its models, what it can do."""

    async def work(context: PluginContext) -> dict[str, Json]:
        from jackfield_agents.views import detail

        agent = await context.port(Agents).find(agent_id)
        return detail(agent, await context.port(Agents).detect(agent))

    shown = cli.run("agents", work, config_dir=config_dir)
    if as_json:
        echo_json(shown)
    else:
        echo_fields(shown)


def _version(row: Mapping[str, Json]) -> str:
    return cell(row["version"] or "installed") if row["installed"] else "not installed"
