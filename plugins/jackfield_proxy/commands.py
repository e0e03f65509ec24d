"""`jackfield proxy`: proxies of the running daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    config_dir_option,
    echo_fields,
    echo_json,
    echo_table,
    echo_warning,
    harmless,
    json_option,
)
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import completed_of

complete_alias = completed_of("/api/profiles", key="alias", about="agent_id")
alias_argument = click.argument("alias", shell_complete=complete_alias)

optional_alias_argument = click.argument("alias", required=False, shell_complete=complete_alias)


@click.group(cls=CommandGroup)
def proxy() -> None:
    """Proxies of profiles: start, stop, look, configure, test rules."""


def _ask(cli: Cli, config_dir: Path | None, method: str, path: str, **more: Any) -> Any:
    """Any: each route has its own form. Warnings go to standard error."""
    found = DaemonClient(cli.config_dir(config_dir)).ask(method, f"/api/proxy/{path}", **more)
    for warning in found.warnings:
        echo_warning(warning)
    return found.data


@proxy.command()
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def start(cli: Cli, config_dir: Path | None, alias: str, as_json: bool) -> None:
    """Start the proxy of ALIAS, and wait until it runs."""
    _say(_ask(cli, config_dir, "POST", f"{quote(alias)}/start"), as_json)


@proxy.command()
@optional_alias_argument
@click.option("--all", "every", is_flag=True, help="Every proxy.")
@json_option
@config_dir_option
@click.pass_obj
def stop(cli: Cli, config_dir: Path | None, alias: str | None, every: bool, as_json: bool) -> None:
    """Stop the proxy of ALIAS, or all of them."""
    if (alias is None) != every:
        raise click.UsageError("Give an alias or --all.")
    if alias is not None:
        _say(_ask(cli, config_dir, "POST", f"{quote(alias)}/stop"), as_json)
        return
    found = _ask(cli, config_dir, "POST", "stop-all")
    if as_json:
        echo_json(found)
    else:
        click.echo(f"Stopped: {', '.join(found['stopped']) or 'none ran'}.")


@proxy.command()
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def restart(cli: Cli, config_dir: Path | None, alias: str, as_json: bool) -> None:
    """Give the proxy of ALIAS a new process."""
    _say(_ask(cli, config_dir, "POST", f"{quote(alias)}/restart"), as_json)


@proxy.command()
@optional_alias_argument
@json_option
@config_dir_option
@click.pass_obj
def status(cli: Cli, config_dir: Path | None, alias: str | None, as_json: bool) -> None:
    """Show the proxy of ALIAS, or all of them."""
    found = _ask(cli, config_dir, "GET", f"status/{quote(alias)}" if alias else "status")
    if as_json:
        echo_json(found)
    elif alias:
        echo_fields(found)
    else:
        columns = ("PROFILE", "STATUS", "PORT", "PID", "RESTARTS", "REQUESTS", "STARTED")
        names = ("profile", "status", "port", "pid", "restarts", "requests", "started_at")
        cells = [["-" if one[name] is None else str(one[name]) for name in names] for one in found]
        echo_table(columns, cells, empty="There is no proxy.")


@proxy.command()
@json_option
@config_dir_option
@click.pass_obj
def shared(cli: Cli, config_dir: Path | None, as_json: bool) -> None:
    """Show the listener that all proxies share, for virtual keys."""
    found = _ask(cli, config_dir, "GET", "shared")
    CommandOutput(as_json=as_json).fields(found)


@proxy.command()
@alias_argument
@click.option("-n", "--lines", default=100, show_default=True, help="How many of the last lines.")
@json_option
@config_dir_option
@click.pass_obj
def logs(cli: Cli, config_dir: Path | None, alias: str, lines: int, as_json: bool) -> None:
    """Print the last lines of the log of ALIAS's proxy."""
    found = _ask(cli, config_dir, "GET", f"{quote(alias)}/logs", query={"lines": str(lines)})
    if as_json:
        echo_json(found)
        return
    for line in found["lines"]:
        click.echo(harmless(line))


