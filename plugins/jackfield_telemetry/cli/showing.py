"""`jackfield usage` and its reports."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import Cli, echo_fields, echo_json
from jackfield.api.daemon import daemon_elsewhere
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield_telemetry.cli.asking import IN_PROJECT, ask, asked_elsewhere, filter_of, profiles_within, tell
from jackfield_telemetry.cli.report_tables import View, echo_answers, echo_blocks, echo_groups, echo_report
from jackfield_telemetry.cli.tables import dollars, number
from jackfield_telemetry.report_requests import AnswersRequest, ReportRequest, requested_answers, requested_report
from jackfield_telemetry.reports.periods import LABELS, days_of, zone_of
from jackfield_telemetry.reports.summary import usage_view
from jackfield_telemetry.service import UsageService

PATH = "/api/usage"
_KINDS_OF_TOKENS = {
    "input": "input",
    "output": "output",
    "cache_creation_input": "cache writes",
    "cache_read_input": "cache reads",
}


def show_sums(cli: Cli, config_dir: Path | None, period: str, narrowed: dict[str, str], as_json: bool) -> None:
    """The sums of a period."""
    if (daemon := daemon_elsewhere(cli.config_dir(config_dir))) is not None:
        answer = daemon.ask("GET", PATH, query={"period": period, **asked_elsewhere(cli, config_dir, narrowed)})
        view, warnings = answer.data, list(answer.warnings)
    else:
        view, warnings = ask(cli, lambda service: _sums(service, period, narrowed), config_dir)
    if as_json:
        echo_json(view)
        return
    found = cast("View", view)
    tell(warnings, found["unpriced"])
    tokens = found["total_tokens"]
    total = sum(tokens.values())
    named = ", ".join(f"{number(tokens[f'{part}_tokens'])} {word}" for part, word in _KINDS_OF_TOKENS.items())
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
            echo_groups(name, groups)


async def _sums(service: UsageService, period: str, narrowed: dict[str, str]) -> tuple[dict[str, Json], list[str]]:
    where, zone = await filter_of(service, period, narrowed), zone_of(narrowed["tz"])
    summary = await service.thread(lambda: service.summary(where, zone))
    return usage_view(summary, LABELS[period]), await service.thread(service.warnings)


def show_report(cli: Cli, kind: str, options: dict[str, Any]) -> None:  # Any: each option's own type
    """A report with the options of its command."""
    config_dir, as_json = options.pop("config_dir"), options.pop("as_json")
    _narrow_to_period(options, options.pop("period"))
    breakdown, named = options.pop("breakdown"), options.pop(IN_PROJECT)
    asked = ReportRequest(kind=cast("Any", kind), breakdown=breakdown or ("model" if as_json else "none"), **options)
    if (daemon := daemon_elsewhere(cli.config_dir(config_dir))) is not None:
        query = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
        query = asked_elsewhere(cli, config_dir, {**query, IN_PROJECT: named})
        answer = daemon.ask("GET", f"{PATH}/report", query={**query, "kind": kind, "breakdown": asked.breakdown})
        view, warnings = answer.data, list(answer.warnings)
    else:
        view, warnings = ask(cli, lambda service: _report(service, asked, named), config_dir)
    if as_json:
        echo_json(view)
        return
    tell(warnings, cast("list[str]", view["unpriced"]))
    if not view["rows"]:
        click.echo("Nothing was used. Import what agents have logged with `jackfield usage import`.")
    elif kind == "blocks":
        echo_blocks(view, zone_of(asked.tz), breakdown=breakdown is not None)
    else:
        echo_report(view, breakdown=breakdown is not None)


async def _report(service: UsageService, asked: ReportRequest, named: str) -> tuple[dict[str, Json], list[str]]:
    wanted = replace(asked, within=await profiles_within(service, named))
    return await service.thread(lambda: requested_report(service, wanted))


def show_answers(
    cli: Cli,
    config_dir: Path | None,
    asked: dict[str, Any],  # Any: each option's own type
    as_json: bool,
) -> None:
    """Answer by answer."""
    if (daemon := daemon_elsewhere(cli.config_dir(config_dir))) is not None:
        query = asked_elsewhere(cli, config_dir, {name: str(value) for name, value in asked.items()})
        answer = daemon.ask("GET", f"{PATH}/answers", query=query)
        view, warnings = answer.data, list(answer.warnings)
    else:
        view, warnings = ask(cli, lambda service: _answers(service, asked), config_dir)
    if as_json:
        echo_json(view)
        return
    tell(warnings)
    echo_answers(cast("View", view), zone_of(asked["tz"]))


async def _answers(service: UsageService, asked: dict[str, Any]) -> tuple[dict[str, Json], list[str]]:
    given = {name: value for name, value in asked.items() if name != IN_PROJECT}
    wanted = AnswersRequest(**given, within=await profiles_within(service, asked[IN_PROJECT]))
    return await service.thread(lambda: requested_answers(service, wanted))


def _narrow_to_period(options: dict[str, Any], period: str | None) -> None:
    """To the days of a period, as `jackfield usage -p` counts them."""
    if period is None:
        return
    if options["since"] or options["until"]:
        raise click.UsageError("--period and the days --since and --until exclude each other; give one of them.")
    days = days_of(period, datetime.now(zone_of(options["tz"])).date())
    if days is not None:
        options["since"], options["until"] = (day.isoformat() for day in days)


def narrow_to_recent(options: dict[str, Any]) -> None:  # Any: each option's own type
    """To the last three days."""
    options["since"] = (datetime.now(zone_of(options["tz"])).date() - timedelta(3)).isoformat()
