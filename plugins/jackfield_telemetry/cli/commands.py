"""`jackfield usage`: sums, reports, imports, export; beside a running daemon or without one.

The work of the commands stands in `showing` and `filing`, which only a command that runs loads.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option, json_option
from jackfield.api.daemon_commands import completed, completed_of
from jackfield.api.object_references import load

CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say
PERIODS = ("today", "yesterday", "week", "month", "7d", "30d", "all")
_SHOWING = "jackfield_telemetry.cli.showing"
_FILING = "jackfield_telemetry.cli.filing"
complete_agent = completed_of("/api/agents", key="id", about="name")
complete_profile = completed_of("/api/profiles", key="alias", about="agent_id")
complete_project = completed("/projects")
complete_provider = completed_of("/api/providers", key="id", about="name")


def filters(command: CommandT) -> CommandT:
    """The options that narrow reports and sums."""
    for option in (
        click.option(
            "--tz", default="", metavar="ZONE", help="Days of this time zone (IANA name); default: the machine's."
        ),
        click.option(
            "--in-project",
            default="",
            metavar="PROJECT",
            shell_complete=complete_project,
            help="Of this project's profiles alone, by its id or name.",
        ),
        click.option("--provider", default="", shell_complete=complete_provider, help="Of this provider alone."),
        click.option("--model", default="", help="Of this model alone."),
        click.option("--profile", default="", shell_complete=complete_profile, help="Of this profile alone."),
        click.option("--agent", default="", shell_complete=complete_agent, help="Of this agent alone."),
    ):
        command = option(command)
    return command


def _do(place: str, *arguments: object) -> None:
    cast("Callable[..., None]", load(place))(*arguments)


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("-p", "--period", type=click.Choice(PERIODS), default="today", show_default=True, help="Of which time.")
@filters
@json_option
@config_dir_option
@click.pass_context
def usage(context: click.Context, /, config_dir: Path | None, as_json: bool, period: str, **narrowed: str) -> None:
    """Tokens and cost of agents. Without a command: the sums of a period."""
    if context.invoked_subcommand is not None:
        given = [name for name in context.params if _was_given(context, name)]
        if given:
            raise click.UsageError(f"Give options after the command {context.invoked_subcommand}.")
        return
    _do(f"{_SHOWING}:show_sums", context.obj, config_dir, period, narrowed, as_json)


def _was_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def reporting(command: CommandT) -> CommandT:
    """The options of every report."""
    for option in (
        config_dir_option,
        json_option,
        click.option("--limit", type=click.IntRange(1, 10_000), default=10_000, help="Rows at most."),
        click.option("-o", "--order", type=click.Choice(["asc", "desc"]), default="asc", show_default=True),
        click.option("--project", default="", help="Of this directory, or of one that ends so."),
        filters,
        click.option("-p", "--period", type=click.Choice(PERIODS), default=None, help="In place of days."),
        click.option("-u", "--until", default="", metavar="DAY", help="Up to this day, it included."),
        click.option("-s", "--since", default="", metavar="DAY", help="From this day on (YYYY-MM-DD)."),
        click.option(
            "-b",
            "--breakdown",
            type=click.Choice(["model", "agent", "provider", "profile", "project"]),
            is_flag=False,
            flag_value="model",
            default=None,
            help="Divide each row, by model unless told.",
        ),
    ):
        command = option(command)
    return command


def _command(kind: str, summary: str) -> None:
    @usage.command(name=kind, help=summary)
    @reporting
    @click.pass_obj
    def run(cli: Cli, /, **options: Any) -> None:  # Any: each option's own type
        _do(f"{_SHOWING}:show_report", cli, kind, options)


for _kind, _summary in (
    ("daily", "By day."),
    ("weekly", "By week, from Monday on."),
    ("monthly", "By month."),
    ("session", "By session of an agent, the latest last."),
    ("models", "By model."),
    ("agents", "By agent."),
    ("providers", "By provider."),
    ("profiles", "By profile."),
    ("projects", "By the directory that was worked in."),
):
    _command(_kind, _summary)


@usage.command()
@reporting
@click.option("--hours", type=click.IntRange(1, 168), default=5, show_default=True, help="Length of a block.")
@click.option("-t", "--token-limit", default="", metavar="N|max", help="Warn; max: the largest block that has ended.")
@click.option("-a", "--active", is_flag=True, help="The current block alone.")
@click.option("-r", "--recent", is_flag=True, help="Of the last three days.")
@click.pass_obj
def blocks(cli: Cli, /, recent: bool, token_limit: str, **options: Any) -> None:  # Any: each option's own type
    """In blocks of 5 hours, each from the hour of its first answer on."""
    if recent:
        if options["period"]:
            raise click.UsageError("--recent and --period exclude each other; give one of them.")
        _do(f"{_SHOWING}:narrow_to_recent", options)
    if token_limit not in ("", "max") and not (token_limit.isdecimal() and 0 < int(token_limit) < 10**15):
        raise click.BadParameter("give a number of tokens, or max", param_hint="--token-limit")
    _do(f"{_SHOWING}:show_report", cli, "blocks", {**options, "token_limit": token_limit})


@usage.command()
@click.option("-s", "--since", default="", metavar="DAY", help="From this day on (YYYY-MM-DD).")
@click.option("-u", "--until", default="", metavar="DAY", help="Up to this day, it included.")
@filters
@click.option("--session", default="", help="Of this session of an agent alone.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many of the latest answers to show.",
)
@json_option
@config_dir_option
@click.pass_obj
def answers(cli: Cli, /, config_dir: Path | None, as_json: bool, **asked: Any) -> None:  # Any: each option's own type
    """Answer by answer, each with the id that its provider gave it."""
    _do(f"{_SHOWING}:show_answers", cli, config_dir, asked, as_json)


@usage.command(name="import")
@click.argument("agent_dir", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--agent",
    shell_complete=complete_agent,
    help="The agent whose log it is; without AGENT_DIR: only this agent's own.",
)
@json_option
@config_dir_option
@click.pass_obj
def import_(cli: Cli, agent_dir: Path | None, agent: str | None, as_json: bool, config_dir: Path | None) -> None:
    """Count what is new in agents' own logs, or in the data directory AGENT_DIR."""
    _do(f"{_FILING}:import_logs", cli, config_dir, agent, str(agent_dir.absolute()) if agent_dir else None, as_json)


@usage.command()
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output.")
@click.option("-p", "--period", type=click.Choice(PERIODS), default="all", show_default=True)
@filters
@config_dir_option
@click.pass_obj
def export(cli: Cli, /, form: str, output: Path | None, config_dir: Path | None, period: str, **narrowed: str) -> None:
    """One row for each day, agent, profile, provider, model, session and project."""
    _do(f"{_FILING}:export", cli, config_dir, form, output, period, narrowed)


@usage.command()
@json_option
@config_dir_option
@click.pass_obj
def rebuild(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """Read the whole log of sessions again, and write aggregates.json anew; a damaged one is kept beside."""
    _do(f"{_FILING}:rebuild", cli, config_dir, as_json)
