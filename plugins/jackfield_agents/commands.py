"""`jackfield agents`: which there are, what is installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    cell,
    config_dir_option,
    echo_json,
    echo_table,
    json_option,
    work_at,
)
from jackfield.api.daemon import require_here
from jackfield.api.daemon_commands import completed_of, read_or_ask, segment
from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.problems import files_argument, tell_or_exit

PATH = "/api/agents"


@click.group(cls=CommandGroup)
def agents() -> None:
    """Coding agents: list, show, validate."""


@agents.command("list")
@click.option("--detect-again", is_flag=True, help="Ask every program for its version, whatever is known.")
@json_option
@config_dir_option
@click.pass_obj
def list_agents(cli: Cli, detect_again: bool, as_json: bool, config_dir: Path | None) -> None:
    """List the agents, and which are installed."""
    if detect_again:
        require_here(cli.config_dir(config_dir))
    work = work_at("jackfield_agents.command_work:listed", detect_again)
    rows = read_or_ask(cli, config_dir, PATH, lambda: cli.run("agents", work, config_dir=config_dir))
    if as_json:
        echo_json(rows)
        return
    cells = [
        [cell(row["id"]), cell(row["name"]), _version(row), cell(row["profile_count"]), cell(row["binary_path"])]
        for row in rows
    ]
    echo_table(["ID", "NAME", "VERSION", "PROFILES", "PROGRAM"], cells, empty="There is no agent.", right=["PROFILES"])


@agents.command("show")
@click.argument("agent_id", metavar="ID", shell_complete=completed_of(PATH, key="id", about="name"))
@json_option
@config_dir_option
@click.pass_obj
def show_agent(cli: Cli, agent_id: str, as_json: bool, config_dir: Path | None) -> None:
    """Show the agent ID: where its program is, its models, what it can do."""
    work = work_at("jackfield_agents.command_work:shown", agent_id)
    path = f"{PATH}/{segment(agent_id)}"
    shown = read_or_ask(cli, config_dir, path, lambda: (cli.run("agents", work, config_dir=config_dir), ()))
    CommandOutput(as_json=as_json).fields(shown)


@agents.command("validate")
@files_argument
@json_option
@config_dir_option
@click.pass_obj
def validate_agents(cli: Cli, files: tuple[Path, ...], as_json: bool, config_dir: Path | None) -> None:
    """Check manifests of agents before they are used: each mistake with its line and what is allowed there.

    Exit code 1 when a file has an error.
    """
    work = work_at("jackfield_agents.checking:validated", files)
    views = cli.run("agents", work, config_dir=config_dir)
    tell_or_exit(views, as_json=as_json)


def _version(row: Mapping[str, Json]) -> str:
    return cell(row["version"] or "installed") if row["installed"] else "not installed"
