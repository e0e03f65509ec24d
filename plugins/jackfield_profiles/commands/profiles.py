"""`jackfield profiles`: beside a running daemon or without one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    audited,
    config_dir_option,
    echo_json,
    echo_table,
    echo_warning,
    harmless,
    json_option,
    work_at,
)
from jackfield.api.daemon import daemon_elsewhere, require_here
from jackfield.api.daemon_commands import completed_of, read_or_ask, segment
from jackfield.api.dry_runs import dry_run_option
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield_profiles.commands.aliases import PATH, alias_argument
from jackfield_profiles.commands.answers import answer_option, answers_of
from jackfield_profiles.commands.limits import limit_option, limits_of
from jackfield_profiles.commands.running import env, run
from jackfield_profiles.commands.templates import fields_of, template_option

LONGEST_LINE = 16_384
"""More of standard input is not read: longer than any key may be, in characters."""
complete_agent = completed_of("/api/agents", key="id", about="name")
complete_provider = completed_of("/api/providers", key="id", about="name")


@click.group(cls=CommandGroup)
def profiles() -> None:
    """Profiles of coding agents: create, list, show, edit, delete, run."""


@audited("profile.create", subject="alias")
@profiles.command()
@click.argument("agent", shell_complete=complete_agent)
@click.argument("alias")
@click.option(
    "-p", "--provider", shell_complete=complete_provider, help="Provider (default: the setting defaults.provider)."
)
@click.option("-e", "--endpoint", help="Endpoint (default: the provider's).")
@click.option("-m", "--model", help="Model (default: the provider's, then the agent's).")
@click.option("--env", "variables", multiple=True, metavar="NAME=VALUE", help="A variable for the agent; repeatable.")
@click.option("--arg", "arguments", multiple=True, metavar="TEXT", help="An argument for the agent; repeatable.")
@click.option("--working-dir", help="Where the agent works (default: the profile's home).")
@click.option("--sandbox", type=click.Choice(["off", "standard", "strict"]), help="Default: the template's, then off.")
@limit_option
@answer_option
@click.option("--approvals", type=click.Choice(["inbox"]), help="Ask for permissions in the inbox of approvals.")
@template_option
@click.option("--no-key", is_flag=True, help="Do not ask for a key.")
@click.option("--allow-missing", is_flag=True, help="The agent need not be installed.")
@click.option("--shim", is_flag=True, help="Install a command named ALIAS that runs the profile.")
@click.option("--dry-run", is_flag=True, help="Make nothing; say whether the profile could be made.")
@json_option
@config_dir_option
@click.pass_obj
def create(
    cli: Cli,
    agent: str,
    alias: str,
    provider: str | None,
    endpoint: str | None,
    model: str | None,
    variables: Sequence[str],
    arguments: Sequence[str],
    working_dir: str | None,
    sandbox: str | None,
    limits: Sequence[str],
    answers: Sequence[str],
    approvals: str | None,
    template: str | None,
    no_key: bool,
    allow_missing: bool,
    shim: bool,
    dry_run: bool,
    as_json: bool,
    config_dir: Path | None,
) -> None:
    """Create the profile ALIAS of AGENT. Its key is asked for, or read from the first line of standard input."""
    preset = fields_of(cli, config_dir, template, agent)
    named = {
        "endpoint_id": endpoint,
        "model": model,
        "env": _with_variables(preset, variables),
        "args": list(arguments),
        "working_dir": None if working_dir is None else _absolute(working_dir),
        "sandbox": sandbox,
        "limits": limits_of(limits),
        "answers": answers_of(answers),
        "approvals": approvals,
    }
    given = {
        **preset,
        **{name: value for name, value in named.items() if value},
        "agent_id": agent,
        "alias": alias,
        "allow_missing": allow_missing,
        "shim": shim,
    }
    chosen = provider or preset.get("provider_id") or _run(cli, config_dir, "default_provider")
    prompt = None if no_key else _run(cli, config_dir, "key_prompt", chosen)
    key = None if prompt is None else read_key(prompt)
    if dry_run:
        require_here(cli.config_dir(config_dir))
        checked = _here(cli, config_dir, "check", {**given, "provider_id": chosen, "api_key": key})
        _say(checked, as_json, f"The profile {alias} can be made.")
        return
    made = _run(cli, config_dir, "create", {**given, "provider_id": chosen, "api_key": key})
    _say(made, as_json, f"The profile {alias} was created; its home is {made['home']}.")


@profiles.command("list")
@click.option("--agent", shell_complete=complete_agent, help="Only profiles of this agent.")
@json_option
@config_dir_option
@click.pass_obj
def list_profiles(cli: Cli, agent: str | None, as_json: bool, config_dir: Path | None) -> None:
    """List the profiles: alias, agent, provider, endpoint, model, last use."""
    query = {"agent": agent} if agent else {}
    found = read_or_ask(cli, config_dir, PATH, lambda: _here(cli, config_dir, "listed", agent), query=query)
    if as_json:
        echo_json(found)
    else:
        columns = ("ALIAS", "AGENT", "PROVIDER", "ENDPOINT", "MODEL", "LAST USE")
        cells = [[str(value or "never") for value in one.values()] for one in found]
        echo_table(columns, cells, empty="There is no profile.")


@profiles.command()
@alias_argument
@json_option
@config_dir_option
@click.pass_obj
def show(cli: Cli, alias: str, as_json: bool, config_dir: Path | None) -> None:
    """Show the profile ALIAS, without its key."""
    path = f"{PATH}/{segment(alias)}"
    found = read_or_ask(cli, config_dir, path, lambda: (_here(cli, config_dir, "shown", alias), ()))
    CommandOutput(as_json=as_json).fields(found)


@audited("profile.update", subject="alias")
@profiles.command()
@alias_argument
@click.option("-e", "--endpoint", help="Endpoint.")
@click.option("-m", "--model", help="Model.")
@click.option("--env", "variables", multiple=True, metavar="NAME=VALUE", help="Set a variable; others stay.")
@click.option("--unset", multiple=True, metavar="NAME", help="Remove a variable; repeatable.")
@click.option("--arg", "arguments", multiple=True, metavar="TEXT", help="Replace the arguments by these.")
@click.option("--no-args", is_flag=True, help="Remove all arguments.")
@click.option("--working-dir", help="Where the agent works; empty is the profile's home.")
@click.option("--sandbox", type=click.Choice(["off", "standard", "strict"]))
@limit_option
@click.option("--no-limits", is_flag=True, help="Remove the profile's own limits.")
@answer_option
@click.option("--no-answers", is_flag=True, help="Leave all dialogs to whoever drives the session.")
@click.option("--approvals", type=click.Choice(["inbox", "agent"]), help="Where it asks for permissions.")
@click.option("--key", is_flag=True, help="Set the key: it is asked for, or read from standard input.")
@click.option("--remove-key", is_flag=True, help="Remove the profile's own key.")
@click.option("--dry-run", is_flag=True, help="Change nothing; say whether the profile could be changed.")
@json_option
@config_dir_option
@click.pass_obj
def edit(
    cli: Cli,
    alias: str,
    endpoint: str | None,
    model: str | None,
    variables: Sequence[str],
    unset: Sequence[str],
    arguments: Sequence[str],
    no_args: bool,
    working_dir: str | None,
    sandbox: str | None,
    limits: Sequence[str],
    no_limits: bool,
    answers: Sequence[str],
    no_answers: bool,
    approvals: str | None,
    key: bool,
    remove_key: bool,
    dry_run: bool,
    as_json: bool,
    config_dir: Path | None,
) -> None:
    """Change the profile ALIAS; what is not named stays."""
    if key and remove_key:
        raise click.UsageError("--key and --remove-key exclude each other.")
    given = {"endpoint_id": endpoint, "model": model, "sandbox": sandbox}
    asked: dict[str, Json] = {name: value for name, value in given.items() if value is not None}
    if arguments or no_args:
        asked["args"] = list[Json](arguments)
    if limits or no_limits:  # those that are named replace all, as arguments do
        asked["limits"] = limits_of(limits) or None
    if answers or no_answers:
        asked["answers"] = answers_of(answers) or None
    if approvals is not None:
        asked["approvals"] = "inbox" if approvals == "inbox" else None
    if working_dir is not None:
        asked["working_dir"] = _absolute(working_dir) if working_dir else None
    if key or remove_key:
        asked["api_key"] = read_key("API key") if key else None
    if dry_run:
        require_here(cli.config_dir(config_dir))
        checked = _here(cli, config_dir, "check_change", alias, asked, _environment(variables), unset)
        _say(checked, as_json, f"The profile {alias} can be changed: {', '.join(checked['changed']) or 'nothing'}.")
        return
    made = _run(cli, config_dir, "change", alias, asked, _environment(variables), unset)
    _say(made, as_json, f"The profile {alias} was changed.")


@audited("profile.delete", subject="alias")
@profiles.command()
@alias_argument
@click.option("--purge", is_flag=True, help="Remove the profile's home as well.")
@click.option("--force", is_flag=True, help="End its live sessions; also remove a damaged file.")
@click.option("-y", "--yes", is_flag=True, help="Confirm the action without prompting.")
@dry_run_option
@json_option
@config_dir_option
@click.pass_obj
def delete(
    cli: Cli,
    alias: str,
    purge: bool,
    force: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
    config_dir: Path | None,
) -> None:
    """Delete the profile ALIAS and its key. Its home stays unless --purge is given."""
    if dry_run:
        planned = _run(cli, config_dir, "deletion", alias, purge, force)
        if as_json:
            echo_json(planned)
        else:
            _tell_removal(planned["removes"])
        return
    if not yes:
        click.confirm("Delete the profile?", abort=True)
    _say(_run(cli, config_dir, "delete", alias, purge, force), as_json, f"The profile {alias} was deleted.")


def _tell_removal(removes: Mapping[str, Any]) -> None:  # Any: JSON of an answer
    for command in removes["hooks"]:
        click.echo(f"run     {harmless(command)}")
    if removes["sessions"]:
        click.echo(f"end     {removes['sessions']} live session(s)")
    if removes["proxy"]:
        click.echo("stop    the proxy")
    if removes["key"]:
        click.echo("remove  the profile's own key")
    for name in ("file", "shim", "home"):
        if removes[name]:
            click.echo(f"remove  {harmless(removes[name])}")
    if removes["home_kept"]:
        click.echo(harmless(removes["home_kept"]))
    click.echo("Nothing was changed.")


@audited("provider.key.update", subject="provider")
@profiles.command("provider-key")
@click.argument("provider", shell_complete=complete_provider)
@click.option("--remove", is_flag=True, help="Remove the stored key.")
@json_option
@config_dir_option
@click.pass_obj
def provider_key(cli: Cli, provider: str, remove: bool, as_json: bool, config_dir: Path | None) -> None:
    """Store a key for PROVIDER, for proxies that send requests to it on behalf of other providers' profiles."""
    key = None if remove else read_key(f"Key for {provider}")
    if not key and not remove:
        raise InvalidInput("Give the key: you are asked for it, or it is the first line of standard input.")
    _run(cli, config_dir, "put_provider_key", provider, key, remove)
    if as_json:
        echo_json({"provider": provider, "stored": not remove})
    else:
        click.echo(f"The key of {provider} was {'removed' if remove else 'stored'}.")


