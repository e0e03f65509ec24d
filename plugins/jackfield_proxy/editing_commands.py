"""`jackfield proxy enable`, `disable`, `route` and `alias`: changes of a proxy's configuration, part by part. Merged
into the group of the other commands."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from jackfield.api.cli import Cli, CommandGroup, config_dir_option, echo_json, echo_table, echo_warning, json_option
from jackfield.api.daemon import DaemonClient, RawAnswer
from jackfield.api.daemon_commands import completed_of, segment
from jackfield.api.dry_runs import changes, dry_run_option, echo_dry_run
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield.api.similar_names import did_you_mean

Config = dict[str, Any]
"""JSON, as `GET /api/proxy/{alias}/config` gives it."""
alias_argument = click.argument("alias", shell_complete=completed_of("/api/profiles", key="alias", about="agent_id"))
_WORDS = {"always": "always", "thinking": "thinking", "image": "image", "web_search": "web_search",
          "background": "background"}  # fmt: skip
_COUNT = re.compile(r"(tokens|tools)\s*(>=|>|<=|<)\s*(\d{1,9})")


@click.group("proxy", cls=CommandGroup)
def proxy_editing() -> None:
    """Proxies of profiles: start, stop, look, configure, test rules."""


@proxy_editing.group(cls=CommandGroup)
def route() -> None:
    """Rules of a proxy: add, list, remove."""


@proxy_editing.group(cls=CommandGroup)
def alias() -> None:
    """Other names of models: set, list, remove."""


@proxy_editing.command()
@alias_argument
@click.option("--port", type=click.IntRange(1, 65_535), help="Where it listens (default: any free port).")
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def enable(cli: Cli, config_dir: Path | None, alias: str, port: int | None, dry_run: bool, as_json: bool) -> None:
    """Switch the proxy of ALIAS on; it starts with the agent."""

    def change(config: Config) -> None:
        config["enabled"] = True
        config["port"] = config["port"] if port is None else port

    _apply(cli, config_dir, alias, change, f"The proxy of {alias} is enabled.", as_json, dry_run)


@proxy_editing.command()
@alias_argument
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def disable(cli: Cli, config_dir: Path | None, alias: str, dry_run: bool, as_json: bool) -> None:
    """Switch the proxy of ALIAS off; its rules stay."""

    def change(config: Config) -> None:
        config["enabled"] = False

    _apply(cli, config_dir, alias, change, f"The proxy of {alias} is disabled.", as_json, dry_run)


@route.command("add")
@alias_argument
@click.argument("name")
@click.argument("condition")
@click.argument("target")
@click.option("--priority", default=0, show_default=True, help="The highest comes first.")
@click.option("--weight", type=click.FloatRange(0), help="Its share under Weighted.")
@click.option(
    "--fallback", is_flag=True, help="This rule serves only when no other rule fits, or those that fit have failed."
)
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def add_route(
    cli: Cli,
    config_dir: Path | None,
    alias: str,
    name: str,
    condition: str,
    target: str,
    priority: int,
    weight: float | None,
    fallback: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add the rule NAME: requests that CONDITION fits go to TARGET, `provider/model`.

    CONDITION is always, thinking, image, web_search, background, `tokens > 1000`, `tools >= 2`, or a JSON object.
    """
    made: Config = {"name": name, "condition": condition_of(condition), "target": target, "priority": priority}
    made |= {} if weight is None else {"weight": weight}
    made |= {"fallback": True} if fallback else {}

    def change(config: Config) -> None:
        rules = config["routing"].setdefault("rules", [])
        if any(rule["name"] == name for rule in rules):
            raise InvalidInput(f"The proxy of {alias} has a rule {name} already; remove it, or choose another name.")
        rules.append(made)

    _apply(cli, config_dir, alias, change, f"The rule {name} was added.", as_json, dry_run)


@route.command("list")
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def list_routes(cli: Cli, config_dir: Path | None, alias: str, as_json: bool) -> None:
    """List the rules of ALIAS's proxy, the first that counts on top."""
    rules = sorted(_read(cli, config_dir, alias)[0]["routing"].get("rules", []), key=lambda rule: -rule["priority"])
    if as_json:
        echo_json(rules)
        return
    rows = [[rule["name"], str(rule["priority"]), rule["target"], json.dumps(rule["condition"])] for rule in rules]
    echo_table(("RULE", "PRIORITY", "TARGET", "CONDITION"), rows, empty="There is no rule.", right=("PRIORITY",))


@route.command("remove")
@alias_argument
@click.argument("name")
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def remove_route(cli: Cli, config_dir: Path | None, alias: str, name: str, dry_run: bool, as_json: bool) -> None:
    """Remove the rule NAME of ALIAS's proxy."""

    def change(config: Config) -> None:
        rules = config["routing"].get("rules", [])
        _require(name, [rule["name"] for rule in rules], "rule")
        config["routing"]["rules"] = [rule for rule in rules if rule["name"] != name]

    _apply(cli, config_dir, alias, change, f"The rule {name} was removed.", as_json, dry_run)


