"""`jackfield init`: from an installation to a first profile."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from jackfield.api.cli import Cli, audited, config_dir_option, echo_json, harmless, json_option, work_at
from jackfield.api.daemon import DaemonAbsent, DaemonClient, require_here
from jackfield.api.errors import JackfieldError
from jackfield_profiles.commands.profiles import read_key

OWN_LOGIN = "self"
"""The provider of agents that keep their own login: the one that needs no key."""
_WORK = "jackfield_profiles.commands.init_work"


@audited("profile.create")
@click.command()
@click.option("--no-profile", is_flag=True, help="Make no profile.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing: a profile of the first agent, with its own login.")
@json_option
@config_dir_option
@click.pass_obj
def init(cli: Cli, no_profile: bool, yes: bool, as_json: bool, config_dir: Path | None) -> None:
    """Show which agents are installed and whether the daemon runs, and make a first profile.

    Nothing that is here is changed: a profile of that name stays.
    """
    directory = cli.config_dir(config_dir)
    require_here(directory)
    found = cli.run("profiles", work_at(f"{_WORK}:surroundings"), config_dir=config_dir)
    running = _is_running(directory)
    ask = not yes and not as_json and sys.stdin.isatty()
    if not as_json:
        _tell(found, directory, running)
    profile = None if no_profile or not (yes or ask) else _profile(cli, config_dir, found["agents"], ask)
    if as_json:
        echo_json({"directory": str(directory), "daemon": running, **found, "profile": profile})
    elif profile is not None:
        made = "was made" if profile["created"] else "is here already"
        click.echo(f"The profile {profile['alias']} {made}. Run it: jackfield profiles run {profile['alias']}")


def _is_running(directory: Path) -> bool:
    try:
        DaemonClient(directory).ask("GET", "/api/daemon/status")
    except DaemonAbsent:
        return False
    except JackfieldError:  # it runs, and does not answer to us
        return True
    return True


def _tell(found: Any, directory: Path, running: bool) -> None:  # JSON of `surroundings`
    click.echo(f"Configuration: {directory}")
    click.echo("The daemon runs." if running else "The daemon does not run; start it with `jackfield serve`.")
    for agent in found["agents"]:
        state = f"installed {agent['version'] or ''}".rstrip() if agent["installed"] else "not installed"
        install = f" ({agent['install']})" if agent["install"] and not agent["installed"] else ""
        click.echo(harmless(f"{agent['name']}: {state}{install}"))


def _profile(cli: Cli, config_dir: Path | None, agents: Sequence[Any], ask: bool) -> Any:  # JSON of `first_profile`
    """None: no agent is installed."""
    installed = [agent["id"] for agent in agents if agent["installed"]]
    if not installed:
        return None
    agent, provider = installed[0], OWN_LOGIN
    if ask:
        agent = click.prompt("Agent", default=agent, type=click.Choice(installed))
        provider = click.prompt(f"Provider ({OWN_LOGIN}: the agent's own login)", default=provider)
    alias = click.prompt("Name of the profile", default=agent) if ask else agent
    question = "jackfield_profiles.commands.profile_work:key_prompt"
    prompt = cli.run("profiles", work_at(question, provider), config_dir=config_dir) if ask else None
    key = None if prompt is None else read_key(prompt)
    work = work_at(f"{_WORK}:first_profile", agent, alias, provider, key)
    return cli.run("profiles", work, config_dir=config_dir)
