"""`jackfield profiles run` and `jackfield profiles env`, for the group `profiles`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from jackfield.api.cli import Cli, audited, config_dir_option, echo_json, json_option, work_at
from jackfield.api.daemon import daemon_elsewhere, require_here
from jackfield.api.daemon_commands import segment
from jackfield_profiles.commands.aliases import PATH, alias_argument


@audited("profile.run", subject="alias")
@click.command("run", context_settings={"ignore_unknown_options": True})
@alias_argument
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--working-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the agent starts (default: the profile's directory, else the current one).",
)
@config_dir_option
@click.pass_obj
def run(cli: Cli, alias: str, args: tuple[str, ...], working_dir: Path | None, config_dir: Path | None) -> None:
    """Run the agent of the profile ALIAS in this terminal; ends with the agent's exit code. Arguments for the agent
    come after `--`."""
    work = work_at("jackfield_profiles.commands.running_work:run", alias, args, working_dir)
    sys.exit(cli.run("profiles", work, config_dir=config_dir))


@click.command("env")
@alias_argument
@click.option("--show-secrets", is_flag=True, help="Print keys and tokens as they are.")
@json_option
@config_dir_option
@click.pass_obj
def env(cli: Cli, alias: str, show_secrets: bool, as_json: bool, config_dir: Path | None) -> None:
    """Print the environment of the profile ALIAS as lines for a shell: `eval "$(jackfield profiles env ALIAS
    --show-secrets)"`. With --json one object. A daemon elsewhere does not show secrets."""
    found = _environment(cli, alias, show_secrets, config_dir)
    if as_json:
        echo_json(dict(found))
        return
    for line in exports(found):
        click.echo(line)


def _environment(cli: Cli, alias: str, show_secrets: bool, config_dir: Path | None) -> Mapping[str, str]:
    directory = cli.config_dir(config_dir)
    if show_secrets:
        require_here(directory)
    if (daemon := daemon_elsewhere(directory)) is not None:
        found: Mapping[str, str] = daemon.ask("GET", f"{PATH}/{segment(alias)}/env").data
        return found
    work = work_at("jackfield_profiles.commands.running_work:environment", alias, show_secrets)
    return cli.run("profiles", work, config_dir=config_dir)


def exports(environment: Mapping[str, str]) -> list[str]:
    """One line for each variable; names that no shell takes are left out."""
    return [f"export {name}={shlex.quote(value)}" for name, value in environment.items() if name.isidentifier()]