@alias.command("set")
@alias_argument
@click.argument("model")
@click.argument("target")
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def set_alias(
    cli: Cli, config_dir: Path | None, alias: str, model: str, target: str, dry_run: bool, as_json: bool
) -> None:
    """Let requests for MODEL go to TARGET, `provider/model`."""

    def change(config: Config) -> None:
        config.setdefault("model_aliases", {})[model] = target

    _apply(cli, config_dir, alias, change, f"{model} goes to {target}.", as_json, dry_run)


@alias.command("list")
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def list_aliases(cli: Cli, config_dir: Path | None, alias: str, as_json: bool) -> None:
    """List the aliases of ALIAS's proxy."""
    found = _read(cli, config_dir, alias)[0].get("model_aliases", {})
    rows = [{"model": model, "target": target} for model, target in found.items()]
    if as_json:
        echo_json(rows)
    else:
        echo_table(("MODEL", "TARGET"), [[*row.values()] for row in rows], empty="There is no alias.")


@alias.command("remove")
@alias_argument
@click.argument("model")
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def remove_alias(cli: Cli, config_dir: Path | None, alias: str, model: str, dry_run: bool, as_json: bool) -> None:
    """Remove the alias MODEL of ALIAS's proxy."""

    def change(config: Config) -> None:
        _require(model, list(config.get("model_aliases", {})), "alias")
        del config["model_aliases"][model]

    _apply(cli, config_dir, alias, change, f"The alias {model} was removed.", as_json, dry_run)


def condition_of(text: str) -> Config:
    """Raises `InvalidInput`."""
    said = text.strip()
    if said in _WORDS:
        return {"type": _WORDS[said]}
    if (found := _COUNT.fullmatch(said)) is not None:
        return _counted(found[1], found[2], int(found[3]))
    try:
        made = json.loads(said)
    except ValueError:
        made = None
    if not isinstance(made, dict):
        known = f"{', '.join(_WORDS)}, `tokens > N`, `tokens < N`, `tools >= N`, or a JSON object"
        raise InvalidInput(f"{said} is no condition; use one of: {known}.")
    return made


def _counted(of: str, sign: str, number: int) -> Config:
    """More tokens than that number begin with one more."""
    if of == "tools":
        if sign not in (">", ">="):
            raise InvalidInput("A number of tools is a least one: `tools >= N`.")
        return {"type": "has_tools", "min_count": number + (sign == ">")}
    name = "min" if sign.startswith(">") else "max"
    beyond = {">": 1, "<": -1}.get(sign, 0)
    return {"type": "token_count", name: max(0, number + beyond)}


def _require(name: str, known: list[str], thing: str) -> None:
    if name not in known:
        raise NotFound(f"There is no {thing} {name}{did_you_mean(name, known)}")


def _read(cli: Cli, config_dir: Path | None, alias: str) -> tuple[Config, str]:
    """The configuration, and the tag that belongs to it."""
    client = DaemonClient(cli.config_dir(config_dir))
    answer = client.send("GET", _path(alias), headers=client.headers())
    return _data(answer), answer.headers.get("ETag") or "*"


def _changed(cli: Cli, config_dir: Path | None, alias: str, change: Callable[[Config], None]) -> Config:
    """Raises `JackfieldError`, also when somebody else has changed it meanwhile."""
    config, tag = _read(cli, config_dir, alias)
    change(config)
    client = DaemonClient(cli.config_dir(config_dir))
    return _data(client.send("PUT", _path(alias), body=config, headers={**client.headers(), "If-Match": tag}))


def _apply(
    cli: Cli,
    config_dir: Path | None,
    alias: str,
    change: Callable[[Config], None],
    text: str,
    as_json: bool,
    dry_run: bool,
) -> None:
    """Change it and say so; or tell what would change."""
    if not dry_run:
        _say(_changed(cli, config_dir, alias, change), text, as_json)
        return
    before, _ = _read(cli, config_dir, alias)
    asked = copy.deepcopy(before)
    change(asked)
    found = DaemonClient(cli.config_dir(config_dir)).ask("POST", f"{_path(alias)}/check", body=asked)
    echo_dry_run({"alias": alias}, [*changes(before, found.data)], list(found.warnings), as_json)


def _data(answer: RawAnswer) -> Config:
    try:
        found = json.loads(answer.body)
        if answer.status >= 300:
            raise JackfieldError(str(found["error"]), code=str(found.get("code", "INTERNAL")))
        for warning in found.get("warnings", ()):
            echo_warning(warning)
        return dict(found["data"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise JackfieldError(f"The daemon answered with status {answer.status}.") from None


def _path(alias: str) -> str:
    return f"/api/proxy/{segment(alias)}/config"


def _say(config: Config, text: str, as_json: bool) -> None:
    if as_json:
        echo_json(config)
    else:
        click.echo(text)
