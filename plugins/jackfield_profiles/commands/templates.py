"""`jackfield templates`, and the option `--template` of `jackfield profiles create`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    config_dir_option,
    json_option,
    work_at,
)
from jackfield.api.daemon_commands import completed_of, read_or_ask
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.manifest_checks.problems import files_argument, tell_or_exit
from jackfield.api.similar_names import did_you_mean
from jackfield_profiles.template_fit import require_agent

PATH = "/api/profile-templates"
_COLUMNS = {"ID": "id", "AGENT": "agent_id", "DESCRIPTION": "description"}
_WORK = "jackfield_profiles.commands.template_work"
complete_template = completed_of(PATH, key="id", about="description")
template_option = click.option(
    "-t", "--template", shell_complete=complete_template, help="A template's id, or a file that ends with .toml."
)


@click.group(cls=CommandGroup)
def templates() -> None:
    """Templates of profiles: list, show, validate."""


@templates.command("list")
@json_option
@config_dir_option
@click.pass_obj
def list_templates(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """List the templates."""
    rows = _every(cli, config_dir)
    CommandOutput(as_json=as_json).table(_COLUMNS, rows, "There is no template.")


@templates.command("show")
@click.argument("template_id", metavar="ID", shell_complete=complete_template)
@json_option
@config_dir_option
@click.pass_obj
def show_template(cli: Cli, template_id: str, as_json: bool, config_dir: Path | None) -> None:
    """Show the template ID: the fields that it gives a profile."""
    found = _named(cli, config_dir, template_id)
    CommandOutput(as_json=as_json).fields(found)


@templates.command("validate")
@files_argument
@json_option
@config_dir_option
@click.pass_obj
def validate_templates(cli: Cli, files: tuple[Path, ...], as_json: bool, config_dir: Path | None) -> None:
    """Check files of templates before they are used: each mistake with its line and what is allowed there.

    Exit code 1 when a file has an error.
    """
    views = cli.run("profiles", work_at(f"{_WORK}:validated", files), config_dir=config_dir)
    tell_or_exit(views, as_json=as_json)


def fields_of(cli: Cli, config_dir: Path | None, template: str | None, agent: str) -> Mapping[str, Json]:
    """The fields that the template gives a profile of the agent; nothing without one.

    Raises `NotFound`, `InvalidInput`.
    """
    if template is None:
        return {}
    if template.endswith(".toml"):
        found = cli.run("profiles", work_at(f"{_WORK}:read", Path(template)), config_dir=config_dir)
    else:
        found = _named(cli, config_dir, template)
    require_agent(found["id"], found["agent_id"], agent)
    fields: Mapping[str, Json] = found["profile"]
    return fields


def _named(cli: Cli, config_dir: Path | None, id: str) -> Any:  # JSON of `templates.shown`
    every = {str(row["id"]): row for row in _every(cli, config_dir)}
    if id not in every:
        known = ", ".join(every)
        raise NotFound(f"There is no template {id}; there are: {known}{did_you_mean(id, every)}")
    return every[id]


def _every(cli: Cli, config_dir: Path | None) -> Any:  # JSON of `templates.shown`
    work = work_at(f"{_WORK}:listed")
    return read_or_ask(cli, config_dir, PATH, lambda: cli.run("profiles", work, config_dir=config_dir))