@proxy.command()
@alias_argument
@click.option("--set", "file", type=click.File("rb"), help="Replace it by this JSON file; - is standard input.")
@json_option
@config_dir_option
@click.pass_obj
def config(cli: Cli, config_dir: Path | None, alias: str, file: BinaryIO | None, as_json: bool) -> None:
    """Print the configuration of ALIAS's proxy as JSON, or replace it. With or without --json it is the same JSON."""
    del as_json  # of the errors alone, which `main` tells
    if file is None:
        echo_json(_ask(cli, config_dir, "GET", f"{quote(alias)}/config"))
        return
    try:
        body = json.loads(file.read())
    except ValueError:
        raise click.ClickException("The file is not valid JSON.") from None
    echo_json(_ask(cli, config_dir, "PUT", f"{quote(alias)}/config", body=body))


@proxy.command()
@alias_argument
@click.option("-n", "--limit", default=20, show_default=True, help="How many of the latest requests.")
@json_option
@config_dir_option
@click.pass_obj
def requests(cli: Cli, config_dir: Path | None, alias: str, limit: int, as_json: bool) -> None:
    """List the latest requests of ALIAS's proxy, the newest first."""
    found = _ask(cli, config_dir, "GET", f"{quote(alias)}/requests", query={"limit": str(limit)})
    if as_json:
        echo_json(found)
        return
    columns = ("TIME", "ASKED", "TARGET", "RULE", "STATUS", "MS", "IN", "OUT", "USD")
    rows = [
        [
            one["time"],
            one["asked_model"],
            f"{one['provider']}/{one['model']}",
            one["rule"] or "-",
            str(one["status"]),
            str(one["duration_ms"]),
            *(str(one["usage"][name]) if one["usage"] else "-" for name in ("input_tokens", "output_tokens")),
            "-" if one["cost_usd"] is None else f"{one['cost_usd']:.4f}",
        ]
        for one in found
    ]
    echo_table(columns, rows, empty="There is no request.", right=("STATUS", "MS", "IN", "OUT", "USD"))


@proxy.command()
@alias_argument
@click.option("-m", "--model", required=True, help="The model that is asked for.")
@click.option("-t", "--tokens", default=1, show_default=True, help="Length of the request, in tokens.")
@click.option("--tools", default=0, show_default=True, help="How many tools it brings.")
@click.option("--thinking", is_flag=True, help="It asks for thinking.")
@click.option("--image", is_flag=True, help="It has an image.")
@click.option("--web-search", is_flag=True, help="It brings a hosted web search.")
@click.option("--header", "headers", multiple=True, metavar="NAME=VALUE", help="A header; repeatable.")
@click.option("--time", "clock", metavar="HH:MM", help="Local time of day (default: now).")
@json_option
@config_dir_option
@click.pass_obj
def test(
    cli: Cli,
    config_dir: Path | None,
    alias: str,
    model: str,
    tokens: int,
    tools: int,
    thinking: bool,
    image: bool,
    web_search: bool,
    headers: tuple[str, ...],
    clock: str | None,
    as_json: bool,
) -> None:
    """Tell which rule of ALIAS's proxy would take a request, and why. Nothing is sent."""
    body = {
        "model": model,
        "tokens": tokens,
        "tools": tools,
        "thinking": thinking,
        "image": image,
        "web_search": web_search,
        "headers": dict(header.split("=", 1) for header in headers if "=" in header),
        "time": clock,
    }
    found = _ask(cli, config_dir, "POST", f"{quote(alias)}/test", body=body)
    if as_json:
        echo_json(found)
        return
    click.echo(f"{found['provider']}/{found['model']}: {found['reason']}")
    if not found["usable"]:
        click.echo(f"The provider {found['provider']} cannot be reached by a proxy.", err=True)
    rows = [
        [
            one["name"],
            str(one["priority"]),
            one["target"],
            "yes" if one["fits"] else "no",
            json.dumps(one["condition"]),
        ]
        for one in found["rules"]
    ]
    echo_table(("RULE", "PRIORITY", "TARGET", "FITS", "CONDITION"), rows, empty="There is no rule.")


def _say(found: Any, as_json: bool) -> None:
    if as_json:
        echo_json(found)
    else:
        where = f" on 127.0.0.1:{found['port']}" if found["port"] else ""
        click.echo(f"The proxy of {found['profile']}: {found['status']}{where}.")
