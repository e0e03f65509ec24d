"""`jackfield key`: virtual keys of the running daemon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    config_dir_option,
    echo_json,
    echo_remark,
    echo_table,
    json_option,
)
from jackfield.api.daemon import DaemonClient
from jackfield.api.daemon_commands import completed_of, identified

complete_key = completed_of("/api/gateway/keys", key="label", about="id")
key_argument = click.argument("name", metavar="KEY", shell_complete=complete_key)
complete_profile = completed_of("/api/profiles", key="alias", about="agent_id")
Limits = Mapping[str, Any]  # what options give, each with its own type


@click.group("key", cls=CommandGroup)
def key() -> None:
    """Virtual keys of proxies: make, list, change, revoke, usage. A KEY is an id or a label."""


def limit_options(command: Any) -> Any:  # Any: click's decorators
    for option in reversed(_LIMITS):
        command = option(command)
    return command


_LIMITS = (
    click.option("--owner", metavar="NAME", help="The key's owner; keys of one owner share what they store."),
    click.option(
        "--model", "models", multiple=True, metavar="PATTERN", help="May be asked for; repeatable (default: all)."
    ),
    click.option(
        "--profile", "profiles", multiple=True, metavar="ALIAS", shell_complete=complete_profile,
        help="Its proxy is open to the key; repeatable (default: all).",
    ),
    click.option("--rpm", type=click.IntRange(1), help="Most requests in any 60 seconds."),
    click.option("--tpm", type=click.IntRange(1), help="Most tokens in any 60 seconds."),
    click.option("--parallel", type=click.IntRange(1), help="Most requests in flight."),
    click.option(
        "--budget", "budgets", multiple=True, metavar="PERIOD.UNIT=AMOUNT",
        help="Such as day.usd=5 or total.tokens=1000000; repeatable. Periods: day, month, total.",
    ),
    click.option("--cache", "cache", type=click.FloatRange(0, 86_400), metavar="SECONDS",
                 help="How long an answer may serve the same request again."),
    click.option("--expires", metavar="TIME", help="When it ends, ISO 8601, or 30d, 12h (default: never)."),
)  # fmt: skip


@key.command()
@click.argument("label")
@limit_options
@json_option
@config_dir_option
@click.pass_obj
def create(cli: Cli, /, config_dir: Path | None, label: str, as_json: bool, **limits: Any) -> None:
    """Make a virtual key, and print it once."""
    found = _ask(cli, config_dir, "POST", "keys", body={"label": label, **_body(limits)})
    _tell_secret(found, as_json)


@key.command("list")
@click.option("--revoked", is_flag=True, help="Revoked keys too.")
@json_option
@config_dir_option
@click.pass_obj
def list_keys(cli: Cli, config_dir: Path | None, revoked: bool, as_json: bool) -> None:
    """List the virtual keys."""
    found = _ask(cli, config_dir, "GET", "keys", query={"revoked": str(revoked).lower()})
    if as_json:
        echo_json(found)
        return
    columns = ("LABEL", "OWNER", "PREFIX", "STATUS", "MODELS", "PROFILES", "BUDGETS", "EXPIRES", "LAST USE", "ID")
    rows = [
        [
            one["label"],
            one["owner"] or "-",
            one["prefix"],
            one["status"],
            " ".join(one["models"]) or "all",
            " ".join(one["profiles"]) or "all",
            " ".join(f"{b['period']}.{b['unit']}={b['used']:.6g}/{b['limit']:.6g}" for b in one["budgets"]) or "-",
            one["expires_at"] or "never",
            one["last_used_at"] or "-",
            one["id"],
        ]
        for one in found
    ]
    echo_table(columns, rows, empty="There is no virtual key.")


@key.command()
@key_argument
@json_option
@config_dir_option
@click.pass_obj
def show(cli: Cli, config_dir: Path | None, name: str, as_json: bool) -> None:
    """Show a virtual key, without its secret."""
    found = _ask(cli, config_dir, "GET", f"keys/{_id(cli, config_dir, name)}")
    CommandOutput(as_json=as_json).fields(found)


@key.command()
@key_argument
@click.option("--label", help="Another label.")
@limit_options
@click.option("--clear", "cleared", multiple=True, type=click.Choice(
    ["models", "profiles", "rpm", "tpm", "parallel", "budgets", "cache", "expires"]
), help="Take this limit away; repeatable.")  # fmt: skip
@json_option
@config_dir_option
@click.pass_obj
def change(
    cli: Cli,
    /,
    config_dir: Path | None,
    name: str,
    label: str | None,
    cleared: tuple[str, ...],
    as_json: bool,
    **limits: Any,
) -> None:
    """Change a virtual key. Options that you leave out change nothing; --budget replaces all budgets."""
    body = {**({"label": label} if label else {}), **_body(limits), **{_NAMES[one]: None for one in cleared}}
    found = _ask(cli, config_dir, "PATCH", f"keys/{_id(cli, config_dir, name)}", body=body)
    CommandOutput(as_json=as_json).fields(found)


@key.command()
@key_argument
@json_option
@config_dir_option
@click.pass_obj
def rotate(cli: Cli, config_dir: Path | None, name: str, as_json: bool) -> None:
    """Give a virtual key a new secret, and print it once. The old one counts no more."""
    _tell_secret(_ask(cli, config_dir, "POST", f"keys/{_id(cli, config_dir, name)}/rotate"), as_json)


@key.command()
@key_argument
@json_option
@config_dir_option
@click.pass_obj
def revoke(cli: Cli, config_dir: Path | None, name: str, as_json: bool) -> None:
    """Revoke a virtual key for good."""
    found = _ask(cli, config_dir, "DELETE", f"keys/{_id(cli, config_dir, name)}")
    echo_json(found) if as_json else click.echo(f"The key {found['label']} is revoked.")


@key.command()
@click.argument("name", metavar="[KEY]", required=False, shell_complete=complete_key)
@click.option("--since", metavar="DAY", help="The first day, YYYY-MM-DD.")
@click.option("--until", metavar="DAY", help="The last day.")
@json_option
@config_dir_option
@click.pass_obj
def usage(
    cli: Cli, config_dir: Path | None, name: str | None, since: str | None, until: str | None, as_json: bool
) -> None:
    """List what virtual keys have used, by day and model, the latest first."""
    wanted = {"key": _id(cli, config_dir, name) if name else None, "since": since, "until": until}
    query = {part: value for part, value in wanted.items() if value is not None}
    found = _ask(cli, config_dir, "GET", "usage", query=query)
    if as_json:
        echo_json(found)
        return
    columns = ("DAY", "KEY", "PROFILE", "MODEL", "REQUESTS", "FAILED", "CACHED", "IN", "OUT", "USD")
    rows = [
        [
            one["day"] or "before",
            one["label"] or one["key"],
            one["profile"],
            f"{one['provider']}/{one['model']}",
            *(str(one[part]) for part in ("requests", "failures", "cached", "input_tokens", "output_tokens")),
            f"{one['cost_usd']:.4f}",
        ]
        for one in found
    ]
    echo_table(columns, rows, empty="Nothing was used.", right=("REQUESTS", "FAILED", "CACHED", "IN", "OUT", "USD"))


_NAMES = {
    "owner": "owner",
    "models": "models",
    "profiles": "profiles",
    "rpm": "requests_per_minute",
    "tpm": "tokens_per_minute",
    "parallel": "parallel_requests",
    "budgets": "budgets",
    "cache": "cache_seconds",
    "expires": "expires_at",
}


def _body(limits: Limits) -> dict[str, Any]:
    """The options that were given, as the API has it."""
    given = {_NAMES[name]: value for name, value in limits.items() if value not in (None, ())}
    if "budgets" in given:
        given["budgets"] = _budgets(given["budgets"])
    if "expires_at" in given:
        given["expires_at"] = _time(given["expires_at"])
    return given


def _budgets(texts: Sequence[str]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for text in texts:
        name, _, amount = text.partition("=")
        period, _, unit = name.partition(".")
        try:
            found.setdefault(period, {})[unit] = float(amount) if unit == "usd" else int(amount)
        except ValueError:
            raise click.UsageError(f"--budget {text}: give it as day.usd=5.") from None
    return found


def _time(text: str) -> str:
    units = {"m": 60, "h": 3600, "d": 86_400}
    if text[:-1].isdigit() and text[-1] in units and len(text) < 8:
        return (datetime.now(UTC) + timedelta(seconds=int(text[:-1]) * units[text[-1]])).isoformat()
    return text


def _tell_secret(found: Any, as_json: bool) -> None:
    if as_json:
        echo_json(found)
        return
    click.echo(found["key"])
    echo_remark(f"This is the key {found['label']} ({found['id']}). Nobody can read it again.")


def _ask(cli: Cli, config_dir: Path | None, method: str, path: str, **more: Any) -> Any:
    """Any: each route has its own form."""
    return DaemonClient(cli.config_dir(config_dir)).ask(method, f"/api/gateway/{path}", **more).data


def _id(cli: Cli, config_dir: Path | None, name: str) -> str:
    """Of the key with this id or label."""
    found = _ask(cli, config_dir, "GET", "keys", query={"revoked": "true"})
    valid = [one for one in found if one["status"] != "revoked" or one["id"] == name]
    return quote(identified([{**one, "name": one["label"]} for one in valid], name, "key"), safe="")