def read_key(prompt: str) -> str | None:
    """Hidden, when a person types it; else the first line of standard input, or the JSON document that begins there.
    Empty is none."""
    if sys.stdin.isatty():
        return click.prompt(prompt, hide_input=True, default="", show_default=False) or None
    line = sys.stdin.readline(LONGEST_LINE).strip()
    more = sys.stdin.read(LONGEST_LINE) if line.startswith("{") and not line.endswith("}") else ""
    return (line + more) or None


profiles.add_command(run)
profiles.add_command(env)


def _environment(given: Sequence[str]) -> dict[str, Json]:
    """Raises `click.UsageError`; the value, which may be a secret, is not quoted."""
    found: dict[str, Json] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise click.UsageError("--env takes NAME=VALUE.")
        found[name] = value
    return found


def _with_variables(preset: Mapping[str, Json], given: Sequence[str]) -> dict[str, Json]:
    """The template's, and those that are named; of one name the latter."""
    known = preset.get("env")
    return {**(known if isinstance(known, dict) else {}), **_environment(given)}


def _absolute(directory: str) -> str:
    """Here, where the command is given. Of a leading `~` whoever stores it makes the most."""
    return directory if directory.startswith("~") else str(Path(directory).absolute())


def _run(cli: Cli, config_dir: Path | None, name: str, *arguments: object) -> Any:
    """A function of `profile_work`, or of `remote_work` when the daemon runs elsewhere. Any: each has its type."""
    daemon = daemon_elsewhere(cli.config_dir(config_dir))
    if daemon is None:
        return _here(cli, config_dir, name, *arguments)
    return cast("Callable[..., Any]", load(f"jackfield_profiles.commands.remote_work:{name}"))(daemon, *arguments)


def _here(cli: Cli, config_dir: Path | None, name: str, *arguments: object) -> Any:
    """A function of `profile_work`. Any: each has its type."""
    return cli.run(
        "profiles", work_at(f"jackfield_profiles.commands.profile_work:{name}", *arguments), config_dir=config_dir
    )


def _say(found: dict[str, Json], as_json: bool, text: str) -> None:
    if as_json:
        echo_json(found)
        return
    click.echo(text)
    warnings = found["warnings"]
    for warning in warnings if isinstance(warnings, list) else []:
        echo_warning(str(warning))
