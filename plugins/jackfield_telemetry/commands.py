"""`jackfield usage`: sums, reports, imports, export; beside a running daemon or without one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from jackfield.api.cli import Cli, config_dir_option, echo_fields, echo_json, harmless

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.jsontext import Json
    from jackfield_telemetry.asking import Asked
    from jackfield_telemetry.service import UsageService

T = TypeVar("T")
CommandT = TypeVar("CommandT", bound=Callable[..., Any])  # click commands take what their options say
PLUGIN = "telemetry"
PERIODS = ("today", "yesterday", "week", "month", "7d", "30d", "all")
json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")


def filters(command: CommandT) -> CommandT:
    """What reports and sums may be narrowed to."""
    for option in (
        click.option(
            "--tz", default="", metavar="ZONE", help="Days of this time zone (IANA name); default: the machine's."
        ),
        click.option("--provider", default="", help="Of this provider alone."),
        click.option("--model", default="", help="Of this model alone."),
        click.option("--profile", default="", help="Of this profile alone."),
        click.option("--agent", default="", help="Of this agent alone."),
    ):
        command = option(command)
    return command


def ask(cli: Cli, work: Callable[[UsageService], Awaitable[T]], config_dir: Path | None) -> T:
    """Let the parts of the plugin do something, and close the ledger."""

    async def run(context: PluginContext) -> T:
        from jackfield_telemetry.service import UsageService, close

        try:
            return await work(context.port(UsageService))
        finally:
            await close(context)

    return cli.run(PLUGIN, run, config_dir=config_dir)


@click.group(invoke_without_command=True)
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
    view, label = ask(context.obj, lambda service: _sums(service, period, narrowed), config_dir)
    if as_json:
        echo_json(view)
        return
    _show_sums(view, label)


def _was_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


async def _sums(service: UsageService, period: str, narrowed: dict[str, str]) -> tuple[dict[str, Json], list[str]]:
    from jackfield_telemetry.periods import LABELS, span_of, zone_of
    from jackfield_telemetry.queries import Where
    from jackfield_telemetry.summary import usage_view

    zone = zone_of(narrowed["tz"])
    span = span_of(period, service.context.clock.now_ms(), zone)
    where = Where(span, **{name: narrowed[name] for name in ("profile", "model", "agent", "provider")})
    summary = await service.thread(lambda: service.summary(where, zone))
    return usage_view(summary, LABELS[period]), await service.thread(service.warnings)


def _show_sums(view: dict[str, Json], warnings: list[str]) -> None:
    from jackfield_telemetry.report_tables import View, show_groups
    from jackfield_telemetry.tables import dollars, number

    found = cast("View", view)
    tell(warnings, found["unpriced"])
    tokens = found["total_tokens"]
    total = sum(tokens.values())
    parts = ("input", "output", "cache_creation_input", "cache_read_input")
    named = ", ".join(f"{number(tokens[f'{part}_tokens'])} {word}" for part, word in zip(parts, _WORDS, strict=True))
    echo_fields(
        {
            "Period": found["period"],
            "Tokens": f"{number(total)} ({named})" if total else "0",
            "Cost": dollars(found["total_cost"]["total_cost"]),
            "Sessions": number(found["total_sessions"]),
            "Time of runs": f"{number(found['total_runtime_secs'])} s",
        }
    )
    for name in ("agent", "profile", "provider", "model", "date"):
        if groups := found["aggregates"][f"by_{name}"]:
            click.echo()
            show_groups(name, groups)


_WORDS = ("input", "output", "cache writes", "cache reads")


def tell(warnings: list[str], unpriced: list[str]) -> None:
    """On standard error: what is damaged, and what has no price."""
    for sentence in warnings:
        click.echo(f"jackfield: {harmless(sentence)}", err=True)
    if unpriced:
        named = harmless(", ".join(unpriced))
        click.echo(f"jackfield: the price of {named} is not known; it is in no cost.", err=True)


def reporting(command: CommandT) -> CommandT:
    """The options of every report."""
    for option in (
        config_dir_option,
        json_option,
        click.option("--limit", type=click.IntRange(1, 10_000), default=10_000, help="Rows at most."),
        click.option("-o", "--order", type=click.Choice(["asc", "desc"]), default="asc", show_default=True),
        click.option("--project", default="", help="Of this directory, or of one that ends so."),
        filters,
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


def _shown(cli: Cli, kind: str, options: dict[str, Any]) -> None:
    from jackfield_telemetry.asking import Asked, asked_report
    from jackfield_telemetry.periods import zone_of
    from jackfield_telemetry.report_tables import show_blocks, show_report

    config_dir, as_json = options.pop("config_dir"), options.pop("as_json")
    breakdown = options.pop("breakdown")
    asked = Asked(kind=cast("Any", kind), breakdown=breakdown or ("model" if as_json else "none"), **options)
    view, warnings = ask(cli, lambda service: _reported(service, asked, asked_report), config_dir)
    if as_json:
        echo_json(view)
        return
    tell(warnings, cast("list[str]", view["unpriced"]))
    if not view["rows"]:
        click.echo("Nothing was used. Import what agents have logged with `jackfield usage import`.")
    elif kind == "blocks":
        show_blocks(view, zone_of(asked.tz), breakdown=breakdown is not None)
    else:
        show_report(view, breakdown=breakdown is not None)


async def _reported(
    service: UsageService, asked: Asked, work: Callable[[UsageService, Asked], tuple[dict[str, Json], list[str]]]
) -> tuple[dict[str, Json], list[str]]:
    return await service.thread(lambda: work(service, asked))


def _command(kind: str, summary: str) -> None:
    @usage.command(name=kind, help=summary)
    @reporting
    @click.pass_obj
    def run(cli: Cli, /, **options: Any) -> None:  # Any: each option's own type
        _shown(cli, kind, options)


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
@click.option("-a", "--active", is_flag=True, help="The present block alone.")
@click.option("-r", "--recent", is_flag=True, help="Of the last three days.")
@click.pass_obj
def blocks(cli: Cli, /, recent: bool, token_limit: str, **options: Any) -> None:  # Any: each option's own type
    """In blocks of 5 hours, each from the hour of its first answer on."""
    if recent:
        from datetime import datetime, timedelta

        from jackfield_telemetry.periods import zone_of

        options["since"] = (datetime.now(zone_of(options["tz"])).date() - timedelta(3)).isoformat()
    if token_limit not in ("", "max") and not (token_limit.isdecimal() and 0 < int(token_limit) < 10**15):
        raise click.BadParameter("give a number of tokens, or max", param_hint="--token-limit")
    _shown(cli, "blocks", {**options, "token_limit": token_limit})
